//go:build !slim

package view

// OneLimit says that eight streams together carry just what one does, a part of what UDP
// got through for a moment, and lose packets while none waits: all meet the same limit,
// and no queue. Loss by chance, and a short queue, hold each stream for itself.
func (v *View) OneLimit() bool {
	return v.SharesLimit() && v.LacksAThird() && v.Eight.SteadyRate < justAsMuch*v.Rate && v.Eight.Retransmits >= manyLost
}

// justAsMuch: of 7 kept directions like that 6 end at a policer with a large bucket and one
// before a black hole. A stream that a send buffer held had 0.82 of what eight had.
const justAsMuch = 1.15
