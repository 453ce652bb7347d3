//go:build !slim

package iperf3

import "crypto/rand"

// fillRandom fills b with what nobody can guess.
func fillRandom(b []byte) { rand.Read(b) } // never fails: crypto/rand.Read
