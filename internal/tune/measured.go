package tune

import (
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Measured is what a check found of a path, as far as a plan needs it.
type Measured struct {
	Record  string  `json:"record,omitempty"` // its ID
	Target  string  `json:"target,omitempty"`
	Address string  `json:"address,omitempty"` // of the target
	Source  string  `json:"source,omitempty"`  // this host's address on the path
	Device  string  `json:"device,omitempty"`  // by which this host reaches it
	Tunnel  string  `json:"tunnel,omitempty"`  // kind of the tunnel that this is
	RTT     float64 `json:"rtt_s,omitempty"`
	Up      *Way    `json:"up,omitempty"`   // this host sends
	Down    *Way    `json:"down,omitempty"` // the far host sends
}

// Way is one direction of a measured path.
type Way struct {
	Rate     float64         `json:"rate_bps"`     // of one stream
	Capacity float64         `json:"capacity_bps"` // of the path
	CC       string          `json:"cc,omitempty"` // of the sender
	Causes   []finding.Cause `json:"causes"`       // the leading one first
	// MTU is the largest packet that passes where larger ones vanish, in bytes; 0
	// where none do.
	MTU int `json:"mtu_bytes,omitempty"`
	// Policer is the rate above which packets are dropped without a queue, in
	// bit/s; 0 where there is none.
	Policer float64 `json:"policer_bps,omitempty"`
	// SocketBuffer is the room in bytes that the tunnel program's UDP socket
	// lacks; 0 where it does not.
	SocketBuffer int64 `json:"socket_buffer_bytes,omitempty"`
	// Unscaled says that a stream had no window scaling, which limits it.
	Unscaled bool `json:"unscaled,omitempty"`
	// Predicted is what copies of the path did as it is and with the remedies, where the
	// check tried some in the lab.
	Predicted []record.Predicted `json:"predicted,omitempty"`
}

// bdp is the bandwidth-delay product of a direction in bytes: what is in
// flight when it is full.
func (m *Measured) bdp(d record.Direction) int64 {
	w := m.way(d)
	if w == nil {
		return 0
	}
	return int64(w.Capacity / 8 * m.RTT)
}

// way is a direction; nil where it was not measured.
func (m *Measured) way(d record.Direction) *Way {
	switch {
	case m == nil:
		return nil
	case d == record.Up:
		return m.Up
	}
	return m.Down
}

// maxRate is the rate in bit/s to which fq holds a flow below the policer.
func (w *Way) maxRate() int64 { return int64(finding.PaceBelow(w.Policer).Rate) }
