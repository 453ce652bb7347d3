package record

// Echo returns the series of that name, or nil.
func (r *Run) Echo(name string) *Echo {
	for i := range r.Echoes {
		if r.Echoes[i].Name == name {
			return &r.Echoes[i]
		}
	}
	return nil
}

// Goodput is the mean rate in bit/s between two shares of the transfer's
// duration, from its intervals: Goodput(0.5, 1) is the second half's. It is 0
// where no interval lies there.
func (t *Transfer) Goodput(from, to float64) float64 {
	var bytes int64
	var time, begin float64
	for _, i := range t.Intervals {
		middle := (begin + i.At) / 2
		if middle >= from*t.Duration && middle < to*t.Duration {
			bytes += i.Bytes
			time += i.At - begin
		}
		begin = i.At
	}
	if time == 0 {
		return 0
	}
	return float64(bytes) * 8 / time
}

// SegmentSize is the payload of the transfer's full TCP segments in bytes, as
// this host's TCP_INFO has it; 0 where it does not tell. A receiver's estimate
// begins lower than any network's (RFC 9293 §3.7.1 has 536 as the least).
func (t *Transfer) SegmentSize() int {
	const leastMSS = 500
	for _, s := range t.Series {
		for _, x := range s.Samples {
			size := x.Info.RcvMSS
			if s.Sender {
				size = x.Info.SndMSS
			}
			if size >= leastMSS {
				return int(size)
			}
		}
	}
	return 0
}

// ArrivedBy is how many of the stream's bytes had reached their receiver at a
// time in seconds since the transfer began, interpolated between samples. A
// sender's count is of bytes acknowledged where TCP_INFO has it: what it wrote
// into its buffer has not arrived anywhere.
func (s *Series) ArrivedBy(at float64) float64 {
	var before Sample
	for _, x := range s.Samples {
		if x.At >= at {
			span := x.At - before.At
			if span <= 0 {
				return s.arrived(x)
			}
			share := (at - before.At) / span
			return s.arrived(before) + share*(s.arrived(x)-s.arrived(before))
		}
		before = x
	}
	return s.arrived(before)
}

func (s *Series) arrived(x Sample) float64 {
	if s.Sender && x.Info.BytesAcked > 0 {
		return float64(x.Info.BytesAcked)
	}
	return float64(x.Bytes)
}
