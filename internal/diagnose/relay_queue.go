package diagnose

import "unchoke/internal/flow"

// insideQueue is a queue that stands inside a relayed tunnel.
type insideQueue struct {
	started, duration float64     // of the load that it stood under
	inside            flow.Spread // RTT then, in the tunnel
	sure              float64     // that the relay is why
}

// relayQueue finds a queue that stands inside the tunnel and not on the way of
// the relay's own TCP beneath: what the relay takes in is less than what the way
// to it carries, whatever holds it (its TCP's window, a loss on its other leg,
// its own limit). One stream's is the surest. Eight streams or a flood of UDP
// meet the relay's end where one did not happen to: a TCP beneath that starts
// late or stands still for a while changes in a second what one stream meets.
func (v *view) relayQueue() (insideQueue, bool) {
	loads := []insideQueue{
		{v.one.Started, v.one.Duration, v.loaded, 0.9},
		{v.one.Started, v.one.Duration, v.ending, 0.86},
	}
	if v.eight != nil {
		loads = append(loads, insideQueue{v.eight.Started, v.eight.Duration, v.busier, 0.8})
	}
	for _, r := range v.overloads() {
		// Beneath a flood of a fifth of a second the relay's TCP has no time to
		// grow: it may still fill the path.
		loads = append(loads, insideQueue{r.start, r.duration, r.spread, 0.6})
	}
	for _, q := range loads {
		outer := v.outerBeside(q.started, q.duration)
		rise := q.inside.Mid - v.idle.Mid
		if !outer.known || q.inside.N == 0 || rise < max(clearRise, queueRise*v.idle.Mid, 4*v.idle.Noise()) {
			continue
		}
		if max(outer.rtt-outer.idle, 0) < rise/2 {
			return q, true
		}
	}
	return insideQueue{}, false
}
