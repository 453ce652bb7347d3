package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
)

// emptiedBucket: evenly sent packets were dropped in number while nothing waited,
// although the path had carried a faster rung whole. A policer's bucket that is
// large lets through whatever comes, until it is used up. It is asked of a slow
// stream for which nothing else was found.
func emptiedBucket(v *view) *finding.Finding {
	whole, dropped, found := v.emptiedBucket()
	if !found {
		return nil
	}
	limit := dropped.delivered
	if v.eight != nil {
		limit = min(limit, v.eight.SteadyRate)
	}
	return &finding.Finding{
		Cause: finding.Policed, Confidence: emptiedSure, Severity: 0.3,
		Summary: fmt.Sprintf("The path carried %s of UDP whole, and later dropped %s of %s while nothing waited: a policer whose bucket was full at first. In the long run it lets %s through at the most, and one stream gets %s.",
			rate(whole.sent), percent(dropped.loss()), rate(dropped.sent), rate(limit), rate(v.rate)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "sent and all delivered, at first", Value: whole.sent, Unit: finding.BitRate},
			{What: "sent later", Value: dropped.sent, Unit: finding.BitRate},
			{What: "lost of it", Value: dropped.loss(), Unit: finding.Ratio},
			{What: "delay added meanwhile", Value: dropped.rise, Unit: finding.Seconds},
		}, v.retransmitEvidence()...),
		Remedies: []finding.Remedy{{
			What:  "The limit is the network's: a larger contract, or another path. Short transfers pass at the line's rate as long as the bucket lasts.",
			Where: finding.Network,
		}},
	}
}

// emptiedSure: a loss that comes for seconds and goes would look the same.
const emptiedSure = 0.7

// emptiedBucket says that a slow stream meets a bucket which is used up by now: a rung
// that passed whole, and one that was dropped later.
func (v *view) emptiedBucket() (whole, dropped rung, found bool) {
	if !v.slow() || v.queued() || v.losses.Resent <= 0 || v.late > 0 || len(v.out.all) > 0 {
		return rung{}, rung{}, false
	}
	if _, busy := v.others(); busy {
		return rung{}, rung{}, false
	}
	return v.laterDropped()
}

// laterDropped finds a rung that lost what a policer drops, without any delay, after
// one that was faster and lost next to nothing. Where eight streams have no more than
// one, a bucket that fills up in between shows in any order, and by less.
func (v *view) laterDropped() (whole, dropped rung, found bool) {
	least, faster, alike := usedUp, elsewhere, v.alike()
	if alike {
		least, faster = overloadLoss, 1
	}
	for _, late := range v.rungs {
		if !late.risen || late.loss() < least || late.rise > leastQueue(late) || late.timed && late.own > leastQueue(late) {
			continue
		}
		for _, r := range v.rungs {
			if (alike || r.start < late.start) && r.sent > faster*late.sent && r.loss() < overloadLoss {
				return r, late, true
			}
		}
	}
	return rung{}, rung{}, false
}

// alike says that eight streams together carry little more than one and leave much of
// what UDP got through: one limit holds them all. Random loss holds each for itself.
func (v *view) alike() bool {
	return v.eight != nil && v.eight.SteadyRate < min(crowdedAlike*v.rate, slowShare*v.capacity)
}
