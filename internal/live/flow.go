package live

import (
	"fmt"
	"net/netip"

	"unchoke/internal/finding"
)

// Flow is one TCP connection of this host, seen from this end. Rates and shares
// are of the last interval; what says "lately" is of the last 30 s, or of the
// connection's life where it is younger.
type Flow struct {
	// ID is the kernel's cookie of the socket, in hexadecimal digits: no two
	// connections since the host started have the same.
	ID     string         `json:"id"`
	Local  netip.AddrPort `json:"local"`
	Remote netip.AddrPort `json:"remote"`
	State  string         `json:"state"`            // as ss writes it: established, fin-wait-1, …
	Device string         `json:"device,omitempty"` // that the socket is bound to

	// The owner; empty and 0 where it may not be read, or where no look found the
	// connection before it ended (Snapshot.Short).
	Process   string `json:"process,omitempty"`
	PID       int    `json:"pid,omitempty"`
	Unit      string `json:"unit,omitempty"`      // systemd's
	Container string `json:"container,omitempty"` // its ID's first twelve digits
	Cgroup    string `json:"cgroup,omitempty"`    // below /sys/fs/cgroup
	UID       uint32 `json:"uid"`

	CC  string  `json:"cc"`
	Age float64 `json:"age_s"` // since we saw it first; Whole tells whether that was its beginning
	// Whole is true where the connection was seen from its beginning.
	Whole  bool    `json:"whole,omitempty"`
	Closed bool    `json:"closed,omitempty"` // these are its last figures
	Idle   float64 `json:"idle_s"`           // since data last went either way
	// Accepted is true where a program of this host listens on the local port, so
	// that the peer opened the connection.
	Accepted bool `json:"accepted,omitempty"`

	SentRate     float64 `json:"sent_bps"` // payload that the peer acknowledged
	ReceivedRate float64 `json:"received_bps"`
	Sent         uint64  `json:"sent_bytes"`     // acknowledged, since the connection began
	Received     uint64  `json:"received_bytes"` // since the connection began

	RTT    float64 `json:"rtt_s"` // smoothed; of a receiver its own estimate
	MinRTT float64 `json:"min_rtt_s"`
	// Jitter estimates the standard deviation of the path's delay, lately. It is
	// made of tcpi_rttvar, which is a smoothed mean deviation and no standard
	// deviation; package watch says how.
	Jitter      float64 `json:"jitter_s"`
	JitterRatio float64 `json:"jitter_rtt_ratio"`
	// RTTVar is tcpi_rttvar as it is now: a mean deviation, smoothed over some
	// acknowledgements.
	RTTVar float64 `json:"rttvar_s"`
	// RateCV is the coefficient of variation of the rate of the busier
	// direction, lately.
	RateCV float64 `json:"rate_cv"`
	// RateLevel is the share of the seconds, lately, in which that rate was
	// within 2 % of the second before; 0 also where it is not known.
	RateLevel float64 `json:"rate_level_share,omitempty"`

	// Lately, for the verdict. Rates leave out the first dozen round trips of
	// a connection that was seen from its beginning, and at least a second.
	SentLately     float64 `json:"sent_lately_bps"`     // mean
	ReceivedLately float64 `json:"received_lately_bps"` // mean
	PeakRate       float64 `json:"peak_bps"`            // the most in a second, of the busier direction
	PeakDelivery   float64 `json:"peak_delivery_bps"`   // the largest tcpi_delivery_rate seen since the connection began
	Growth         float64 `json:"rate_growth"`         // mean rate of the last third over that of the third before, less 1
	RTTLately      float64 `json:"rtt_lately_s"`        // median
	RTTAtLoss      float64 `json:"rtt_at_loss_s"`       // mean over intervals with retransmits; 0 where there were none
	SegmentsLately uint64  `json:"segments_lately"`     // of data sent
	ReorderLately  uint64  `json:"reorder_events_lately"`
	TimeoutsLately int64   `json:"timeouts_lately"` // -1: the kernel does not tell

	RetransmitRatio float64 `json:"retransmit_ratio"` // of the segments sent, lately
	SpuriousRatio   float64 `json:"spurious_ratio"`   // of the segments sent: the receiver had them already, lately
	// MarkedRatio is of the segments sent: that the peer says a queue marked in
	// place of dropping them (ECN, RFC 3168), lately.
	MarkedRatio float64 `json:"ecn_marked_ratio,omitempty"`
	Retransmits uint64  `json:"retransmits"`          // segments of data, since the connection began
	Segments    uint64  `json:"segments"`             // of data sent, since the connection began
	Spurious    uint64  `json:"spurious_retransmits"` // segments, since the connection began
	Reordered   uint64  `json:"reorder_events"`       // since the connection began
	OutOfOrder  uint64  `json:"received_out_of_order"`
	Timeouts    int64   `json:"timeouts"`             // since the connection began; -1: the kernel does not tell
	Stalled     float64 `json:"stalled_s"`            // lately: data under way and nothing delivered, stalls only
	Standing    float64 `json:"standing_s,omitempty"` // of that, the stall that goes on
	Lossy       int     `json:"loss_bouts"`           // intervals with retransmits, lately

	// What the kernel counted since the connection began: data under way or
	// waiting to leave; of this, held back by the peer's window and by the send
	// buffer.
	Busy          float64 `json:"busy_s"`
	WindowLimited float64 `json:"receive_window_limited_s"`
	BufferLimited float64 `json:"send_buffer_limited_s"`

	Cwnd        uint32 `json:"cwnd_segments"`
	Ssthresh    uint32 `json:"ssthresh_segments,omitempty"` // 0: still in its first slow start
	SegmentSize uint32 `json:"segment_bytes"`
	Unacked     uint32 `json:"unacked_segments"`
	// UnackedBytes is what was sent and is not acknowledged; 0 also where the kernel
	// does not tell.
	UnackedBytes uint64 `json:"unacked_bytes,omitempty"`
	NotSent      uint32 `json:"not_sent_bytes"`
	SendWindow   uint32 `json:"send_window_bytes,omitempty"`
	RecvWindow   uint32 `json:"receive_window_bytes,omitempty"`
	// RecvShut is true where RecvWindow is 0 because the buffer is full; that is 0 also
	// where the kernel does not tell.
	RecvShut   bool   `json:"receive_window_shut,omitempty"`
	SendBuffer uint32 `json:"send_buffer_bytes,omitempty"` // SO_SNDBUF as the kernel has it
	RecvBuffer uint32 `json:"receive_buffer_bytes,omitempty"`
	RecvQueue  uint32 `json:"receive_queue_bytes"` // that the program has not read
	// RecvMemory is the memory of what has arrived and was not read. What waits behind
	// a hole is in it, and not in RecvQueue.
	RecvMemory uint32  `json:"receive_memory_bytes,omitempty"`
	NoSACK     bool    `json:"no_sack,omitempty"` // opened without selective acknowledgements
	PacingRate float64 `json:"pacing_bps,omitempty"`
	// MaxPacing is the rate that the program set with SO_MAX_PACING_RATE; 0: none.
	MaxPacing    float64 `json:"max_pacing_bps,omitempty"`
	DeliveryRate float64 `json:"delivery_bps,omitempty"`
	PMTU         uint32  `json:"pmtu_bytes,omitempty"`

	Limits Limits `json:"limits"`

	// Closely is of the busiest connections alone.
	Closely Closely `json:"closely,omitzero"`

	// Verdict is a cause, or Watching before the flow told enough. It is of the
	// flow's busier direction.
	Verdict    finding.Cause      `json:"verdict"`
	Confidence float64            `json:"confidence"`
	Summary    string             `json:"summary,omitempty"`
	Evidence   []finding.Evidence `json:"evidence,omitempty"`
	Warnings   []Warning          `json:"warnings,omitempty"`
	Advice     string             `json:"advice,omitempty"`
	// Next is the command that would tell or do more.
	Next string `json:"next,omitempty"`
}

// Limits says what held the sender back over the last 30 s, each as a share of
// the time. They need not add up to 1.
type Limits struct {
	App           float64 `json:"app"`
	ReceiveWindow float64 `json:"receive_window"`
	SendBuffer    float64 `json:"send_buffer"`
	Network       float64 `json:"network"`
}

// Watching is the verdict of a flow that has not told enough yet.
const Watching finding.Cause = "watching"

// Warning is something that is about to go wrong, or that makes the verdict less
// sure. The words stand in JSON and do not change.
type Warning string

// ChaosZone: jitter is so large a share of the RTT that a congestion control
// that answers to loss may lose half of its throughput.
const ChaosZone Warning = "chaos-zone"

// Only is the filter that picks the connection alone.
func (f *Flow) Only() string {
	return fmt.Sprintf("dst %s and sport = %d", netip.AddrPortFrom(f.Remote.Addr().Unmap(), f.Remote.Port()), f.Local.Port())
}

// Busier is the larger of both directions' rates in bit/s, and whether it is
// what this host sends.
func (f *Flow) Busier() (rate float64, sends bool) {
	if f.SentRate >= f.ReceivedRate {
		return f.SentRate, true
	}
	return f.ReceivedRate, false
}
