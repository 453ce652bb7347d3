package tunnels

import (
	"fmt"
	"strings"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// relaySure is how sure the evidence makes; found is false where there is none.
func relaySure(c relayCost, v *view.View) (confidence float64, found bool) {
	switch {
	case v.Carrier.Slower():
		return 0.95, true
	case c.Stands > relayLossSure:
		return c.Stands, true
	case c.Loses:
		return relayLossSure, true
	case v.Slow():
		return 0.8, true
	case c.Stands > 0:
		return c.Stands, true
	case c.Bloat && !c.Outer.Known && !v.Run.Route.Tunnel.Relay.Datagrams():
		return 0.75, true // the queue may also be the path's own
	}
	return 0, false
}

// Relayed: a third host carries the tunnel's packets, and the stream suffers
// for it. It does where a queue stands inside the tunnel that is not on the way
// beneath, where the relay's own TCP loses packets, or where the stream is slow
// for another reason that is the relay's to fix; where the path changed under
// the stream, its two parts tell.
//
// It is the whole diagnosis of its direction: what loss, delay and order look
// like inside a relayed tunnel is the relay's doing and not the path's.
func Relayed(v *view.View) *finding.Finding {
	if v.Carrier.Relayed < view.RelayedShare && !v.Carrier.Slower() {
		return nil
	}
	cost := costOf(v)
	confidence, found := relaySure(cost, v)
	if !found {
		return nil // it carries what the path can, or what fills the path beneath
	}
	return &finding.Finding{
		Cause: finding.Relayed, Confidence: confidence, Severity: 0.9,
		Summary:  relayWords(v, cost),
		Evidence: relayEvidence(v, cost),
		Remedies: DirectRemedies(v),
	}
}

// relayLossSure is the confidence by losses of the relay's TCP.
const relayLossSure = 0.85

func relayEvidence(v *view.View, c relayCost) []finding.Evidence {
	t := v.Run.Route.Tunnel
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
		{What: "of its time through the relay", Value: v.Carrier.Relayed, Unit: finding.Ratio},
		{What: "RTT idle", Value: v.Idle.Mid, Unit: finding.Seconds},
		{What: "RTT under load", Value: c.Under.Mid, Unit: finding.Seconds},
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
	add("RTT of the TCP to the relay, meanwhile", c.Outer.RTT, finding.Seconds)
	if v.Dir == record.Up {
		add("resent by the TCP to the relay", c.Lost, finding.Ratio)
	} else {
		add("out of order in the TCP from the relay", c.Lost, finding.Ratio)
	}
	add("while relayed", v.Carrier.Relay, finding.BitRate)
	add("while direct", v.Carrier.Direct, finding.BitRate)
	return e
}

// relayWords says what the relay is, what it costs and why there is no direct
// path.
func relayWords(v *view.View, c relayCost) string {
	t := v.Run.Route.Tunnel
	var b strings.Builder
	switch later := v.Carrier.Later; {
	case later != nil:
		fmt.Fprintf(&b, "The %s tunnel's path to %s changed during the test: one stream carried %s directly, and later %d streams together only %s through %s.",
			t.Kind, peerName(t), words.Rate(v.Carrier.Direct), later.Streams, words.Rate(v.Carrier.Relay), relayName(t))
	case v.Carrier.Slower():
		fmt.Fprintf(&b, "The %s tunnel's path to %s changed under the stream: it carried %s through %s, for %s of its time, and %s directly.",
			t.Kind, peerName(t), words.Rate(v.Carrier.Relay), relayName(t), words.Percent(v.Carrier.Relayed), words.Rate(v.Carrier.Direct))
	default:
		fmt.Fprintf(&b, "The %s tunnel goes through %s and not directly to %s: one stream carries %s, and the round trip takes %s idle and %s under load.",
			t.Kind, relayName(t), peerName(t), words.Rate(v.Rate), words.Duration(v.Idle.Mid), words.Duration(c.Under.Mid))
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
