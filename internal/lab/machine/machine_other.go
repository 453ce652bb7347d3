//go:build !linux

package machine

import (
	"context"
	"errors"
)

// ErrNotSupported reports a system on which User-Mode Linux does not run.
var ErrNotSupported = errors.New("lab machines run on Linux only")

// Main returns at once.
func Main() {}

// Run returns ErrNotSupported.
func Run(context.Context, Spec) (int, error) { return 1, ErrNotSupported }
