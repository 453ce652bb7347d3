package tune

import (
	"fmt"

	"unchoke/internal/finding"
)

// hole is the largest packet in bytes that passes both ways of a path on which
// larger ones vanish; 0 where none do.
func (m *Measured) hole() int {
	least := 0
	for _, w := range []*Way{m.Up, m.Down} {
		if w != nil && w.has(finding.MTUBlackhole) && w.MTU > 0 && (least == 0 || w.MTU < least) {
			least = w.MTU
		}
	}
	return least
}

// noteMTU tells what fixes a path on which large packets vanish at once and both
// ways: a smaller MTU here, by which this host also advertises smaller segments.
// Whoever made the route or the device has to keep it.
func (n *needs) noteMTU(m *Measured, mtu int) {
	if m.tunnelled() {
		n.note("mtu", fmt.Sprintf("ip link set dev %s mtu %d", m.Device, mtu),
			"Packets of more than %d bytes vanish in the tunnel by %s. This gives its device an MTU that fits, for all that goes through it, until it is made anew: put it into the tunnel's own configuration (MTU = %d for wg-quick), on both hosts.", mtu, m.Device, mtu)
		return
	}
	n.note("mtu", fmt.Sprintf("ip route replace $(ip -o route get %s | sed 's/ uid .*//') mtu lock %d", m.Address, mtu),
		"Packets of more than %d bytes vanish on the way to %s or back. A route to that host with that MTU fixes both directions at once: this host sends no larger packets by it, and its connections ask the far host for none. It is not kept over a reboot: whatever makes the route has to set it again.", mtu, m.Address)
}
