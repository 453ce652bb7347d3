package diagnose

import (
	"fmt"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/watched"
	"unchoke/internal/finding"
	"unchoke/internal/flow/closely"
	"unchoke/internal/live"
	"unchoke/internal/record"
)

// attached is what was found of an existing connection that was looked at: one
// finding, of the direction in which it carries more.
func attached(r *record.Run) []finding.Finding {
	f := closely.Live(r)
	watched.Judge(&f)
	out := finding.Finding{
		Cause: f.Verdict, Confidence: f.Confidence, Summary: f.Summary, Evidence: f.Evidence,
		Remedies: watched.Remedies(&f), Severity: 1,
	}
	if out.Cause == live.Watching { // it has ended, or this end does not tell
		out.Cause, out.Confidence = finding.Unclear, 0
	}
	out = inUDP(out, r.Route.Tunnel)
	way := attachedWay(r)
	if out.Cause == finding.MTUBlackhole && f.Unacked == 0 || out.Cause == finding.ReceiveWindow && f.SentLately == 0 {
		way = record.Down // nothing moves, for what the peer sends vanishes, or is not read
	}
	return []finding.Finding{finished(out, way)}
}

// inUDP is less sure of the path's losses where a tunnel of UDP carries the stream: a
// network may lose UDP alone, and the stream sees the same.
func inUDP(f finding.Finding, t record.Tunnel) finding.Finding {
	if !t.OverUDP() || f.Cause != finding.LossLimited && f.Cause != finding.Policed {
		return f
	}
	f.Confidence = min(f.Confidence, udpUntold)
	f.Summary += fmt.Sprintf(" A tunnel of UDP carries it (%s), which some networks treat worse than TCP: unchoke check, with the tunnel's outside in reach, tells these apart.", t.Kind)
	return f
}

// udpUntold: of six such flows in tunnels of UDP, four lost UDP alone (lab, draws 20280401
// and 20280403).
const udpUntold = 0.5

// attachedWay is the direction in which the connection carries more.
func attachedWay(r *record.Run) record.Direction {
	if r.Flow.Sends {
		return record.Up
	}
	return record.Down
}

// attachedPath is what the connection tells of its path: what it carried, and
// the most that it was seen to carry.
func attachedPath(r *record.Run) Path {
	f := closely.Live(r)
	out := Path{Tunnel: r.Route.Tunnel.Brief(), RTT: f.MinRTT, Jitter: f.Jitter, JitterRatio: f.JitterRatio}
	w := &Way{Rate: f.ReceivedLately, Capacity: max(f.PeakRate, f.ReceivedLately), LoadedRTT: f.RTTLately}
	if r.Flow.Sends {
		w.Rate, w.Capacity = f.SentLately, max(f.PeakRate, f.SentLately)
		w.Loss = max(f.RetransmitRatio-f.SpuriousRatio, 0)
		out.Up = w
	} else {
		out.Down = w
	}
	out.Loss = w.Loss
	if e := r.Echo(attachedEcho); e != nil {
		if s := seen.Spread(e); s.N > 0 {
			w.LoadedRTT = s.Mid
		}
	}
	return out
}

// attachedEcho is the name of the echo probes beside the connection.
const attachedEcho = "flow"

// attachedStates is what the connection had, for a comparison with an earlier
// look.
func attachedStates(r *record.Run) map[record.Direction]State {
	p := attachedPath(r)
	w, d := p.Up, record.Up
	if w == nil {
		w, d = p.Down, record.Down
	}
	s := State{Rate: w.Rate, LoadedRTT: w.LoadedRTT, Cause: finding.Unclear}
	for _, t := range r.Transfers {
		s.CC = t.CC
	}
	for _, f := range attached(r) {
		s.Cause = f.Cause
	}
	return map[record.Direction]State{d: s}
}
