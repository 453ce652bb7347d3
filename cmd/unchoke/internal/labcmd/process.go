//go:build !slim

package labcmd

import "unchoke/internal/lab"

// TakeOver does not return in a process that a lab started to be part of it.
func TakeOver() { lab.Main() }
