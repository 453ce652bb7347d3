package diagnose

import (
	"fmt"
	"math"
	"net/netip"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// hole is what a direction does to large packets: up to a size they pass, and
// what is larger vanishes without a word.
type hole struct {
	still  *record.Transfer    // the stream that stood still; never nil
	fitted *record.Transfer    // the one whose segments pass, nil where none was run
	test   *record.SegmentTest // streams of several sizes side by side, nil where none ran
	mss    int                 // the largest bound of segments that passed, bytes
	mtu    int                 // the packet of such a segment, bytes
}

// holeIn finds it, nil where there is none. A stream that stands still from its
// first full segment is the sign. The proof is in streams that ran side by side
// in the same seconds: those with smaller segments arrived. Without them,
// echoes of which the large ones alone vanish must do.
func holeIn(r *record.Run, d record.Direction) *hole {
	h := hole{still: stillStream(r, d), test: r.LastSegmentTest(d)}
	if h.still == nil {
		return nil
	}
	headers := segmentHeaders(r.Route.Address)
	if h.test != nil {
		vanished := false
		if h.mss, vanished = h.test.Largest(); !vanished {
			return nil
		}
	} else if passed, vanished := echoSizes(r, false).Largest(); vanished > 0 {
		h.mss = passed - headers
	}
	if h.mss <= 0 {
		return nil
	}
	h.mtu = h.mss + headers
	for i := range r.Transfers {
		if t := &r.Transfers[i]; t.Direction == d && t.Streams == 1 && t.MSS > 0 && t.Rate > 0 {
			h.fitted = t
		}
	}
	return &h
}

// stillStream is the direction's stream without a bound on its segments, where
// it stood still.
func stillStream(r *record.Run, d record.Direction) *record.Transfer {
	for i := range r.Transfers {
		t := &r.Transfers[i]
		if t.Direction == d && t.Streams == 1 && t.MSS == 0 && flow.StoodStill(t) {
			return t
		}
	}
	return nil
}

// echoSizes is what echoes told of sizes, inside a tunnel or outside.
func echoSizes(r *record.Run, outside bool) record.PacketSizes {
	for _, p := range r.PacketSizes {
		if p.Outside == outside {
			return p
		}
	}
	return record.PacketSizes{}
}

// segmentHeaders are IP's and TCP's without options, in bytes.
func segmentHeaders(address string) int {
	if a, err := netip.ParseAddr(address); err == nil && a.Unmap().Is6() {
		return 40 + 20
	}
	return 20 + 20
}

// mtuBlackhole: full-size packets vanish, and nobody says so.
func mtuBlackhole(r *record.Run, d record.Direction) *finding.Finding {
	h := holeIn(r, d)
	if h == nil {
		return nil
	}
	confidence := 0.8
	if h.test != nil {
		confidence = 0.97 // the counterfactual itself, in the same seconds
	}
	return &finding.Finding{
		Cause: finding.MTUBlackhole, Confidence: confidence, Severity: 1,
		Summary: h.words(r, d), Evidence: h.evidence(r, d), Remedies: h.remedies(r, d),
	}
}

func (h *hole) words(r *record.Run, d record.Direction) string {
	s := fmt.Sprintf("Packets of more than %d bytes vanish on their way %s, and nobody says so: a stream stands still at its first full segment", h.mtu, d)
	if h.fitted != nil {
		s += fmt.Sprintf(", while one whose segments fit carries %s", rate(h.fitted.SteadyRate))
	}
	s += "."
	if stillStream(r, d.Opposite()) == nil && oneStream(r, d.Opposite()) != nil {
		s += fmt.Sprintf(" The way %s lets a stream's segments pass.", d.Opposite())
	}
	outer := echoSizes(r, true)
	if passed, vanished := outer.Largest(); vanished > 0 {
		s += fmt.Sprintf(" Outside the tunnel, packets of up to %d bytes come to %s and back: the tunnel's MTU of %d is too large for that.", passed, outer.Address, r.Route.MTU)
	}
	return s
}

// oneStream is the direction's one stream that carried something.
func oneStream(r *record.Run, d record.Direction) *record.Transfer {
	for i := range r.Transfers {
		t := &r.Transfers[i]
		if t.Direction == d && t.Protocol == record.TCP && t.Streams == 1 && t.Rate > 0 && !flow.StoodStill(t) {
			return t
		}
	}
	return nil
}

func (h *hole) evidence(r *record.Run, d record.Direction) []finding.Evidence {
	e := []finding.Evidence{
		{What: "largest packets whose segments arrive", Value: float64(h.mtu), Unit: finding.Bytes},
		{What: "MTU of this host's route", Value: float64(r.Route.MTU), Unit: finding.Bytes},
		{What: "one stream carries", Value: math.Max(h.still.SteadyRate, 0), Unit: finding.BitRate},
	}
	if h.fitted != nil {
		e = append(e, finding.Evidence{What: "one whose segments fit carries", Value: h.fitted.SteadyRate, Unit: finding.BitRate})
	}
	if h.test != nil {
		for _, s := range h.test.Streams {
			what := fmt.Sprintf("arrived with an MSS of %d, side by side", s.MSS)
			if s.MSS == 0 {
				what = "arrived with full segments, side by side"
			}
			e = append(e, finding.Evidence{What: what, Value: float64(s.Bytes), Unit: finding.Bytes})
		}
	}
	if passed, vanished := echoSizes(r, false).Largest(); vanished > 0 {
		e = append(e, finding.Evidence{What: "largest echo that came back", Value: float64(passed), Unit: finding.Bytes},
			finding.Evidence{What: "smallest echo that vanished", Value: float64(vanished), Unit: finding.Bytes})
	}
	if passed, vanished := echoSizes(r, true).Largest(); vanished > 0 {
		e = append(e, finding.Evidence{What: "largest echo that came back, outside the tunnel", Value: float64(passed), Unit: finding.Bytes})
	}
	if s, ok := flow.Sending(h.still); ok && d == record.Up && flow.Final(s).Info.PMTU > 0 {
		e = append(e, finding.Evidence{What: "MTU that the socket goes by (tcpi_pmtu)", Value: float64(flow.Final(s).Info.PMTU), Unit: finding.Bytes})
	}
	return append(e,
		finding.Evidence{What: "MTU probes of this host that failed (TCPMTUPFail)", Value: float64(h.still.Counters["TCPMTUPFail"]), Unit: finding.Count},
		finding.Evidence{What: "that passed (TCPMTUPSuccess)", Value: float64(h.still.Counters["TCPMTUPSuccess"]), Unit: finding.Count},
		finding.Evidence{What: "retransmits", Value: float64(h.still.Retransmits), Unit: finding.Count})
}

func (h *hole) remedies(r *record.Run, d record.Direction) []finding.Remedy {
	where := finding.Sender
	if d == record.Down {
		where = finding.Receiver
	}
	near := finding.Remedy{
		What:  fmt.Sprintf("Give this host's route to %s an MTU of %d: it then sends no larger packets there, and asks the far host for none (ROUTE is as ip route shows it).", r.Route.Address, h.mtu),
		Where: where, Host: "near",
	}.By(finding.LimitRoute(int64(h.mtu)))
	if r.Route.Tunnel.There() {
		near = finding.Remedy{
			What:  fmt.Sprintf("Give the tunnel's device an MTU of %d, on both hosts (%s here, DEV): all that goes through it then fits.", h.mtu, r.Route.Device),
			Where: where, Host: "near",
		}.By(finding.LimitDevice(int64(h.mtu)))
	}
	return []finding.Remedy{
		near,
		finding.Remedy{
			What:  fmt.Sprintf("Where a router on the way is yours: let it lower the MSS of the connections that it forwards to %d, and let ICMP through (type 3 code 4 of IPv4, type 2 of IPv6): that is how hosts learn of a smaller MTU.", h.mss),
			Where: finding.Network,
		}.By(finding.ClampMSS(int64(h.mss))),
		finding.Remedy{
			What:  "On the host that sends, let TCP look for a size that passes. It does so only after several timeouts, so that each connection still begins with seconds of silence: prefer the MTU.",
			Where: finding.Sender, Host: finding.Sender.Host(d),
		}.By(finding.ProbeMTU()),
	}
}
