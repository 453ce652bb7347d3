//go:build !slim

package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// lesserDoubts are those that few paths raise.
func lesserDoubts(v *view.View, f *finding.Finding) {
	if v.Contradicted() {
		doubt(f, contradictedMost, "But eight streams carried %s, and UDP at another time far less: the path's rate changes, and what one stream misses of it is not known.", words.Rate(v.Eight.SteadyRate))
	}
	if after := v.Spoiled; after != nil {
		who := "a stream"
		if after.Streams > 1 {
			who = fmt.Sprintf("%d streams", after.Streams)
		}
		doubt(f, spoiledMost, "After our flood of UDP through the %s tunnel %s had only %s: an AQM to which all of a tunnel is one flow, as to CAKE, goes on dropping of it for seconds.", v.Run.Route.Tunnel.Kind, who, words.Rate(after.Rate))
	}
	if slowed := v.SlowedTo(); slowed > 0 {
		doubt(f, slowsMost, "But for a while only %s came through: the path's rate changes, or others have the rest of it then, and what one stream misses of it is not known.", words.Rate(slowed))
	}
	if faster := v.PassedFaster(); faster > 0 {
		doubt(f, slowsMost, "But for a moment UDP got %s through, of which little waited: the path's rate changes, or a bucket held that much.", words.Rate(faster))
	}
	if limit := v.Outruns(); limit > 0 {
		doubt(f, outrunsMost, "But UDP ended at %s without a queue, and the stream lost nothing above that: the limit may be UDP's alone, and then nobody knows what the path carries of TCP.", words.Rate(limit))
	}
	doubtRate(v, f)
	if v.Eight != nil && !slices.ContainsFunc(v.Rungs, func(r seen.Rung) bool { return r.Delivered > 0 }) {
		doubt(f, noUDPMost, "But no UDP of ours came through: a policer, a short queue, or others who send at one rate, would not have shown.")
	}
	if overtaken := seen.OvertakenMost(v.Rungs); overtaken >= overtakenHalf {
		doubt(f, overtakenMost, "But %s of the packets were overtaken: what the sender makes of that may cost a longer stream more.", words.Percent(overtaken))
	}
	if v.NoSACK() && v.Idle.Mid >= repairsLong {
		doubt(f, repairsMost, "But the connection has no selective acknowledgements: every packet that a longer stream loses costs it %s.", words.Duration(v.Idle.Mid))
	}
}

// doubtRate doubts the health of one stream where it is not known well what the path carries.
func doubtRate(v *view.View, f *finding.Finding) {
	top, known := v.Ceiling()
	switch {
	case v.Eight != nil && v.Eight.SteadyRate > view.GainMatters*v.Capacity:
		doubt(f, eightMoreMost, "But eight streams carried %s, more than one stream and UDP did: what the path carries is not known well.", words.Rate(v.Eight.SteadyRate))
	case v.Eight == nil && known && top < view.SlowShare*v.Rate && v.SpeedsUp():
		doubt(f, nothingFaster, "But it was still speeding up when it ended, and UDP ended at %s: how much more the path carries of TCP is not known.", words.Rate(top))
	}
}

const (
	// outrunsMost: the one path like that so far had a short queue for TCP.
	outrunsMost = 0.6
	// contradictedMost: see view.Contradicted; a small count, shrunk.
	contradictedMost = 0.8
	// spoiledMost: of 3 kept directions like that all were healthy; a small count, shrunk.
	spoiledMost = 0.8
	// eightMoreMost: of 5 kept directions like that 4 were healthy.
	eightMoreMost = 0.8
	// nothingFaster: of 2 kept directions like that 1 was healthy.
	nothingFaster = 0.6
	// overtakenMost: of 4 paths on which half of the packets or more were overtaken, and
	// whose truth is known, 2 were healthy; on the others a longer stream had half of what
	// one of four seconds had.
	overtakenHalf = 0.5
	overtakenMost = 0.6
	// noUDPMost: of kept checks, taken as if no UDP had come through, 20 of 38 such verdicts were
	// right; a quick check, and one by satellite, may have no time for it.
	noUDPMost = 0.55
	// repairsLong, in seconds, is a round trip of which a few take much of the time that CUBIC
	// needs to grow back.
	repairsLong = 0.15
	// repairsMost: a small count.
	repairsMost = 0.6
)
