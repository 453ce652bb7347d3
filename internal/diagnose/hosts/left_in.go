//go:build !slim

package hosts

const (
	// anyThread of the kernel's does not count as one that carries packets: its name tells.
	anyThread = false
	// AnyShaper that held the stream back is not the bottleneck: what stood in it tells.
	AnyShaper = false
)
