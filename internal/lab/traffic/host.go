package traffic

import (
	"fmt"

	"unchoke/internal/unit"
)

// Host is how a host of a run differs from a stock one. The zero value is none.
type Host struct {
	SendMax    unit.Size `json:"send_max,omitzero"`    // maximum of tcp_wmem
	ReceiveMax unit.Size `json:"receive_max,omitzero"` // maximum of tcp_rmem
	// Reordering is how many segments may overtake one before it counts as lost
	// (tcp_reordering), and 1000 at most where the path keeps doing so (tcp_max_reordering).
	Reordering int `json:"reordering,omitzero"`
	// NoSACK switches selective acknowledgements off, for either direction.
	NoSACK bool `json:"no_sack,omitzero"`
}

// sysctls are the host's settings, each KEY=VALUE. What a socket begins with
// stays the kernel's own (tcp(7)), as far as the maximum lets it.
func (h Host) sysctls() []string {
	var out []string
	if h.SendMax > 0 {
		out = append(out, fmt.Sprintf("net.ipv4.tcp_wmem=4096 %d %d", min(h.SendMax, 16384), h.SendMax))
	}
	if h.ReceiveMax > 0 {
		most := max(h.ReceiveMax, leastReceive)
		out = append(out, fmt.Sprintf("net.ipv4.tcp_rmem=4096 %d %d", min(most, 131072), most))
	}
	if h.Reordering > 0 {
		out = append(out, fmt.Sprintf("net.ipv4.tcp_reordering=%d", h.Reordering),
			fmt.Sprintf("net.ipv4.tcp_max_reordering=%d", max(h.Reordering, 1000)))
	}
	if h.NoSACK {
		out = append(out, "net.ipv4.tcp_sack=0")
	}
	return out
}

// leastReceive is the least that the kernel accepts for a value of tcp_rmem, in bytes.
const leastReceive unit.Size = 4096
