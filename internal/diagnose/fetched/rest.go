package fetched

import (
	"fmt"
	"math"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// healthy: one connection carries what several do.
func healthy(v *view) *finding.Finding {
	if v.many == nil || v.rate <= 0 || v.slow() || v.grown >= 1.3 || v.dropsUnqueued() || v.unqueued >= leastHoles || v.leavesQueueEmpty() || v.nearlyBloats() || v.unlucky() {
		return nil
	}
	f := &finding.Finding{Cause: finding.Healthy, Confidence: 0.85, Evidence: v.evidence()}
	f.Summary = fmt.Sprintf("One connection carries %s, %s carry %s: one gets what this path from the server has to give.", rate(v.rate), count(v.many.Streams, "connection"), rate(v.many.SteadyRate))
	switch {
	case v.busyBefore():
		f.Confidence = 0.6
		f.Summary += " Others used the path too."
	case !v.queued() && !v.queuedOver(v.busier) && v.idle.N > 0 && len(v.holes) == 0 && v.lossMany == 0 && v.flat():
		// Nothing queues and nothing is lost: no link that is full does that.
		return &finding.Finding{
			Cause: finding.AppLimited, Confidence: 0.6, Severity: 0.3, Evidence: f.Evidence,
			Summary:  fmt.Sprintf("All connections together carry %s, evenly, and neither fill a queue nor lose anything: no full link does that. The server gives no more, or something before it paces.", rate(v.capacity)),
			Remedies: serverPace(),
		}
	}
	return f
}

// leavesQueueEmpty says that several connections fill a queue and the one, which
// loses packets, does not and carries less: it is not the full path that holds it.
func (v *view) leavesQueueEmpty() bool {
	return len(v.holes) > 0 && v.rate < nearly*v.capacity && !v.queued() && v.queuedOver(v.busier)
}

// dropsUnqueued says that one connection and several alike lose packets while no
// queue stands: what drops them holds both, and what the path would carry without
// is not seen.
func (v *view) dropsUnqueued() bool {
	little := max(littleQueue*v.idle.Mid, littleWait)
	return len(v.holes) >= leastHoles && v.lossMany > 0 && v.idle.N > 0 && v.busier.N > 0 &&
		v.busier.Mid-v.idle.Mid < little && v.loaded.Mid-v.idle.Mid < little
}

// unclear names what could be and cannot be told apart from here.
func unclear(v *view) *finding.Finding {
	f := &finding.Finding{Cause: finding.Unclear, Confidence: 0.5, Severity: v.severity(), Evidence: v.evidence()}
	beside := ""
	if v.many != nil {
		beside = fmt.Sprintf("; %s carry %s", count(v.many.Streams, "connection"), rate(v.many.SteadyRate))
	}
	f.Summary = fmt.Sprintf("One connection carries %s%s. ", rate(v.rate), beside)
	switch {
	case v.many == nil && v.brief():
		f.Summary += fmt.Sprintf("The file (%s) is over after %s, and came nearly as fast as packets follow each other in a burst: a connection's slow beginning cost it nothing. What a long one would get is not seen. Of %s in all, %s went to connecting, TLS and the wait for the first byte.",
			size(float64(v.stream.Bytes)), count(int(math.Round(max(v.lasted()/v.rtt, 1))), "round trip"), duration(v.whole()), percent(v.setup()))
	case v.many == nil && v.queued():
		f.Summary += "It fills a queue on the path, so that more would hardly come; several connections were not tried."
	case v.many == nil:
		f.Summary += "Several connections were not tried: whether the path has more to give is not known."
	case v.lucky() && len(v.holes) > 0:
		f.Summary += fmt.Sprintf("Packets are lost, and a second connection, of HTTP/1.1, carries %s: what one gets here is chance.", rate(v.plain.SteadyRate))
	case v.unlucky():
		f.Summary += fmt.Sprintf("A second connection, of HTTP/1.1, carries %s: what one gets here is chance, and what holds the slower one is not seen from here.", rate(v.plain.SteadyRate))
	case !v.slow() && v.nearlyBloats():
		f.Summary += fmt.Sprintf("One gets what this path has to give, and keeps a queue standing in which the round trip takes %s instead of %s, and beside the several %s: about where a queue is called too long.",
			duration(v.fullest().Mid), duration(v.idle.Mid), duration(v.busier.Mid))
	case len(v.holes) == 0 && v.flat():
		f.Summary += "It is held evenly and loses nothing: the server's pace or its send buffer, which look alike from here."
	case !v.slow() && v.dropsUnqueued():
		f.Summary += "Both lose packets before any queue stands: a policer or a queue of a few packets holds them alike, and what the path would carry without it is not seen from here."
	case v.leavesQueueEmpty():
		f.Summary += "The several fill a queue; the one loses packets before it does, and carries somewhat less for it."
	case !v.slow() && v.unqueued >= leastHoles:
		f.Summary += fmt.Sprintf("Packets of the several connections vanished %s while no queue stood: one connection may have had luck.", count(v.unqueued, "time"))
	case len(v.holes) >= leastHoles && v.ratio() > 0 && !v.queued() && v.ratio() < 0.6*float64(v.many.Streams):
		f.Summary += "Packets are dropped before any queue stands, the more the more is sent: a policer with a small bucket, or a queue of a few packets, which look alike from here."
	case len(v.holes) > 0:
		f.Summary += fmt.Sprintf("Packets are lost (%s seen), and how the server answers to that is not seen from here.", count(len(v.holes), "time"))
	default:
		f.Summary += "Nothing that this end sees holds it back."
	}
	return f
}

// Unknown lists what a receiver cannot know of the path and the server, whatever
// was found.
func Unknown(r *record.Run) []string {
	if r.Fetch == nil || len(r.Transfers) == 0 {
		return nil
	}
	out := []string{
		"the server's congestion control and what it sent again",
		"the server's send buffer, its load and whether its program had data to send",
		"the path towards the server",
	}
	if r.Fetch.Proxy != "" {
		out = append([]string{"the path beyond the proxy " + r.Fetch.Proxy}, out...)
	}
	return out
}
