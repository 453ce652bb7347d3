package diagnose

import (
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// turns are what UDP and TCP did in turns at one rate.
type turns struct {
	rate   float64           // that both were offered, bit/s
	tcp    record.BesideTest // the last of TCP's turns
	udp    proportion        // lost of all UDP tests
	ends   float64           // the most that arrived of UDP, bit/s
	free   float64           // what one TCP stream carried without a bound, 0 where none ran
	freed  proportion        // what that stream lost
	freely float64           // for how long it ran, seconds
}

// worse finds a network that treats UDP worse than TCP: before and after a TCP
// stream at a rate, UDP at the same rate loses what the stream does not.
func worse(r *record.Run, d record.Direction, outside bool) (turns, bool) {
	t, beside := turns{}, r.BesideIn(d, outside)
	if beside == nil {
		return t, false
	}
	udpTests, tcpTests, least := 0, 0, int64(0)
	for _, x := range beside.Tests {
		switch {
		case x.Protocol == record.TCP && x.Offered == 0:
			t.free, t.freed, t.freely = x.Delivered, proportion{k: max(x.Lost, 0), n: x.Packets}, x.Duration
		case x.Protocol == record.TCP:
			t.tcp, t.rate = x, x.Offered
			tcpTests++
		default:
			if udpTests == 0 || x.Lost < least {
				least = x.Lost
			}
			t.udp.add(x.Lost, x.Packets)
			t.ends = max(t.ends, x.Delivered)
			udpTests++
		}
	}
	between := udpTests == 1 && t.free >= t.rate && t.capped() // one TCP stream before it, TCP's turn after it
	if tcpTests == 0 || udpTests < 2 && !between || least < leastLost || t.tcp.Lost < 0 {
		return t, false // not in turns, or not each time
	}
	lost := proportion{k: t.tcp.Lost, n: t.tcp.Packets}
	carried := t.tcp.Delivered >= carriedShare*t.rate
	if t.capped() {
		carried = t.tcp.Delivered > endsBelow*t.ends
	}
	if !carried && !t.capped() && t.free >= t.rate {
		// Its turn ended before it was up to speed. At its own it lost no more.
		lost.add(t.freed.k, t.freed.n)
		carried = true
	}
	return t, carried && t.udp.low() > lost.high()
}

// likewise is what UDP lost outside the tunnel, sent evenly at a rate at which TCP
// lost at least half as much in its turn: the path's loss, whatever is sent.
func likewise(r *record.Run, d record.Direction) (lost proportion) {
	b := r.BesideIn(d, true)
	if b == nil {
		return proportion{}
	}
	var tcp proportion
	for _, x := range b.Tests {
		switch {
		case x.Protocol != record.TCP:
			lost.add(x.Lost, x.Packets)
		case x.Offered > 0 && x.Lost >= 0:
			tcp.add(x.Lost, x.Packets)
		}
	}
	if lost.n == 0 || tcp.n == 0 || 2*tcp.mean() < lost.mean() {
		return proportion{}
	}
	return lost
}

// capped says that UDP ends at a rate; else a part of it is lost at any.
func (t turns) capped() bool { return t.udp.mean() > cappedLoss }

// leastLost packets are more than chance.
const leastLost = 3

// heldBack says that a tunnel over UDP suffers: outside it UDP is treated worse,
// and a TCP stream there carries clearly more than one inside.
func (v *view) heldBack() (turns, bool) {
	t, found := worse(v.run, v.dir, true)
	return t, found && v.freer(t)
}

// freer says that outside the tunnel one TCP stream carried clearly more than the
// one inside.
func (v *view) freer(t turns) bool { return t.free*tunnelShare > slowerBy*v.rate }

// udpThrottled: the network treats UDP worse than TCP, and the stream goes
// through a tunnel over UDP.
func udpThrottled(v *view) *finding.Finding {
	t, found := v.heldBack()
	if !found {
		return v.tunnelHeld(t)
	}
	tunnel := v.run.Route.Tunnel
	return &finding.Finding{
		Cause: finding.UDPThrottled, Confidence: 0.95, Severity: stats.Clamp(1-v.rate/(t.free*tunnelShare), 0, 1),
		Summary: fmt.Sprintf("The network treats UDP worse than TCP on its way %s, and the %s tunnel travels in UDP: outside it one TCP stream carries %s, inside %s. %s",
			v.dir, tunnel.Kind, rate(t.free), rate(v.rate), t.words()),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "one stream outside the tunnel carries", Value: t.free, Unit: finding.BitRate},
		}, t.evidence()...),
		Remedies: v.throttleRemedies(t),
	}
}

