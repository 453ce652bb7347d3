package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// LostBeyond: a shaper of the sending host's own is the bottleneck, and dropped far
// less than the stream lost. The rest was lost behind it, where nothing of the stream
// has to wait. It is asked where nothing else was found: bursts of loss are too rare for
// the UDP ladder to meet, and the stream's own count says little of how slow they make it.
func LostBeyond(v *view.View) *finding.Finding {
	lost := hosts.LostBeyond(v)
	if lost == 0 || !backsOff(v) || v.Reordered() {
		return nil
	}
	e, q, _ := hosts.OwnQueue(v)
	p := v.Losses.SteadyRatio()
	if v.Losses.Steady < leastBeyond {
		// Fewer tell only where no shaper's drop is among them, and such a share is too
		// much for the path.
		p = v.Losses.RealRatio()
		if q.Drops > 0 || lost < fewBeyond || theory.CubicRate(v.Idle.Mid, p, v.MSS) > view.ShallowShare*v.Capacity {
			return nil
		}
	}
	f := ofLoss(v, p, beyondSure)
	f.Summary = fmt.Sprintf("%s of %s is the bottleneck and dropped %d of the %d packets that the stream lost: the rest vanished behind it, where nothing of the stream has to wait. %s",
		words.QueueName(q), e.Words, q.Drops, v.Losses.Real, f.Summary)
	f.Evidence = slices.Concat(words.QueueEvidence(q), f.Evidence)
	return f
}

const (
	// leastBeyond: fewer may have been lost in another queue when slow start ended.
	leastBeyond = 5
	// fewBeyond: one may be anybody's.
	fewBeyond = 2
	// beyondSure: the one kept direction like that; what is lost behind the shaper
	// could be lost in a queue there that others fill.
	beyondSure = 0.7
)
