package fetched

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/stats"
)

// older: HTTP/2 is slow, and HTTP/1.1 on the same path is not.
func older(v *view) *finding.Finding {
	if v.plain == nil || v.plain.SteadyRate < manyOfOne*v.rate || len(v.holes) >= leastHoles {
		return nil
	}
	return &finding.Finding{
		Cause: finding.AppLimited, Confidence: 0.7, Severity: v.severity(),
		Summary:  fmt.Sprintf("With HTTP/2 one connection carries %s, with HTTP/1.1 %s: the path carries more, and the server's HTTP/2 does not use it.", rate(v.rate), rate(v.plain.SteadyRate)),
		Evidence: v.evidence(),
		Remedies: []finding.Remedy{{What: "Raise the server's HTTP/2 chunk and buffer sizes (nginx: http2_chunk_size), or serve large files with HTTP/1.1.", Where: finding.Sender}},
	}
}

// paused: nothing comes for longer than any window takes to be acknowledged,
// again and again, and nothing was lost: the program on the server rests.
func paused(v *view) *finding.Finding {
	if !v.seen.known() || v.lasted() <= 0 {
		return nil
	}
	from, to := v.stream.Body+0.3*v.lasted(), v.stream.Ended
	var quiet float64
	n := 0
	rtt := max(v.rtt, v.loaded.Mid)
	for _, p := range v.seen.pauses(from, to) {
		if p.length >= max(leastPause, pauseOfRTT*rtt) {
			quiet += p.length
			n++
		}
	}
	share := quiet / (to - from)
	if share < pauseShare || n < 3 || len(v.holes) > n/2 {
		return nil
	}
	return &finding.Finding{
		Cause: finding.AppLimited, Confidence: stats.Clamp(0.75+0.3*share, 0, 0.95), Severity: max(v.severity(), 0.5),
		Summary: fmt.Sprintf("The server sends in bursts: for %s of the time nothing came, %s longer than a round trip, and nothing was lost. It paces what it sends to %s.",
			percent(share), count(n, "pause"), rate(v.rate)),
		Evidence: append(v.evidence(),
			finding.Evidence{What: "time in pauses", Value: share, Unit: finding.Ratio},
			finding.Evidence{What: "pauses", Value: float64(n), Unit: finding.Count}),
		Remedies: serverPace(),
	}
}

func serverPace() []finding.Remedy {
	return []finding.Remedy{
		{What: "Look for the limit in the server's configuration: limit_rate in nginx, a bandwidth module, a media server's throttling of direct play, a plan of the hoster.", Where: finding.Sender},
	}
}

// heldAtServer: each connection carries the same, evenly, loses nothing and
// fills no queue; several carry several times as much. It is held at the server,
// by a pace or by a window of its own: bursts that come again after a round trip
// are a window's.
func heldAtServer(v *view) *finding.Finding {
	if !v.flat() || len(v.holes) > 0 || v.queued() || v.many == nil || v.ratio() < manyOfOne || !v.seen.known() {
		return nil
	}
	from, to := v.stream.Body+steadyFrom*v.lasted(), v.stream.Ended
	recurs := v.seen.recurs(from, to, v.rtt)
	period, own := v.seen.strongest(from, to)
	f := &finding.Finding{
		Severity: v.severity(),
		Evidence: append(v.evidence(),
			finding.Evidence{What: "recurrence after one round trip", Value: recurs, Unit: finding.Ratio},
			finding.Evidence{What: "under way (rate × RTT)", Value: v.underWay(), Unit: finding.Bytes}),
	}
	held := fmt.Sprintf("Each connection carries %s, evenly, loses nothing and fills no queue; %s carry %.1f times as much: each is held at the server.", rate(v.rate), count(v.many.Streams, "connection"), v.ratio())
	switch {
	case v.clocked(from, to, recurs):
		f.Cause, f.Confidence = finding.SendBuffer, stats.Clamp(0.6+0.4*recurs, 0.6, 0.9)
		f.Summary = held + fmt.Sprintf(" What comes recurs with the round trip: %s are under way at a time, which is a window of the server's own.", size(v.underWay()))
		f.Remedies = []finding.Remedy{finding.Remedy{
			What:  "Let the server's send buffer grow to room for twice the bandwidth-delay product, and as much again for the kernel's bookkeeping (tcp_wmem's third value, and no SO_SNDBUF in the program: nginx's listen … sndbuf=).",
			Where: finding.Sender,
		}.By(finding.RaiseSendBuffer(max(finding.BufferFor(v.bdp()), finding.DefaultSendMost)))}
	case own >= paced && recurs < clocked && v.seen.recurs(from, to, 2*v.rtt) < clocked:
		f.Cause, f.Confidence = finding.AppLimited, 0.75
		f.Summary = held + fmt.Sprintf(" What comes recurs after %s, and not after a round trip (%s) nor two: a pace has a time of its own, and a full window has the path's.", duration(period), duration(v.rtt))
		f.Remedies = serverPace()
	case v.rtt >= 5*looks && recurs < clocked/2:
		f.Cause, f.Confidence = finding.AppLimited, 0.75
		f.Summary = held + " What comes is spread evenly over the round trip, as a pace makes it and a full window does not."
		f.Remedies = serverPace()
	default:
		return nil // a pace or a window: unclear says so
	}
	return f
}

// looks are this far apart, in seconds.
const looks = 0.01

// clocked says that what comes recurs with the round trip and rests in between.
func (v *view) clocked(from, to, recurs float64) bool {
	if recurs < clocked || v.rtt < 3*looks {
		return false
	}
	// A pace of the program's may recur too, with a time of its own: then other
	// lags show it as much.
	for _, share := range []float64{0.5, 0.7, 1.4} {
		if v.seen.recursBeside(from, to, v.rtt, share) > 0.8*recurs {
			return false
		}
	}
	return true
}
