//go:build !slim

package view

import (
	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/theory"
)

// OffQueue is what the one stream lost while the queue that it fills was not half full, by
// its packets' headers.
type OffQueue struct {
	Lost    seen.Proportion // the occasions, of the segments that waited as little
	Run     float64         // packets that an occasion takes, in the mean; 1 at the least
	Lasting float64         // what losses as rare leave the stream in the long run, bit/s
}

// OffQueue is empty where nothing speaks for losses of the path's own, since what an AQM
// drops has waited, and where the stream answers to none or is left enough. Where SinksBy
// goes by echo probes, this goes by each packet's own wait, so that a queue of a few
// milliseconds will do.
func (v *View) OffQueue() OffQueue {
	h := v.answering()
	own, _, _ := v.Wait()
	full := max(own, v.Longest()-v.Idle.Mid)
	if h == nil || !congestion.LossBased(v.CC) || full < leastQueue {
		return OffQueue{}
	}
	lost, unqueued := h.offQueue(full)
	lasting := theory.CubicRate(v.Idle.Mid, lost.Mean(), v.MSS)
	switch {
	case unqueued < leastUnqueued, lost.K < leastBelowHalf, lasting >= sinksInBursts*v.Capacity, v.BeyondModel(v.Losses.RealRatio()):
		return OffQueue{}
	case unqueued < leastBelowHalf && lasting >= sinksTo*v.Capacity:
		return OffQueue{} // so few, and they cost little
	}
	run := v.Losses.SteadyRatio() * h.Segments / float64(len(h.Lost))
	return OffQueue{Lost: lost, Run: max(run, 1), Lasting: lasting}
}

// offQueue are the occasions of loss while a queue that takes so many seconds was not half
// full, of the segments that met it so, and on how many of them hardly anything waited. The
// half lies between the ranks of the occasions on both sides of it.
func (h *Headers) offQueue(full float64) (lost seen.Proportion, unqueued int) {
	below, above := 0.0, 1.0
	for _, x := range h.Lost {
		if x.Wait <= belowAQM {
			unqueued++
		}
		if x.Wait >= full/2 {
			above = min(above, x.Waited)
			continue
		}
		below = max(below, x.Waited)
		lost.K++
	}
	lost.N = int64((below + above) / 2 * h.Segments)
	return lost, unqueued
}

const (
	// leastUnqueued, leastBelowHalf: one packet may have come late.
	leastUnqueued  = 2
	leastBelowHalf = 3
	leastQueue     = 0.008 // seconds: what is shorter fills and drains with every train
	// belowAQM is less than an AQM lets packets wait before it drops one, in seconds: CoDel's
	// target is 5 ms (RFC 8289 §4.4), PIE's 15 ms (RFC 8033 §4.2).
	belowAQM = 0.003
	// sinksInBursts is of the path's rate: what the model of single losses leaves a stream
	// of which some take a whole window, so that it waits for its timeout. Of 13 kept
	// directions that were said to be healthy and have less, a stream gains a third and more
	// without the losses on 9, a quarter and more on 3.
	sinksInBursts = 1.5
)
