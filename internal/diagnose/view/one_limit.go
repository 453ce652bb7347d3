//go:build !slim

package view

import "unchoke/internal/diagnose/seen"

// OneLimit says that eight streams together carry just what one does, a part of what UDP
// got through for a moment, and lose packets while none waits: all meet the same limit,
// and no queue. Loss by chance, and a short queue, hold each stream for itself.
func (v *View) OneLimit() bool {
	return v.SharesLimit() && v.LacksAThird() && v.Eight.SteadyRate < justAsMuch*v.Rate && v.Eight.Retransmits >= manyLost &&
		!v.outrunsBucket(v.Eight.SteadyRate)
}

// outrunsBucket says that a flood brought more through than a policer of so many bit/s can
// let pass: one before it was faster than the limit and lost packets, and so left the
// bucket empty. Others who give way to UDP and not to streams leave it so much.
func (v *View) outrunsBucket(limit float64) bool {
	for _, early := range v.Rungs {
		if early.Sent <= limit || early.Loss() < seen.OverloadLoss {
			continue
		}
		for _, late := range v.Rungs {
			refilling := late.Start + late.Duration - (early.Start + early.Duration)
			if late.Start > early.Start && late.Arrived > beyondBucket*limit*refilling {
				return true
			}
		}
	}
	return false
}

// beyondBucket: what a flood of a third of a second brought is known less exactly than this.
const beyondBucket = 1.25

// justAsMuch: of 7 kept directions like that 6 end at a policer with a large bucket and one
// before a black hole. A stream that a send buffer held had 0.82 of what eight had.
const justAsMuch = 1.15
