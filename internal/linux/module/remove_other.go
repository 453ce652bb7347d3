//go:build !linux || slim

package module

import "errors"

// remove returns errors.ErrUnsupported.
func remove(string) error { return errors.ErrUnsupported }