// withOutside lowers the confidence of a finding that rests on what the tunnel's
// packets met where nobody asked how TCP fares outside the tunnel: a network that
// treats UDP worse looks the same from inside, the more so where it does the
// other way.
func (v *view) withOutside(f finding.Finding) finding.Finding {
	byLoss := f.Cause == finding.LossLimited || f.Cause == finding.Policed || f.Cause == finding.ShallowBuffer
	if !byLoss || len(v.out.all) > 0 {
		return f
	}
	if carriedOutside(v.run.BesideIn(v.dir, true)) {
		if t, _ := worse(v.run, v.dir, true); v.faresBetter(t) {
			f.Confidence = min(f.Confidence, freerMost)
			f.Summary += fmt.Sprintf(" But outside the tunnel one TCP stream carried %s a little later: what is lost inside, the network may do to UDP alone, or it comes and goes.", unit.HumanRate(t.free))
		}
		return f
	}
	if _, other := worse(v.run, v.dir.Opposite(), true); other {
		f.Confidence = min(f.Confidence, oneWayMost)
		f.Summary += " Outside the tunnel the other way treats UDP worse than TCP; of this one that is not known."
	} else if v.run.Route.Tunnel.OverUDP() {
		f.Confidence = min(f.Confidence, unseenMost)
		f.Summary += " Whether the network does so to TCP as well, outside the tunnel, was not measured."
	}
	return f
}

// carriedOutside says that anything came through outside the tunnel: where nothing
// did, as where large packets vanish there, nothing is known of it.
func carriedOutside(b *record.Beside) bool {
	return b != nil && slices.ContainsFunc(b.Tests, func(t record.BesideTest) bool { return t.Delivered > 0 })
}

// faresBetter says that one TCP stream outside the tunnel carried clearly more than
// the one inside, in its first seconds as well, or lost clearly less than UDP did
// inside (95 % intervals).
func (v *view) faresBetter(t turns) bool {
	faster := v.freer(t) && v.freerWhileYoung(t)
	losesLess := v.base.k > 0 && t.freed.n > 0 && t.freed.high() < v.base.low()
	return faster || losesLess
}

// freerMost is the confidence in what is lost inside a tunnel where a stream outside
// it did not suffer as much, and turns did not tell why: 3 of 4 were right.
const freerMost = 0.7

// oneWayMost is the confidence where a cause is there in the other direction and
// was not looked for in this one.
const oneWayMost = 0.6

// udpAside tells of a network that treats UDP worse where the stream does not
// suffer: it is no cause, and comes behind all others.
func udpAside(v *view) *finding.Finding {
	what := "The TCP stream does not suffer, but a tunnel over UDP (WireGuard, Tailscale) or QUIC on this path would."
	t, found := worse(v.run, v.dir, false)
	if !found {
		if t, found = worse(v.run, v.dir, true); !found {
			return nil
		}
		if _, held := v.heldBack(); held {
			return nil
		}
		what = "The stream inside the tunnel carries what it would outside."
	}
	return &finding.Finding{
		Cause: finding.UDPThrottled, Confidence: 0.95,
		Summary:  fmt.Sprintf("The network treats UDP worse than TCP on its way %s. %s %s", v.dir, t.words(), what),
		Evidence: t.evidence(),
		Remedies: []finding.Remedy{{
			What:  "Where a tunnel or QUIC has to use this path: try another UDP port (443, 4500), or a transport over TCP, and ask the carrier.",
			Where: finding.Network,
		}},
	}
}

// words say what happened to both.
func (t turns) words() string {
	if t.capped() {
		return fmt.Sprintf("At %s TCP loses %s, and UDP ends at %s (%s lost).", rate(t.rate), percent(lostOf(t.tcp)), rate(t.ends), percent(t.udp.mean()))
	}
	return fmt.Sprintf("At %s TCP loses %s and UDP %s.", rate(t.rate), percent(lostOf(t.tcp)), percent(t.udp.mean()))
}

// lostOf is the share of a test's packets that were lost.
func lostOf(x record.BesideTest) float64 { return proportion{k: x.Lost, n: x.Packets}.mean() }

func (t turns) evidence() []finding.Evidence {
	return []finding.Evidence{
		{What: "offered to both, in turns", Value: t.rate, Unit: finding.BitRate},
		{What: "of TCP arrived", Value: t.tcp.Delivered, Unit: finding.BitRate},
		{What: "of TCP lost", Value: lostOf(t.tcp), Unit: finding.Ratio},
		{What: "of UDP arrived", Value: t.ends, Unit: finding.BitRate},
		{What: "of UDP lost", Value: t.udp.mean(), Unit: finding.Ratio},
	}
}

func (v *view) throttleRemedies(t turns) []finding.Remedy {
	all := []finding.Remedy{{
		What:  "Take the tunnel to where UDP is not held back: another port (443 and 4500 are often spared), a transport over TCP where the tunnel has one, an endpoint that is reached by another way, or a word with the carrier. No setting of TCP's changes what the network does to UDP.",
		Where: finding.Network,
	}}
	switch {
	case t.capped():
		all = append(all, finding.Remedy{
			What:  "Until then, let nothing more enter the tunnel than UDP's rate: what exceeds it is dropped, or waits where everything else waits (DEV is the tunnel's device).",
			Where: finding.Sender, Host: v.sender(),
		}.By(finding.Shape(belowThrottle*t.ends)))
	case lossBasedOrUnknown(v.cc) && t.udp.mean() <= bbrCliff:
		all = append(all, finding.Remedy{
			What:  "Until then, use BBR on the host that sends: it does not take UDP's losses, which the stream in the tunnel shares, for congestion. It acts on new connections.",
			Where: finding.Sender, Host: v.sender(),
		}.By(finding.UseCC("bbr")))
	}
	return all
}

// belowThrottle leaves room for the tunnel's own headers, of at most 80 bytes in
// 1420 (WireGuard's over IPv6).
const belowThrottle = 0.92
