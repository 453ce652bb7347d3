package iperf3

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"unchoke/iperf3/internal/wire"
)

// Protocol is the transport of a test's data.
type Protocol string

// The transports. Stock iperf3 also knows SCTP, which this package does not.
const (
	TCP Protocol = "tcp"
	UDP Protocol = "udp"
)

// DefaultPort is iperf3's port for control and data.
const DefaultPort = 5201

// Bounds and defaults of stock iperf3 (src/iperf.h, src/iperf_api.h).
const (
	maxDuration      = 86400 * time.Second
	maxOmit          = 600 * time.Second
	maxStreams       = 128
	maxLength        = 1 << 20
	maxUDPLength     = 65535 - 8 - 20
	minUDPLength     = 4 + 4 + 8
	maxWindow        = 512 << 20
	maxMSS           = 9 * 1024
	minSegment       = 88 // Linux's least TCP_MAXSEG (TCP_MIN_MSS)
	maxCongestion    = 15 // TCP_CA_NAME_MAX less its NUL
	defaultDuration  = 10 * time.Second
	defaultTCPLength = 128 << 10
	defaultUDPLength = 1460
	defaultUDPRate   = 1 << 20
)

// DefaultPacingTimer is how often a stock sender looks at its rate. At 1 ms
// it sends in bursts of a millisecond's worth; see Test.PacingTimer.
const DefaultPacingTimer = time.Millisecond

// Test says what to measure. The zero value is iperf3's own default: one TCP
// stream from client to server for ten seconds.
type Test struct {
	Protocol Protocol // TCP when empty

	// Without either, the client sends. They exclude each other.
	Reverse       bool // the server sends
	Bidirectional bool // both send, Streams each

	// At most one of Duration, Bytes and Blocks may be set. Duration is of the
	// measured part, after Omit.
	Duration time.Duration
	Bytes    int64 // end after this many, all streams together
	Blocks   int64 // end after this many of Length bytes each, all streams together
	Omit     time.Duration

	Streams int // in each direction; 1 when zero
	// AtOnce opens the client's TCP streams side by side, which takes one round trip
	// instead of one each. A server may count them in another order then: what it
	// says of a stream may be another's.
	AtOnce bool
	Rate   int64 // bit/s a stream; 0 is unlimited for TCP and UDP alike
	Length int   // bytes of a write, or of a datagram's payload; chosen when zero
	Window int   // bytes of the socket buffers; the system's own when zero
	MSS    int   // bytes; the system's own when zero
	// Segments bound the MSS of the client's own TCP data sockets, in bytes: the
	// nth stream has the nth, and those beyond have the last; 0 is the system's
	// own. A socket advertises its bound, so that it holds both ways, and the
	// server is not told of it.
	Segments []int
	NoDelay  bool
	// Congestion names the congestion control of the senders. Empty leaves
	// each host its default.
	Congestion string
	// Congestions name one for each stream instead, where the client alone
	// sends: the nth stream has the nth.
	Congestions []string
	TOS         int // IP type of service, or IPv6 traffic class

	// PacingTimer is asked of a server that sends: a stock one wakes this
	// often and sends what is due, so a smaller one smooths it. This package's
	// own senders pace each packet whatever it is. DefaultPacingTimer when zero.
	PacingTimer time.Duration

	// Slots make a ladder of a UDP test that the client sends: the nth stream
	// sends in the nth slot only, one after the other, at the slot's rate. The
	// server counts each stream by itself, and so each rate. There are as many
	// streams as slots; Rate is not used. Whatever Duration is beyond the last
	// slot lets the server go on counting what arrives late.
	Slots []Slot

	Counters64      bool // UDP sequence numbers of 64 bits
	GetServerOutput bool // ask for what the server printed
	Title           string

	// Trace keeps, for each UDP stream that the client receives, this many
	// packets at most, in order of arrival.
	Trace int
}

// A Slot is one stream's turn in a ladder.
type Slot struct {
	Rate     int64 // bit/s of payload
	Duration time.Duration
}

// slot tells when the nth stream may send, since the test's start, and how
// fast; without slots, that is all the time at the test's rate.
func (t *Test) slot(n int) (from, to time.Duration, rate int64) {
	if len(t.Slots) == 0 {
		return 0, math.MaxInt64, t.Rate
	}
	for _, s := range t.Slots[:n] {
		from += s.Duration
	}
	return from, from + t.Slots[n].Duration, t.Slots[n].Rate
}

// withDefaults fills in what is zero and checks the rest.
func (t Test) withDefaults() (Test, error) {
	if t.Duration == 0 && t.Bytes == 0 && t.Blocks == 0 {
		t.Duration = defaultDuration
	}
	return t.complete()
}

// complete does so but for the end of the test: without any, the test lasts
// until its client ends it.
func (t Test) complete() (Test, error) {
	if t.Protocol == "" {
		t.Protocol = TCP
	}
	if t.Streams == 0 {
		t.Streams = max(1, len(t.Slots))
	}
	if t.PacingTimer == 0 {
		t.PacingTimer = DefaultPacingTimer
	}
	// The wire carries whole seconds, and both sides must omit the same.
	if rest := t.Omit % time.Second; rest > 0 {
		t.Omit += time.Second - rest
	}
	if t.Length == 0 && t.Protocol == TCP {
		t.Length = defaultTCPLength
	}
	return t, t.check()
}

