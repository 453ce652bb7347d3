package tunnels

import (
	"fmt"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/stats"
)

// tunnelHeld is the finding that what goes through a tunnel over UDP is held to a rate
// which a TCP stream outside it exceeds, where UDP was asked outside for too short a
// time, or too slowly, to meet that rate, so that TCP did not take its turn, or lost too
// little in its turn to prove that UDP lost more; nil where that is not so.
func tunnelHeld(v *view.View, t seen.Turns) *finding.Finding {
	if t.Rate > 0 && !leans(v, t) || !freerWhileYoung(v, t) {
		return nil
	}
	limit, beyond := tunnelLimit(v, t)
	// What waits behind a lost packet arrives at once, so that some seconds of a short
	// test have more than the line carries: its packets, inside and over all of it.
	arrived := float64(t.Freed.N-t.Freed.K) * float64(v.MSS) * 8 / t.Freely
	if limit <= 0 || min(t.Free*tunnelShare, arrived) <= seen.SlowerBy*limit {
		return nil
	}
	tunnel := v.Run.Route.Tunnel
	sure := tunnelHeldSure
	if t.UDP.K == 0 {
		sure = passedOutsideSure
	}
	f := slowerInside(v, t, sure,
		finding.Evidence{What: "delivered inside when more is sent", Value: limit, Unit: finding.BitRate},
		finding.Evidence{What: "UDP loss below the ceiling", Value: v.Base.Mean(), Unit: finding.Ratio})
	f.Summary = fmt.Sprintf("Inside the %s tunnel, which travels in UDP, %s; outside it one TCP stream carries %s. So the network holds UDP to a rate, or the tunnel is held to one at an end.",
		tunnel.Kind, beyond, words.Rate(t.Free))
	f.Remedies = throttleRemedies(v, limit, 0)
	return f
}

// leans says that UDP lost in each of its turns what TCP in its own did not, and had less,
// which so few packets do not prove. A line of several rates does that as well.
func leans(v *view.View, t seen.Turns) bool {
	if v.Slows() {
		return false
	}
	each := t.Asked >= 2 && t.Least >= seen.LeastLost
	return each && t.TCP.Lost >= 0 && t.TCP.Delivered > t.Ends && t.UDP.Low() > seen.LostOf(t.TCP)
}

// slowerInside is a finding that one stream carries more outside a tunnel than inside,
// still without a summary, with more evidence.
func slowerInside(v *view.View, t seen.Turns, confidence float64, more ...finding.Evidence) *finding.Finding {
	limit := 0.0
	if t.Capped() {
		limit = t.Ends
	}
	return &finding.Finding{
		Cause: finding.UDPThrottled, Confidence: confidence, Severity: stats.Clamp(1-v.Rate/(t.Free*tunnelShare), 0, 1),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: "one stream outside the tunnel carries", Value: t.Free, Unit: finding.BitRate},
		}, more...),
		Remedies: throttleRemedies(v, limit, t.UDP.Mean()),
	}
}

// tunnelLimit is the rate at which the inside of a tunnel ends, and words for what
// becomes of more: a policer drops it; or it waits, and one stream fills the tunnel
// without having met loss that would hold it back, while the one outside carried more
// than a queue would have taken in: it overflowed none, or one far too short for that.
func tunnelLimit(v *view.View, t seen.Turns) (limit float64, beyond string) {
	if limit, policed := v.Policer(); policed {
		return limit, fmt.Sprintf("all that exceeds %s is dropped and nothing waits", words.Rate(limit))
	}
	top, known := v.Ceiling()
	if !known || v.Slow() || v.Lossy() || v.Base.K > 0 {
		return 0, ""
	}
	if v.Rate > seen.SlowerBy*top {
		return 0, "" // nor is the inside held to that: its rate changes
	}
	limit = max(top, v.Rate)
	if waits, _, _ := v.Wait(); (t.Untold || t.Freed.Mean() > seen.OverloadLoss) && (t.Free-limit)*t.Freely < beyondQueue*waits*limit {
		return 0, ""
	}
	return limit, fmt.Sprintf("nothing gets more than %s through, which one stream fills", words.Rate(top))
}

