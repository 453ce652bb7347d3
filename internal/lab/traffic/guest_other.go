//go:build !linux

package traffic

// Main returns at once: lab machines run on Linux only.
func Main() {}