// check reports what no iperf3 accepts. A Length of zero is allowed for UDP:
// the client fills it in from the path's MSS.
func (t *Test) check() error {
	var ends int
	for _, set := range []bool{t.Duration != 0, t.Bytes != 0, t.Blocks != 0} {
		if set {
			ends++
		}
	}
	switch {
	case t.Protocol != TCP && t.Protocol != UDP:
		return fmt.Errorf("protocol %q: neither tcp nor udp", t.Protocol)
	case t.Reverse && t.Bidirectional:
		return errors.New("a test is either reverse or bidirectional")
	case ends > 1:
		return errors.New("a test ends after a duration, a number of bytes or a number of blocks: set one")
	case outside(t.Duration, 0, maxDuration):
		return fmt.Errorf("duration %v: outside 0 to %v", t.Duration, maxDuration)
	case outside(t.Omit, 0, maxOmit):
		return fmt.Errorf("omit %v: outside 0 to %v", t.Omit, maxOmit)
	case outside(t.Streams, 1, maxStreams):
		return fmt.Errorf("%d streams: outside 1 to %d", t.Streams, maxStreams)
	case t.AtOnce && (t.Protocol != TCP || t.Bidirectional):
		return errors.New("streams are opened at once in a TCP test in one direction: others are told apart by their order")
	case len(t.Slots) > 0 && (t.Protocol != UDP || t.Reverse || t.Bidirectional || t.Streams != len(t.Slots)):
		return errors.New("slots are for the streams of a UDP test that the client sends, one each")
	case slices.ContainsFunc(t.Slots, func(s Slot) bool { return s.Rate <= 0 || s.Duration <= 0 }):
		return errors.New("a slot needs a rate and a duration")
	case t.Bytes < 0 || t.Blocks < 0 || t.Rate < 0 || t.Trace < 0:
		return errors.New("a number of bytes, blocks or packets, or a rate, is negative")
	case t.Protocol == TCP && outside(t.Length, 1, maxLength):
		return fmt.Errorf("length %d bytes: outside 1 to %d", t.Length, maxLength)
	case t.Protocol == UDP && t.Length != 0 && outside(t.Length, minUDPLength, maxUDPLength):
		return fmt.Errorf("datagrams of %d bytes: outside %d to %d", t.Length, minUDPLength, maxUDPLength)
	case outside(t.Window, 0, maxWindow):
		return fmt.Errorf("window %d bytes: outside 0 to %d", t.Window, maxWindow)
	case outside(t.MSS, 0, maxMSS):
		return fmt.Errorf("MSS %d bytes: outside 0 to %d", t.MSS, maxMSS)
	case slices.ContainsFunc(t.Segments, func(n int) bool { return n != 0 && outside(n, minSegment, maxMSS) }):
		return fmt.Errorf("segments of %v bytes: outside %d to %d", t.Segments, minSegment, maxMSS)
	case outside(t.TOS, 0, 255):
		return fmt.Errorf("type of service %d: outside 0 to 255", t.TOS)
	case outside(t.PacingTimer, time.Microsecond, time.Minute):
		return fmt.Errorf("pacing timer %v: outside 1µs to 1m", t.PacingTimer)
	case len(t.Congestion) > maxCongestion:
		return fmt.Errorf("congestion control %q: a name has at most %d characters", t.Congestion, maxCongestion)
	case slices.ContainsFunc(t.Congestions, func(name string) bool { return len(name) > maxCongestion }):
		return fmt.Errorf("congestion controls %q: a name has at most %d characters", t.Congestions, maxCongestion)
	case len(t.Congestions) > 0 && (t.Protocol != TCP || t.Reverse || t.Bidirectional || t.Congestion != "" || t.Streams != len(t.Congestions)):
		return errors.New("a congestion control for each stream is for a TCP test that the client alone sends, with as many streams")
	case len(t.Title) > wire.MaxTitle:
		return fmt.Errorf("title of %d bytes: at most %d", len(t.Title), wire.MaxTitle)
	}
	return nil
}

func outside[T int | int64 | time.Duration](v, low, high T) bool { return v < low || v > high }

// limit returns the bytes after which the test ends, or 0 where time ends it.
// Of UDP they are whole datagrams.
func (t *Test) limit() int64 {
	length := int64(t.Length)
	switch {
	case t.Blocks > 0:
		return t.Blocks * length
	case t.Protocol == UDP:
		return (t.Bytes + length - 1) / length * length
	}
	return t.Bytes
}

// A role is the side of a test that this process plays.
type role int

const (
	clientRole role = iota
	serverRole
)

// congestion names the algorithm that the client asks its nth socket for.
func (t *Test) congestion(n int) string {
	if len(t.Congestions) > 0 {
		return t.Congestions[n]
	}
	return t.Congestion
}

// segment is the bound of the client's nth socket, 0 for none.
func (t *Test) segment(n int) int {
	if len(t.Segments) == 0 {
		return t.MSS
	}
	return t.Segments[min(n, len(t.Segments)-1)]
}

// directions lists the streams of one side in the order of their connections:
// true where that side sends. Of a bidirectional test the client's sending
// streams come first.
func (t *Test) directions(r role) []bool {
	clientSends := !t.Reverse
	sends := make([]bool, 0, 2*t.Streams)
	for range t.Streams {
		sends = append(sends, clientSends == (r == clientRole))
	}
	if t.Bidirectional {
		for range t.Streams {
			sends = append(sends, r == serverRole)
		}
	}
	return sends
}

// streamID gives the number of the nth stream: 1, 3, 4, 5, …, as every
// iperf3 since 3.0 counts.
func streamID(n int) int {
	if n == 0 {
		return 1
	}
	return n + 2
}
