//go:build !slim

package tunnels

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/stats"
)

// sparedOutside is the finding that UDP is treated worse where TCP took no turn outside the
// tunnel: a stream there was clearly faster than the one inside, and lost fewer packets than
// chance makes of the share that the tunnel loses (95 %), packet by packet; bursts may
// have missed it. It is nil where that is not so.
func sparedOutside(v *view.View, t seen.Turns) *finding.Finding {
	runs, lost := seen.LostInRuns(v.Rungs, v.Capacity)
	oneByOne := lost.K >= seen.LeastLost && lost.K-runs <= lost.K/10
	if !oneByOne || t.TCP.Packets > 0 || t.Freed.N == 0 || t.Untold || passedInside(v, t) || !freer(v, t) {
		return nil
	}
	if _, busy := v.Others(); busy {
		return nil // others' queue drops now and then
	}
	inside := v.Base
	inside.Add(v.Losses.Real, v.Losses.Segments)
	if stats.BinomialHigh(t.Freed.K, t.Freed.N, 0.9) >= inside.Mean() { // a twentieth lies above
		return nil
	}
	f := slowerInside(v, t, sparedSure,
		finding.Evidence{What: "of packets inside lost", Value: inside.Mean(), Unit: finding.Ratio},
		finding.Evidence{What: "of one stream outside lost", Value: t.Freed.Mean(), Unit: finding.Ratio})
	f.Summary = fmt.Sprintf("The network treats UDP worse than TCP on its way %s, and the %s tunnel travels in UDP: inside it %s of the packets are lost, one by one, and one stream carries %s; outside it one loses %s and carries %s.",
		v.Dir, v.Run.Route.Tunnel.Kind, words.Percent(inside.Mean()), words.Rate(v.Rate), words.Percent(t.Freed.Mean()), words.Rate(t.Free))
	return f
}
