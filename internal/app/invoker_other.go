//go:build !unix

package app

import (
	"errors"
	"os/exec"
)

func (i *invoker) impersonate(*exec.Cmd) error { return errors.ErrUnsupported }
