package lab

import (
	"bytes"
	"os"
)

// Inside says that this process runs in a lab machine. There is no lab in a lab:
// its clock stands still while a program computes.
func Inside() bool {
	text, err := os.ReadFile("/proc/cpuinfo")
	return err == nil && bytes.Contains(text, []byte("User Mode Linux")) // arch/um/kernel/um_arch.c
}
