//go:build slim

package hosts

const (
	// anyThread of the kernel's counts as one that carries packets in the build for routers,
	// which have no disks to speak of. What it did without load does not count there either.
	anyThread = true
	// AnyShaper that held the stream back is the bottleneck there.
	AnyShaper = true
)