// beyondQueue is how many times the queue that an overload filled inside: so much more
// carried outside is no queue's.
const beyondQueue = 2

const (
	// tunnelHeldSure: no turns proved that it is UDP which is held back.
	tunnelHeldSure = 0.8
	// passedOutsideSure: where all of UDP passed outside as well, the one kept direction like
	// that is of a line that changes its rate.
	passedOutsideSure = 0.5
)

// turnWords say what happened to both.
func turnWords(t seen.Turns) string {
	udp := "loses "
	if t.Capped() {
		udp = fmt.Sprintf("ends at %s and loses ", words.Rate(t.Ends))
	}
	return fmt.Sprintf("At %s TCP loses %s, UDP %s%s.", words.Rate(t.Rate), words.Percent(seen.LostOf(t.TCP)), udp, words.Percent(t.UDP.Mean()))
}

func turnEvidence(t seen.Turns) []finding.Evidence {
	return []finding.Evidence{
		{What: "offered to both, in turns", Value: t.Rate, Unit: finding.BitRate},
		{What: "of TCP arrived", Value: t.TCP.Delivered, Unit: finding.BitRate},
		{What: "of TCP lost", Value: seen.LostOf(t.TCP), Unit: finding.Ratio},
		{What: "of UDP arrived", Value: t.Ends, Unit: finding.BitRate},
		{What: "of UDP lost", Value: t.UDP.Mean(), Unit: finding.Ratio},
	}
}

// UDPThrottled: the network treats UDP worse than TCP, and the stream goes
// through a tunnel over UDP.
func UDPThrottled(v *view.View) *finding.Finding {
	t, found := heldBack(v)
	sure := 0.95
	if !found {
		if t.Perhaps {
			return nil
		}
		if f := sparedOutside(v, t); f != nil {
			return f
		}
		if !spared(v, t) && !outgrew(v, t) {
			return tunnelHeld(v, t)
		}
		sure = sparedSure
	}
	tunnel := v.Run.Route.Tunnel
	evidence, happened := turnEvidence(t), turnWords(t)
	if t.TCP.Packets == 0 {
		evidence = []finding.Evidence{{What: "UDP loss below the ceiling", Value: v.Base.Mean(), Unit: finding.Ratio}}
		happened = fmt.Sprintf("UDP inside loses %s at any rate; a TCP stream that lost as much would be far slower.", words.Percent(v.Base.Mean()))
	}
	f := slowerInside(v, t, sure, evidence...)
	f.Summary = fmt.Sprintf("The network treats UDP worse than TCP on its way %s, and the %s tunnel travels in UDP: outside it one TCP stream carries %s, inside %s. %s",
		v.Dir, tunnel.Kind, words.Rate(t.Free), words.Rate(v.Rate), happened)
	return f
}

// throttleRemedies are those where UDP ends at so many bit/s, or, with a limit of 0, loses
// such a share whatever the rate.
func throttleRemedies(v *view.View, limit, lost float64) []finding.Remedy {
	all := []finding.Remedy{{
		What:  "Take the tunnel to where UDP is not held back: another port (443 and 4500 are often spared), a transport over TCP where the tunnel has one, an endpoint that is reached by another way, or a word with the carrier. No setting of TCP's changes what the network does to UDP.",
		Where: finding.Network,
	}}
	switch {
	case limit > 0:
		all = append(all, finding.Remedy{
			What:  "Until then, let nothing more enter the tunnel than UDP's rate: what exceeds it is dropped, or waits where everything else waits (DEV is the tunnel's device).",
			Where: finding.Sender, Host: v.Sender(),
		}.By(finding.Shape(belowThrottle*v.Lasting(limit))))
	case congestion.LossBasedOrUnknown(v.CC) && lost <= view.BBRCliff:
		all = append(all, finding.Remedy{
			What:  "Until then, use BBR on the host that sends: it does not take UDP's losses, which the stream in the tunnel shares, for congestion. It acts on new connections.",
			Where: finding.Sender, Host: v.Sender(),
		}.By(finding.UseCC("bbr")))
	}
	return all
}

// belowThrottle leaves room for the tunnel's own headers, of at most 80 bytes in
// 1420 (WireGuard's over IPv6).
const belowThrottle = 0.92
