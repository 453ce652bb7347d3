package tunnels

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/flow"
)

// outerBeside reads the connection to the relay beside what ran in so many
// seconds from started on.
func outerBeside(v *view.View, started, duration float64) seen.OuterTCP {
	return seen.OuterOf(flow.Span{From: started, To: started + duration}, v.Run.Route.Tunnel.Relay, testsBegin(v))
}

// testsBegin is when the first transfer of the run began.
func testsBegin(v *view.View) float64 {
	begin := v.One.Started
	for _, t := range v.Run.Transfers {
		begin = min(begin, t.Started)
	}
	return begin
}

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
func relayQueue(v *view.View) (insideQueue, bool) {
	loads := []insideQueue{
		{v.One.Started, v.One.Duration, v.Loaded, 0.9},
		{v.One.Started, v.One.Duration, v.Ending, 0.86},
	}
	if v.Eight != nil {
		loads = append(loads, insideQueue{v.Eight.Started, v.Eight.Duration, v.Busier, 0.8})
	}
	for _, r := range v.Overloads() {
		// Beneath a flood of a fifth of a second the relay's TCP has no time to
		// grow: it may still fill the path.
		loads = append(loads, insideQueue{r.Start, r.Duration, r.Spread, 0.6})
	}
	for _, q := range loads {
		outer := outerBeside(v, q.started, q.duration)
		rise := q.inside.Mid - v.Idle.Mid
		if !outer.Known || q.inside.N == 0 || rise < max(clearRise, view.QueueRise*v.Idle.Mid, 4*v.Idle.Noise()) {
			continue
		}
		if max(outer.RTT-outer.Idle, 0) < rise/2 {
			return q, true
		}
	}
	return insideQueue{}, false
}

// relayCost is what shows that a relay holds a stream back.
type relayCost struct {
	Outer seen.OuterTCP // the connection to the relay meanwhile
	Lost  float64       // share that the relay's TCP lost, of what it carried
	Loses bool          // whether it lost any
	Under flow.Spread   // RTT under load, inside
	Bloat bool          // a queue is a long one, wherever it stands
	// stands is how sure it is that a queue stands inside the tunnel and not on
	// the way of the relay's TCP, 0 where it does not.
	Stands float64
}

// costOf is what shows of the relay beside the one stream, or beside the transfer that
// a relay carried where the stream went directly.
func costOf(v *view.View) relayCost {
	stream := v.One
	if v.Carrier.Later != nil {
		stream = v.Carrier.Later
	}
	c := relayCost{Outer: outerBeside(v, stream.Started, stream.Duration), Under: v.Loaded}
	c.Lost, c.Loses = c.Outer.Loses(v.Dir)
	if _, under, _, found := v.Standing(); found {
		c.Bloat, c.Under = true, under
	}
	if q, found := relayQueue(v); found {
		c.Stands, c.Under = q.sure, q.inside
	}
	return c
}
