package view

import (
	"unchoke/internal/diagnose/seen"
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
func (v *View) busySlots(t *record.Transfer) []busySlot {
	e, full := v.Run.Echo(t.Name), v.FullQueue()
	if e == nil || !seen.Sampled(t) || v.Idle.N == 0 || v.Idle.Dev > JitterOfRTT*v.Idle.Mid {
		return nil
	}
	stands := v.Idle.Low + max(standsAt*(full-v.Idle.Low), v.few(), 4*v.Idle.Dev, seen.LeastSwaySeconds)
	if stands >= full {
		return nil
	}
	var out []busySlot
	width := max(2*full, leastSlot)
	for at := width; at+width <= t.Duration; at += width {
		rtt := seen.LeastRTT(e, at+t.Started-e.Started, width)
		if rtt < stands {
			continue
		}
		bits := 0.0
		for _, s := range t.Series {
			bits += 8 * (seen.Came(s, at+width, v.MSS) - seen.Came(s, at, v.MSS))
		}
		out = append(out, busySlot{width, bits / width, rtt})
	}
	return out
}

// leastSlot in seconds: five echo probes.
const leastSlot = 0.1
