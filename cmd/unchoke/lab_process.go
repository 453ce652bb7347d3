//go:build !slim

package main

import "unchoke/internal/lab"

// takeOver does not return in a process that a lab started to be part of it.
func takeOver() { lab.Main() }
