// Package flow says what one TCP connection did, from a series of its TCP_INFO:
// what arrived, what limited the sender, what was lost, how the round trip
// rose, when nothing moved. Whoever took the series — a check, a live socket, a
// run of the lab, an archive — the answers are the same. It is pure.
//
// Times are in seconds since the series began, rates are goodput in bit/s,
// shares are of 1. A series is seen from one end: where Sender is set it is the
// sender's TCP_INFO, else the receiver's, which knows neither windows nor
// losses of the other end.
package flow

import (
	"math"

	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// Span is a part of a series: samples at From and later, before To.
type Span struct{ From, To float64 }

// All is the whole series, From from on to its end.
var All = Since(0)

// Since is the series from a time on.
func Since(from float64) Span { return Span{from, math.Inf(1)} }

// Timeouts counts the retransmission timeouts between two looks at a sender;
// -1 where the kernel does not tell.
func Timeouts(first, last tcpinfo.Info) int {
	if !last.Has(tcpinfo.FieldTotalRTO) {
		return -1
	}
	return int(last.TotalRTO - first.TotalRTO)
}

// ends returns the samples between which a counter is read over a span: the
// first at or after its beginning, or the connection's beginning (all counters
// 0) for a span that begins with it, and the last before its end.
func ends(s record.Series, in Span) (first, last record.Sample, ok bool) {
	if in.From <= 0 {
		first, ok = record.Sample{}, true
	}
	seen := false
	for _, x := range s.Samples {
		if x.At < in.From || x.At >= in.To {
			continue
		}
		if !ok {
			first, ok = x, true
		}
		last, seen = x, true
	}
	return first, last, ok && seen && last.At > first.At
}

// Final is the last sample, or nil where there is none.
func Final(s record.Series) *record.Sample {
	if n := len(s.Samples); n > 0 {
		return &s.Samples[n-1]
	}
	return nil
}

// At is the first sample at or after a time, the last where none is that late,
// nil where there is none at all.
func At(s record.Series, at float64) *record.Sample {
	for i := range s.Samples {
		if s.Samples[i].At >= at {
			return &s.Samples[i]
		}
	}
	return Final(s)
}

// Sending returns the first series of a test's sender that holds samples, by
// whichever end gave it; ok is false where neither did.
func Sending(t *record.Transfer) (s record.Series, ok bool) {
	all := SendingAll(t)
	if len(all) == 0 {
		return record.Series{Sender: true}, false
	}
	return all[0], true
}

// SendingAll is all of them, a stream each.
func SendingAll(t *record.Transfer) []record.Series {
	var out []record.Series
	for _, side := range []*record.Transfer{t, t.FarSide} {
		if side == nil || len(out) > 0 {
			continue
		}
		for _, s := range side.Series {
			if s.Sender && len(s.Samples) > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}

// Seen returns the first series of an end that holds samples; ok is false
// where that end was not observed.
func Seen(all []record.Series, sender bool) (s record.Series, ok bool) {
	for _, s := range all {
		if s.Sender == sender && len(s.Samples) > 0 {
			return s, true
		}
	}
	return record.Series{Sender: sender}, false
}
