// Package watch looks at every TCP connection of a host, once an interval, and
// says what it sees as a live.Snapshot.
//
// The kernel lists the connections that exist (sock_diag), and tells of each one
// that ends (the destroy groups), so that those that live between two looks are
// seen too. Both work without root. Whose a connection is is looked up beside
// the sampling (package owner); what it did lately is kept by package
// flow/lately.
package watch

import (
	"fmt"
	"time"

	"unchoke/internal/linux/sockdiag"
)

// Options say what to watch, and how often.
type Options struct {
	// Interval is the time between two looks, from Shortest to Longest; 0 is
	// Usual. Where the host cannot keep up it grows, and a note says so.
	Interval time.Duration
	// Netns is the network namespace to watch: a name as ip netns has it, a file,
	// or a process's number; empty is that of the calling thread.
	Netns string
	// Match leaves out what it does not hold for, within the kernel.
	Match sockdiag.Match
}

// Intervals that may be asked for, and the usual one.
const (
	Shortest = 100 * time.Millisecond
	Longest  = 10 * time.Second
	Usual    = time.Second
)

func (o Options) interval() (time.Duration, error) {
	switch {
	case o.Interval == 0:
		return Usual, nil
	case o.Interval < Shortest || o.Interval > Longest:
		return 0, fmt.Errorf("watch every %v: it may be from %v to %v", o.Interval, Shortest, Longest)
	}
	return o.Interval, nil
}
