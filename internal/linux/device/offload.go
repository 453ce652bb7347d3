package device

// Offloads says what of cutting packets up and joining them a device leaves to
// its hardware or does for many packets at once.
type Offloads struct {
	Driver string
	// Features are by the kernel's names (rx-gro, tx-generic-segmentation,
	// rx-udp-gro-forwarding, …): whether each is on.
	Features map[string]bool
}
