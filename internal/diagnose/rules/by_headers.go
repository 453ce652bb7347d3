//go:build !slim

package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// instead are the causes in whose place others come by what headers tell: the losses of
// all of them leave much the same of a rate. That others fill a queue, which drops
// whatever comes, a ladder tells better.
var instead = map[finding.Cause][]finding.Cause{
	finding.Congested:     {finding.LossLimited, finding.ShallowBuffer, finding.Unclear},
	finding.ShallowBuffer: {finding.LossLimited, finding.Unclear},
	finding.LossLimited:   {finding.ShallowBuffer, finding.Unclear},
}

// ByHeaders lets what the headers of packets tell of the instants of loss decide
// between causes that a rate and a ladder tell apart less well.
func ByHeaders(v *view.View, here []finding.Finding) []finding.Finding {
	told := lostTo(v)
	if told == nil || finding.Named(here, told.Cause) {
		return here
	}
	i := slices.IndexFunc(here, func(f finding.Finding) bool { return slices.Contains(instead[told.Cause], f.Cause) })
	if i < 0 {
		return here
	}
	told.Severity = max(told.Severity, here[i].Severity)
	out := slices.Clone(here)
	out[i] = *told
	return out
}

// lostTo is the finding that headers tell; nil where they tell none.
func lostTo(v *view.View) *finding.Finding {
	by, p := v.LostTo()
	var f *finding.Finding
	switch by {
	case view.LostToOthers:
		f = ofOthers(v, fmt.Sprintf("The stream loses when the queue is full, however little it has on its way itself (%d times): other traffic fills the bottleneck", p.Occasions), toldSure)
	case view.LostToItself:
		if v.Base.K > 1 {
			return nil // what is sent evenly is lost as well, if more seldom: in bursts
		}
		f = ofShallowBuffer(v, p.Before, v.Isolated(), toldSure)
	case view.LostToChance:
		share, _ := v.RandomLoss()
		f = ofLoss(v, max(share, v.Losses.RealRatio()), toldSure)
	default:
		return nil
	}
	f.Evidence = append(f.Evidence, headerEvidence(p)...)
	return f
}

// toldSure is how sure headers are.
const toldSure = 0.8

// headerEvidence is what the headers tell.
func headerEvidence(p live.Packets) []finding.Evidence {
	return []finding.Evidence{
		{What: "passes in one go, by the packets' headers", Value: p.Passes, Unit: finding.BitRate},
		{What: "occasions of loss", Value: float64(p.Occasions), Unit: finding.Count},
		{What: "packets that waited less than the one before a loss", Value: p.Waited, Unit: finding.Ratio},
		{What: "packets that left with less on its way than the lost one", Value: p.Filled, Unit: finding.Ratio},
	}
}
