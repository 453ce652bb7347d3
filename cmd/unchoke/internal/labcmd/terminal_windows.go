//go:build !slim

package labcmd

import (
	"os"

	"unchoke/internal/lab"
)

// A lab runs on Linux only; these say what there is to say about elsewhere.

func passedSignals() (<-chan os.Signal, func()) { return nil, func() {} }

func shareTerminal(*lab.Command, *os.File) (restore func(), err error) { return func() {}, nil }
