package kernel

import (
	"context"
	"errors"
	"os/exec"
)

// Linux is compiled on Unix systems.

func ownGroup(*exec.Cmd) {}

func lock(context.Context, string) (unlock func(), err error) {
	return nil, errors.New("a Linux kernel cannot be built on Windows")
}
