//go:build !slim

package check

import (
	"unchoke/internal/finding"
	"unchoke/internal/report/render"
)

// belowRemedies is what stands below the remedies: what copies of the path say they
// would carry, and how to apply them.
func belowRemedies(c Report, s *render.Screen) {
	c.predictedLines(s)
	if line := c.applyLine(); line != "" && c.Record != "" {
		s.Text("")
		s.Hang(2, render.Plain, line)
	}
}

// applyLine says how a remedy is applied that `unchoke tune` makes on this host by
// itself; empty where it makes none of the verdict's.
func (c Report) applyLine() string {
	lead, _ := c.leading()
	for _, s := range c.steps() {
		for _, r := range []*finding.Remedy{&s.remedy, s.other} {
			if r != nil && r.Host == "near" && r.Action != nil && tunes(finding.Of(lead.Cause).Plan, r.Action.Kind) {
				return "To apply it safely: unchoke tune plan, then sudo unchoke tune apply"
			}
		}
	}
	return ""
}

// tunes says whether a plan for a cause makes changes of this kind.
func tunes(plan, kind finding.Kind) bool {
	switch kind {
	case finding.KindPace:
		return false // only with --remedy maxrate
	case finding.KindWindowScaling, finding.KindAutotuning:
		return plan == finding.KindReceiveBuffer
	}
	return kind == plan
}
