//go:build !slim

package closely

import (
	"unchoke/internal/flow/packets"
	"unchoke/internal/live"
	"unchoke/internal/record"
)

// packetsOf are the figures of a connection's packets.
func packetsOf(t *record.Transfer) live.Packets {
	f, _ := packets.Figures(t.Packets)
	return f
}
