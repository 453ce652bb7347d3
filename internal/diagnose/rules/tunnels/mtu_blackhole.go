package tunnels

import (
	"fmt"
	"math"
	"strings"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/wire"
)

func holeWords(h *seen.Hole, r *record.Run, d record.Direction) string {
	s := fmt.Sprintf("Packets of more than %d bytes vanish on their way %s, and nobody says so: a stream stands still at its first full segment", h.MTU, d)
	if h.Fitted != nil {
		s += fmt.Sprintf(", while one whose segments fit carries %s", words.Rate(h.Fitted.SteadyRate))
	}
	s += "."
	if seen.StillStream(r, d.Opposite()) == nil && seen.OneStream(r, d.Opposite()) != nil {
		s += fmt.Sprintf(" The way %s lets a stream's segments pass.", d.Opposite())
	}
	outer := seen.EchoSizes(r, true)
	if passed, vanished := outer.Largest(); vanished > 0 {
		s += fmt.Sprintf(" Outside the tunnel, packets of up to %d bytes come to %s and back", passed, outer.Address)
		if r.Route.MTU+headers(r.Route.Tunnel, outer.Address) > passed {
			s += fmt.Sprintf(": the tunnel's MTU of %d is too large for that", r.Route.MTU)
		}
		s += "."
	}
	return s
}

// headers are what a tunnel puts before each packet to an outer address at the least, in
// bytes: those over UDP about as much as WireGuard, others IP's.
func headers(t record.Tunnel, outer string) int {
	n := 20
	if t.OverUDP() {
		n = wire.WireGuard
	}
	if strings.Contains(outer, ":") {
		n += 20 // IPv6's
	}
	return n
}

func holeEvidence(h *seen.Hole, r *record.Run, d record.Direction) []finding.Evidence {
	e := []finding.Evidence{
		{What: "largest packets whose segments arrive", Value: float64(h.MTU), Unit: finding.Bytes},
		{What: "MTU of this host's route", Value: float64(r.Route.MTU), Unit: finding.Bytes},
		{What: "one stream carries", Value: math.Max(h.Still.SteadyRate, 0), Unit: finding.BitRate},
	}
	if h.Fitted != nil {
		e = append(e, finding.Evidence{What: "one whose segments fit carries", Value: h.Fitted.SteadyRate, Unit: finding.BitRate})
	}
	if h.Test != nil {
		for _, s := range h.Test.Streams {
			what := fmt.Sprintf("arrived with an MSS of %d, side by side", s.MSS)
			if s.MSS == 0 {
				what = "arrived with full segments, side by side"
			}
			e = append(e, finding.Evidence{What: what, Value: float64(s.Bytes), Unit: finding.Bytes})
		}
	}
	if passed, vanished := seen.EchoSizes(r, false).Largest(); vanished > 0 {
		e = append(e, finding.Evidence{What: "largest echo that came back", Value: float64(passed), Unit: finding.Bytes},
			finding.Evidence{What: "smallest echo that vanished", Value: float64(vanished), Unit: finding.Bytes})
	}
	if passed, vanished := seen.EchoSizes(r, true).Largest(); vanished > 0 {
		e = append(e, finding.Evidence{What: "largest echo that came back, outside the tunnel", Value: float64(passed), Unit: finding.Bytes})
	}
	if s, ok := flow.Sending(h.Still); ok && d == record.Up && flow.Final(s).Info.PMTU > 0 {
		e = append(e, finding.Evidence{What: "MTU that the socket goes by (tcpi_pmtu)", Value: float64(flow.Final(s).Info.PMTU), Unit: finding.Bytes})
	}
	return append(e,
		finding.Evidence{What: "MTU probes of this host that failed (TCPMTUPFail)", Value: float64(h.Still.Counters["TCPMTUPFail"]), Unit: finding.Count},
		finding.Evidence{What: "that passed (TCPMTUPSuccess)", Value: float64(h.Still.Counters["TCPMTUPSuccess"]), Unit: finding.Count},
		finding.Evidence{What: "retransmits", Value: float64(h.Still.Retransmits), Unit: finding.Count})
}

func holeRemedies(h *seen.Hole, r *record.Run, d record.Direction) []finding.Remedy {
	where := finding.Sender
	if d == record.Down {
		where = finding.Receiver
	}
	near := finding.Remedy{
		What:  fmt.Sprintf("Give this host's route to %s an MTU of %d: it then sends no larger packets there, and asks the far host for none (ROUTE is as ip route shows it).", r.Route.Address, h.MTU),
		Where: where, Host: "near",
	}.By(finding.LimitRoute(int64(h.MTU)))
	if r.Route.Tunnel.There() {
		near = finding.Remedy{
			What:  fmt.Sprintf("Give the tunnel's device an MTU of %d, on both hosts (%s here, DEV): all that goes through it then fits.", h.MTU, r.Route.Device),
			Where: where, Host: "near",
		}.By(finding.LimitDevice(int64(h.MTU)))
	}
	return []finding.Remedy{
		near,
		finding.Remedy{
			What:  fmt.Sprintf("Where a router on the way is yours: let it lower the MSS of the connections that it forwards to %d, and let ICMP through (type 3 code 4 of IPv4, type 2 of IPv6): that is how hosts learn of a smaller MTU.", h.MSS),
			Where: finding.Network,
		}.By(finding.ClampMSS(int64(h.MSS))),
		finding.Remedy{
			What:  "On the host that sends, let TCP look for a size that passes. It does so only after several timeouts, so that each connection still begins with seconds of silence: prefer the MTU.",
			Where: finding.Sender, Host: finding.Sender.Host(d),
		}.By(finding.ProbeMTU()),
	}
}

// MTUBlackhole: full-size packets vanish, and nobody says so.
func MTUBlackhole(r *record.Run, d record.Direction) *finding.Finding {
	h := seen.HoleIn(r, d)
	if h == nil {
		return nil
	}
	confidence := 0.8
	if h.Test != nil {
		confidence = 0.97 // the counterfactual itself, in the same seconds
	}
	return &finding.Finding{
		Cause: finding.MTUBlackhole, Confidence: confidence, Severity: 1,
		Summary: holeWords(h, r, d), Evidence: holeEvidence(h, r, d), Remedies: holeRemedies(h, r, d),
	}
}
