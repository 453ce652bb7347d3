package diagnose

import (
	"fmt"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// relayed: a third host carries the tunnel's packets, and the stream suffers
// for it. It does where a queue stands inside the tunnel that is not on the way
// beneath, where the relay's own TCP loses packets, or where the stream is slow
// for another reason that is the relay's to mend; where the path changed under
// the stream, its two parts tell.
//
// It is the whole diagnosis of its direction: what loss, delay and order look
// like inside a relayed tunnel is the relay's doing and not the path's.
func relayed(v *view) *finding.Finding {
	if v.carrier.relayed < relayedShare && !v.carrier.slower() {
		return nil
	}
	cost := v.relayCost()
	confidence, found := cost.confidence(v)
	if !found {
		return nil // it carries what the path can, or what fills the path beneath
	}
	return &finding.Finding{
		Cause: finding.Relayed, Confidence: confidence, Severity: 0.9,
		Summary:  v.relayWords(cost),
		Evidence: v.relayEvidence(cost),
		Remedies: v.directRemedies(),
	}
}

// relayCost is what shows that a relay holds a stream back.
type relayCost struct {
	outer outerTCP    // the connection to the relay meanwhile
	lost  float64     // share that the relay's TCP lost, of what it carried
	loses bool        // whether it lost any
	under flow.Spread // RTT under load, inside
	bloat bool        // a queue is a long one, wherever it stands
	// stands is how sure it is that a queue stands inside the tunnel and not on
	// the way of the relay's TCP, 0 where it does not.
	stands float64
}

// relayCost is what shows of the relay beside the one stream, or beside the transfer that
// a relay carried where the stream went directly.
func (v *view) relayCost() relayCost {
	stream := v.one
	if v.carrier.later != nil {
		stream = v.carrier.later
	}
	c := relayCost{outer: v.outerBeside(stream.Started, stream.Duration), under: v.loaded}
	c.lost, c.loses = c.outer.loses(v.dir)
	if _, under, _, found := v.standing(); found {
		c.bloat, c.under = true, under
	}
	if q, found := v.relayQueue(); found {
		c.stands, c.under = q.sure, q.inside
	}
	return c
}

// testsBegin is when the first transfer of the run began.
func (v *view) testsBegin() float64 {
	begin := v.one.Started
	for _, t := range v.run.Transfers {
		begin = min(begin, t.Started)
	}
	return begin
}

// confidence is how sure the evidence makes; found is false where there is none.
func (c relayCost) confidence(v *view) (confidence float64, found bool) {
	switch {
	case v.carrier.slower():
		return 0.95, true
	case c.stands > relayLossSure:
		return c.stands, true
	case c.loses:
		return relayLossSure, true
	case v.slow():
		return 0.8, true
	case c.stands > 0:
		return c.stands, true
	case c.bloat && !c.outer.known && !v.run.Route.Tunnel.Relay.Datagrams():
		return 0.75, true // the queue may also be the path's own
	}
	return 0, false
}

// relayLossSure is the confidence by losses of the relay's TCP.
const relayLossSure = 0.85

func (v *view) relayEvidence(c relayCost) []finding.Evidence {
	t := v.run.Route.Tunnel
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
		{What: "of its time through the relay", Value: v.carrier.relayed, Unit: finding.Ratio},
		{What: "RTT idle", Value: v.idle.Mid, Unit: finding.Seconds},
		{What: "RTT under load", Value: c.under.Mid, Unit: finding.Seconds},
	}
	add := func(what string, value float64, unit finding.Unit) {
		if value > 0 {
			e = append(e, finding.Evidence{What: what, Value: value, Unit: unit})
		}
	}
	if t.Direct != nil {
		add("RTT to the peer without the tunnel", t.Direct.RTT, finding.Seconds)
	}
	if t.Relayed && t.Underlay != nil {
		add("RTT to the relay without the tunnel", t.Underlay.RTT, finding.Seconds)
	}
	add("RTT of the TCP to the relay, meanwhile", c.outer.rtt, finding.Seconds)
	if v.dir == record.Up {
		add("resent by the TCP to the relay", c.lost, finding.Ratio)
	} else {
		add("out of order in the TCP from the relay", c.lost, finding.Ratio)
	}
	add("while relayed", v.carrier.relay, finding.BitRate)
	add("while direct", v.carrier.direct, finding.BitRate)
	return e
}

// relayWords says what the relay is, what it costs and why there is no direct
// path.
func (v *view) relayWords(c relayCost) string {
	t := v.run.Route.Tunnel
	var b strings.Builder
	switch later := v.carrier.later; {
	case later != nil:
		fmt.Fprintf(&b, "The %s tunnel's path to %s changed during the test: one stream carried %s directly, and later %d streams together only %s through %s.",
			t.Kind, peerName(t), rate(v.carrier.direct), later.Streams, rate(v.carrier.relay), relayName(t))
	case v.carrier.slower():
		fmt.Fprintf(&b, "The %s tunnel's path to %s changed under the stream: it carried %s through %s, for %s of its time, and %s directly.",
			t.Kind, peerName(t), rate(v.carrier.relay), relayName(t), percent(v.carrier.relayed), rate(v.carrier.direct))
	default:
		fmt.Fprintf(&b, "The %s tunnel goes through %s and not directly to %s: one stream carries %s, and the round trip takes %s idle and %s under load.",
			t.Kind, relayName(t), peerName(t), rate(v.rate), duration(v.idle.Mid), duration(c.under.Mid))
	}
	if t.Relay != nil && t.Relay.Transport == "tcp" {
		b.WriteString(" To the relay the packets travel in a TCP connection (TCP over TCP): it holds all of them back for one that was lost, and the stream inside sees a long queue in place of the path.")
	}
	if why := noDirect(t.Direct); why != "" {
		b.WriteString(" " + why)
	}
	return b.String()
}

func relayName(t record.Tunnel) string {
	r := t.Relay
	switch {
	case r == nil:
		return "a relay"
	case t.Kind == "tailscale" && r.Name != "":
		return fmt.Sprintf("the DERP relay %q", r.Name)
	case r.Name != "":
		return fmt.Sprintf("the relay %q", r.Name)
	}
	return "the relay at " + r.Address
}

func peerName(t record.Tunnel) string {
	if t.Peer == "" {
		return "its peer"
	}
	return t.Peer
}
