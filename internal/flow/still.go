package flow

import "unchoke/internal/record"

// StoodStill says that not one full segment of a TCP transfer arrived in more
// than a second, although its sender had data: whatever is small enough may
// have. It is what a path does on which large packets vanish, among others.
func StoodStill(t *record.Transfer) bool {
	if t.Protocol != record.TCP || t.Duration < 1 || len(t.Series) == 0 {
		return false
	}
	for _, s := range t.Series {
		last := Final(s)
		if last == nil || Arrived(s, last.At) > leastSegment {
			return false
		}
	}
	return true
}

// leastSegment is the MSS that every host takes (RFC 9293 §3.7.1). iperf3's own
// first message on a stream has 37 bytes.
const leastSegment = 536
