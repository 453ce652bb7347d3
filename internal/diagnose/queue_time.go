package diagnose

import (
	"math"
	"slices"

	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// A busy slot is a piece of a TCP transfer in which a queue stood at the bottleneck
// all the time, by the echo probes that came back in it. The bottleneck then runs at
// its full rate, so that what did not come of our stream was others', or the rate
// itself was lower.
type busySlot struct {
	width float64 // seconds
	rate  float64 // bit/s of ours that arrived, in order or not
	rtt   float64 // least of the slot, seconds
}

// busySlots lists those of a transfer, of two round trips through a full queue each.
// None where nobody knows what arrived when or how long the queue gets, or the idle
// delay varies by itself: what looks like a queue may be jitter.
func (v *view) busySlots(t *record.Transfer) []busySlot {
	e, full := v.run.Echo(t.Name), v.fullQueue()
	if e == nil || !sampled(t) || v.idle.N == 0 || v.idle.Dev > jitterOfRTT*v.idle.Mid {
		return nil
	}
	stands := v.idle.Low + max(standsAt*(full-v.idle.Low), v.few(), 4*v.idle.Dev, leastSwaySeconds)
	if stands >= full {
		return nil
	}
	var out []busySlot
	width := max(2*full, leastSlot)
	for at := width; at+width <= t.Duration; at += width {
		rtt := leastRTT(e, at+t.Started-e.Started, width)
		if rtt < stands {
			continue
		}
		bits := 0.0
		for _, s := range t.Series {
			bits += 8 * (came(s, at+width, v.mss) - came(s, at, v.mss))
		}
		out = append(out, busySlot{width, bits / width, rtt})
	}
	return out
}

// sampled says that what arrived of each of a transfer's streams is known from
// moment to moment.
func sampled(t *record.Transfer) bool {
	return len(t.Series) == t.Streams && !slices.ContainsFunc(t.Series, func(s record.Series) bool { return len(s.Samples) < 2 })
}

// leastSlot in seconds: five echo probes.
const leastSlot = 0.1

// leastRTT is the least RTT of the probes that came back in a span; 0 where fewer
// than three did.
func leastRTT(e *record.Echo, at, width float64) float64 {
	n, least := 0, math.Inf(1)
	for _, p := range e.Probes {
		if back := p.At + p.RTT; p.RTT > 0 && back >= at && back < at+width {
			n, least = n+1, min(least, p.RTT)
		}
	}
	if n < 3 {
		return 0
	}
	return least
}

// came is how many bytes of a stream had reached its receiver by a time, in order
// or not, where the kernel counts that.
func came(s record.Series, at float64, mss int) float64 {
	i := 0
	for i < len(s.Samples) && s.Samples[i].At <= at {
		i++
	}
	if i == 0 {
		return 0
	}
	switch last := s.Samples[i-1].Info; {
	case s.Sender && last.Delivered > 0:
		return float64(last.Delivered) * float64(mss)
	case !s.Sender && last.DataSegsIn > 0:
		return float64(last.DataSegsIn) * float64(mss)
	}
	return flow.Arrived(s, at)
}
