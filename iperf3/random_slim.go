//go:build slim

package iperf3

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fillRandom fills b with what nobody can guess, by the kernel's own generator:
// crypto/rand brings half a megabyte of ciphers that FIPS 140 wants.
func fillRandom(b []byte) {
	for len(b) > 0 {
		n, err := unix.Getrandom(b, 0)
		if err != nil && err != unix.EINTR {
			panic(fmt.Sprintf("getrandom: %v", err)) // Linux has it since 3.17
		}
		b = b[max(n, 0):]
	}
}
