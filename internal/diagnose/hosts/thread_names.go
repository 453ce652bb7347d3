//go:build !slim

package hosts

// anyThread of the kernel's does not count as one that carries packets: its name tells.
const anyThread = false
