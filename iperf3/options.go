package iperf3

import "unchoke/iperf3/internal/link"

// options are what the test asks of a data socket on which this side sends, or
// receives.
func (t *Test) options(sending bool) link.Options {
	return link.Options{
		Window: t.Window, MSS: t.MSS, TOS: t.TOS, Congestion: t.Congestion,
		Sending: sending, Stamps: t.Protocol == UDP && stamps(t),
	}
}

// stamps tells whether a receiver is to time each packet by the kernel's
// stamp: not where there are so many that taking them in aggregates matters
// more.
func stamps(t *Test) bool {
	const manyPackets = 50_000 // a second
	return t.Trace > 0 || t.Rate > 0 && t.Rate/8/int64(t.Length)*int64(t.Streams) <= manyPackets
}
