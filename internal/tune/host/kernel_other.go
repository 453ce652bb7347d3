//go:build !linux

package host

import (
	"errors"

	"unchoke/internal/tune/tree"
)

// qdiscs and routes are changed on Linux only.
type (
	qdiscs struct{}
	routes struct{}
)

func (qdiscs) read(string) (*string, error) { return nil, errors.ErrUnsupported }
func (qdiscs) write(string, *string) error  { return errors.ErrUnsupported }
func (qdiscs) writable(string) error        { return errors.ErrUnsupported }

func (qdiscs) send(string, tree.Message) error { return errors.ErrUnsupported }

func (routes) read(string) (*string, error) { return nil, errors.ErrUnsupported }
func (routes) write(string, *string) error  { return errors.ErrUnsupported }
func (routes) writable(string) error        { return errors.ErrUnsupported }

func writableDir(string) error { return errors.ErrUnsupported }
