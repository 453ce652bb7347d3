package twin

import (
	"fmt"
	"strings"

	"unchoke/internal/record"
)

// interruptions are the times in which nothing came through, as the echoes tell
// that ran on the idle path and beside TCP. A path that comes and goes is none
// that a fit knows: when it goes is chance, and a check is too short to tell
// how often.
func interruptions(r *record.Run) []string {
	var out []string
	for _, e := range r.Echoes {
		if strings.HasPrefix(e.Name, "udp") {
			continue // above the ceiling a full queue drops them too
		}
		n := 0
		for i, p := range e.Probes {
			if p.RTT > 0 {
				n = 0
				continue
			}
			n++
			last := i == len(e.Probes)-1 || e.Probes[i+1].RTT > 0
			// The last probes of a series may have had no time to return.
			if from := e.Probes[i-n+1]; last && i < len(e.Probes)-1 && n >= leastUnanswered && p.At-from.At >= leastInterruption && !came(r, e.Started+from.At, e.Started+p.At) {
				out = append(out, fmt.Sprintf("nothing came through for %.2g s at %.3g s", p.At-from.At, e.Started+from.At))
			}
		}
	}
	return out
}

// came says that a TCP stream got on amid a span of a run, both ends in seconds:
// then it is the echoes that were dropped, by a queue that was full. What came
// within a round trip of the span's begin was under way before.
func came(r *record.Run, from, to float64) bool {
	quarter, rtt := (to-from)/4, 0.0
	if idle := r.Echo("idle"); idle != nil {
		for _, p := range idle.Probes {
			rtt = max(rtt, p.RTT)
		}
	}
	for i := range r.Transfers {
		t := &r.Transfers[i]
		if t.Protocol != record.TCP {
			continue
		}
		begin := 0.0
		for _, x := range t.Intervals {
			if t.Started+begin >= from+quarter+rtt && t.Started+x.At <= to-quarter && x.Bytes > 0 {
				return true
			}
			begin = x.At
		}
	}
	return false
}

// So many echoes in a row are not lost by chance: at 30 % loss each way, once
// in a thousand.
const (
	leastUnanswered   = 10
	leastInterruption = 0.15 // s
)
