package seen

import (
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// OuterTCP is what the connection to the relay did while a stream ran.
type OuterTCP struct {
	Known  bool        // whether anybody looked
	losses flow.Losses // of what this host sent in it
	// overtaken is the share of segments that came out of order where this host
	// received: what the relay lost on its way here makes the later ones early.
	overtaken float64
	// RTT is its own then, and Idle before any test; the least ever, where
	// nobody looked so early. Where delay varies the least lies far below both.
	RTT, Idle float64
}

// OuterOf reads the connection to the relay in a span of the run. tests is when
// the first test began.
func OuterOf(during flow.Span, relay *record.Relay, tests float64) OuterTCP {
	if relay == nil || relay.TCP == nil {
		return OuterTCP{}
	}
	during.From, during.To = during.From-1, during.To+1 // asked once a second
	var seen []record.Sample
	var rtts, before []float64
	for _, x := range relay.TCP.Samples {
		if x.At >= during.From && x.At < during.To {
			seen = append(seen, x)
			rtts = append(rtts, x.Info.RTT.Seconds())
		}
		if x.At < tests {
			before = append(before, x.Info.RTT.Seconds())
		}
	}
	if len(seen) < 2 {
		return OuterTCP{}
	}
	first, last := seen[0].Info, seen[len(seen)-1].Info
	o := OuterTCP{Known: true, losses: flow.LossesBetween(first, last), RTT: flow.SpreadOf(rtts).Mid, Idle: last.MinRTT.Seconds()}
	if len(before) > 0 {
		o.Idle = flow.SpreadOf(before).Mid
	}
	if n := last.DataSegsIn - first.DataSegsIn; n > 0 {
		o.overtaken = float64(last.RcvOOOPack-first.RcvOOOPack) / float64(n)
	}
	return o
}

// Loses says that the relay's TCP lost packets in this direction, and how many
// of all. Losses of its own making, at a queue that it had filled, are not
// counted: its RTT tells.
func (o OuterTCP) Loses(d record.Direction) (share float64, ok bool) {
	if !o.Known || o.RTT > queuedRTT*o.Idle {
		return 0, false
	}
	share = o.overtaken
	if d == record.Up {
		share = o.losses.RealRatio()
	}
	return share, share > 0
}
