//go:build !slim

package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// instead are the causes in whose place others come by what headers tell: the losses of
// all of them leave much the same of a rate. That others fill a queue a ladder tells
// better, unless the stream's packets show that nobody does.
var instead = map[finding.Cause][]finding.Cause{
	finding.Congested:     {finding.LossLimited, finding.ShallowBuffer, finding.Unclear},
	finding.ShallowBuffer: {finding.LossLimited, finding.Unclear},
	finding.LossLimited:   {finding.ShallowBuffer, finding.Congested, finding.Unclear},
}

// ByHeaders lets what the headers of packets tell of the instants of loss decide
// between causes that a rate and a ladder tell apart less well.
func ByHeaders(v *view.View, here []finding.Finding) []finding.Finding {
	told, alone := lostTo(v)
	if told == nil || finding.Named(here, told.Cause) {
		return here
	}
	i := slices.IndexFunc(here, func(f finding.Finding) bool {
		return slices.Contains(instead[told.Cause], f.Cause) && (alone || f.Cause != finding.Congested)
	})
	if i < 0 {
		return here
	}
	told.Severity = max(told.Severity, here[i].Severity)
	out := slices.Clone(here)
	out[i] = *told
	return out
}

// lostTo is the finding that headers tell, nil where they tell none; alone is true where
// nobody else uses the path.
func lostTo(v *view.View) (f *finding.Finding, alone bool) {
	by, h := v.LostTo()
	switch by {
	case view.LostToOthers:
		f = ofOthers(v, fmt.Sprintf("The stream loses when the queue is full, however little it has on its way itself (%d times): other traffic fills the bottleneck", len(h.Lost)), toldSure)
	case view.LostToItself:
		if v.Base.K > 1 || len(v.Stalls) > 0 {
			return nil, false // what is sent evenly is lost as well, if more seldom: in bursts
		}
		if h.Before > view.ShallowQueue*v.Idle.Mid {
			return nil, false // it is long enough for a stream that halves
		}
		f = ofShallowBuffer(v, h.Before, v.Isolated(), toldSure)
	case view.LostToChance:
		if overflowsSpeck(v) {
			return nil, false
		}
		share, _ := v.RandomLoss()
		share = max(share, v.Losses.RealRatio())
		if v.BeyondModel(share) {
			return nil, false // hundreds at once: a bucket that is used up drops so
		}
		f = ofLoss(v, share, toldSure)
	default:
		return nil, false
	}
	f.Evidence = append(append(f.Evidence, h.PassesEvidence()), h.LossEvidence()...)
	return f, v.Undisturbed(h)
}

// toldSure is how sure headers are.
const toldSure = 0.8

// overflowsSpeck says that UDP lost nothing below the ceiling and the queue holds a few
// packets, by what the flood's own packets waited in it: a stream that overflows it hardly
// waits there, so that its losses look like chance.
func overflowsSpeck(v *view.View) bool {
	own, _, known := v.Wait()
	return known && isSpeck(v, own) && v.Base.K == 0
}

// LossBeside looks for random loss beside a queue that overflows, whoever fills it: what
// is lost while no queue stands is the path's own.
func LossBeside(v *view.View, found []finding.Finding) *finding.Finding {
	overflows := finding.NamedAny(found, finding.Congested, finding.ShallowBuffer)
	if !overflows || finding.Named(found, finding.LossLimited) || v.Isolated() || v.KeptFull() || overflowsSpeck(v) {
		return nil
	}
	lost := v.LostBesideNothing()
	left, slow := lossAloneLeaves(v, lost)
	if !slow {
		return nil
	}
	f := ofLoss(v, lost.Mean(), besideSure)
	f.Severity = ends.NextSeverity
	f.Summary = fmt.Sprintf("The stream also lost packets %d times while no queue stood, by its packets' headers: without the queue, losses as rare leave it about %s of %s.",
		lost.K, words.Rate(left), words.Rate(v.Capacity))
	return f
}

// besideSure: 1 of 1 kept directions like that, and none of the others, some 280, shows
// it; a small count, shrunk.
const besideSure = 0.6
