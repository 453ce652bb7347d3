// Package follow looks at one TCP connection of this host, many times a second,
// for some seconds: its TCP_INFO and what its buffers hold. It sends nothing and
// takes no root. The kernel finds one connection by its ends, so that a look
// costs a few microseconds however many others there are.
package follow

import (
	"net/netip"
	"time"

	"unchoke/internal/record"
)

// Options say which connection, how often and for how long.
type Options struct {
	Local, Remote netip.AddrPort
	Device        string // that the socket is bound to; empty for none
	Cookie        uint64 // the kernel's, of the socket
	Interval, For time.Duration
	// Progress hears how much of the time is over, about ten times a second; nil
	// for nobody.
	Progress func(share float64)
}

// Seen is what the looks found. Times are in seconds since the first look, and
// Bytes counts what the peer acknowledged, or what arrived, since then.
type Seen struct {
	Begun   time.Time // the first look
	Samples []record.Sample
	Sends   bool   // more was acknowledged than arrived
	CC      string // as it was last
	Ended   bool   // the connection ended before the time was over
}

// Looks between two reports of progress are this far apart.
const progressEvery = 100 * time.Millisecond
