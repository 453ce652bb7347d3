package flow

import "unchoke/internal/record"

// Arrived is how many of the stream's bytes had reached their receiver at a
// time, interpolated between samples. A sender's count is of bytes
// acknowledged where TCP_INFO has it: what it wrote into its buffer has not
// arrived anywhere.
func Arrived(s record.Series, at float64) float64 { return between(s, at, arrived) }

// between is a count of a stream's at a time, interpolated between samples.
func between(s record.Series, at float64, count func(record.Series, record.Sample) float64) float64 {
	var before record.Sample
	for _, x := range s.Samples {
		if x.At >= at {
			span := x.At - before.At
			if span <= 0 {
				return count(s, x)
			}
			share := (at - before.At) / span
			return count(s, before) + share*(count(s, x)-count(s, before))
		}
		before = x
	}
	return count(s, before)
}

func arrived(s record.Series, x record.Sample) float64 {
	if s.Sender && x.Info.BytesAcked > 0 {
		return float64(x.Info.BytesAcked)
	}
	return float64(x.Bytes)
}

// Rate is the goodput of all streams together over a span, up to the last
// sample; 0 for an empty one.
func Rate(all []record.Series, in Span) float64 {
	to, bytes := 0.0, 0.0
	for _, s := range all {
		if last := Final(s); last != nil {
			to = max(to, last.At)
		}
	}
	to = min(in.To, to)
	if to <= in.From {
		return 0
	}
	for _, s := range all {
		bytes += Arrived(s, to) - Arrived(s, in.From)
	}
	return bytes * 8 / (to - in.From)
}

// Slices is how many intervals a transfer is cut into.
const Slices = 48

// Intervals cuts the first so many seconds into n equal slices and says how
// much of all streams arrived in each.
func Intervals(all []record.Series, duration float64, n int) []record.Interval {
	if duration <= 0 || len(all) == 0 {
		return nil
	}
	out := make([]record.Interval, n)
	width := duration / float64(n)
	for _, s := range all {
		before := 0.0
		for i := range out {
			now := Arrived(s, width*float64(i+1))
			out[i].Bytes += int64(now - before)
			before = now
		}
	}
	for i := range out {
		out[i].At = width * float64(i+1)
		out[i].Rate = float64(out[i].Bytes) * 8 / width
	}
	return out
}

// Goodput gives a transfer's mean rate between two shares of its duration:
// record.Transfer's method of that name.
type Goodput func(from, to float64) float64

// Growing says that the last quarter carried a tenth more than the one before
// it, one flight of packets aside: a quarter that holds few round trips may
// hold one more or less. rtt and duration are in seconds.
func (g Goodput) Growing(rtt, duration float64) bool {
	third, last := g(0.5, 0.75), g(0.75, 1)
	return third > 0 && last > third*(1.1+1.5*rtt/(duration/4))
}

// SegmentSize is the payload of the streams' full segments in bytes; 0 where
// TCP_INFO does not tell. A sender's is known at once. A receiver's is an estimate, the
// largest that it has seen: Linux begins with 536 bytes at the most, the least of any
// network (RFC 9293 §3.7.1), whatever the path's is.
func SegmentSize(all []record.Series) int {
	const leastMSS = 500
	seen := uint32(0)
	for _, s := range all {
		for _, x := range s.Samples {
			switch {
			case s.Sender && x.Info.SndMSS >= leastMSS:
				return int(x.Info.SndMSS)
			case !s.Sender && x.Info.RcvMSS >= leastMSS && x.Info.BytesReceived > 0:
				seen = max(seen, x.Info.RcvMSS)
			}
		}
	}
	return int(seen)
}
