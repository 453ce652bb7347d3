//go:build !linux

package lab

import (
	"context"

	"unchoke/internal/lab/machine"
	"unchoke/internal/lab/stage"
)

func hostMain() {}

func runOnHost(context.Context, Command, stage.Job) (int, error) {
	return 1, machine.ErrNotSupported
}
