// Package traffic offers load to a lab path with as few system calls as the
// traffic allows, and tells what became of it.
package traffic

import (
	"time"

	"unchoke/internal/unit"
)

// Kind is how a sender offers its bytes.
type Kind string

const (
	Paced   Kind = "paced"   // writes of equal size at equal times
	Bulk    Kind = "bulk"    // as fast as TCP takes them
	Chunked Kind = "chunked" // video segments: a chunk, a rest, a chunk
)

// Spec is the load of one run. The measured bytes go from near to far.
type Spec struct {
	Kind Kind
	// Rate is offered by Paced, and the media's rate of Chunked.
	Rate unit.BitRate
	// Write is the size of one write of Paced; its sender sets the next one's
	// time to now + Write/Rate, and so never makes up for a stall unless
	// CatchUp. Then writes are due at fixed times.
	Write   unit.Size
	CatchUp bool
	// Chunk is how much playing time one chunk of Chunked holds; see player.
	Chunk time.Duration
	// SendBuffer and ReceiveBuffer are SO_SNDBUF and SO_RCVBUF before the
	// connection, whatever net.core.[rw]mem_max allow; 0 is the kernel's
	// autotuning.
	SendBuffer, ReceiveBuffer unit.Size
	// Pace is what a sender's packets leave at, at most (SO_MAX_PACING_RATE), as
	// fq's maxrate holds each flow of a host; 0 is no limit.
	Pace unit.BitRate `json:",omitzero"`
	// Read is the size of one read, and ReadEvery the rest before each; 0 reads
	// as fast as bytes arrive.
	Read      unit.Size
	ReadEvery time.Duration
	// Duration is at the receiver, from accept. A read that is under way at its
	// end may last as long once more.
	Duration time.Duration
	// Omit is dropped from the beginning of every figure; 0 measures from
	// accept, as the article did.
	Omit time.Duration
}

// Result is what became of a run.
type Result struct {
	Throughput  float64 // bits a second that the receiver's programs read
	Bytes       int64
	Elapsed     time.Duration // that Throughput covers
	Segments    int64         // sent, retransmits included
	Retransmits int64
	Spurious    int64 // of them, as DSACKs told
	Reordering  int64 // reordering events the sender saw (tcpi_reord_seen)
	Timeouts    int64 // retransmission timeouts
	MinRTT      time.Duration
	MeanRTT     time.Duration // of the sender's smoothed RTT, sampled
	P95RTT      time.Duration
	MeanCwnd    float64 // segments
	MinCwnd     float64
	MaxCwnd     float64
	// GapP50, GapP99 and GapMax are times between two reads that returned bytes.
	GapP50, GapP99, GapMax time.Duration
	// Stalled is how long a player of Chunked waited for media, the start
	// left out; 0 of other kinds.
	Stalled time.Duration
	CC      string // that the sender used, as read back
	// NeighborThroughput is what the flow beside the measured ones carried, in
	// bits a second over the same time; 0 where there was none.
	NeighborThroughput float64
	// Failed says why a connection could not be made or broke; empty where all
	// lasted. The other figures count what was carried all the same.
	Failed string
}

// Sample is the sender's TCP_INFO at one moment of a run, for the series.
type Sample struct {
	At         time.Duration
	Cwnd       uint32 // segments
	Ssthresh   uint32
	State      uint8 // tcpi_ca_state: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss
	RTT        time.Duration
	MinRTT     time.Duration
	Reordering uint32 // the reordering degree assumed
	ReordSeen  uint32
	DSACKs     uint32
	Retrans    uint32
	Lost       uint32
	Delivered  uint32
	Pacing     uint64 // bytes a second
	Acked      uint64 // bytes
	Received   int64  // bytes the receiver's program had read by then
}
