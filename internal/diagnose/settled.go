package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// settled lets copies of the path decide which cause matters, where some were
// tried without it (record.Counterfactual). A rule says what is there and could
// hold a stream back; a copy without it shows what it costs. So a cause that
// costs nothing beside one that does is no finding, and one that the rules left
// out for the other's sake is.
func (v *view) settled(here []finding.Finding) []finding.Finding {
	if !slices.ContainsFunc(here, func(f finding.Finding) bool { return f.Cause != finding.Healthy }) {
		return here
	}
	costly := v.costly()
	var out []finding.Finding
	for _, f := range here {
		c, tried := v.run.Alone(v.dir, string(f.Cause))
		if tried && len(costly) > 0 && !slices.Contains(costly, f.Cause) && c.Ratio < costsNothing {
			continue
		}
		if f.Cause == finding.Unclear && len(costly) > 0 {
			continue
		}
		if tried {
			f = gained(f, c)
		}
		out = append(out, f)
	}
	for _, cause := range costly {
		if slices.ContainsFunc(out, func(f finding.Finding) bool { return f.Cause == cause }) {
			continue
		}
		if f := v.byCopies(cause); f != nil {
			c, _ := v.run.Alone(v.dir, string(cause))
			out = append(out, gained(*f, c))
		}
	}
	if len(out) == 0 {
		return here
	}
	if len(costly) == 0 {
		out = v.hidden(out)
	}
	if most, tried := v.most(out); tried && most < gainMatters {
		return found(v.costsLittle(most))
	}
	return out
}

// most is the largest gain of the findings; tried is false where copies could
// not be tried without each of them, or where the finding is not one of rates.
func (v *view) most(here []finding.Finding) (most float64, tried bool) {
	for _, f := range here {
		if f.Gain == nil || f.Cause == finding.Policed || f.Cause == finding.Bufferbloat {
			return 0, false
		}
		most = max(most, f.Gain.Ratio)
	}
	for _, c := range v.run.Counterfactuals {
		if c.Direction == v.dir {
			most = max(most, c.Ratio)
		}
	}
	return most, true
}

// costsLittle is the verdict on a stream that has less than the path, and that
// gains little without any of what was found.
func (v *view) costsLittle(most float64) *finding.Finding {
	f := healthy(v)
	f.Cause, f.Confidence, f.Severity = finding.Healthy, 0.6, 0
	f.Summary = fmt.Sprintf("One stream carries %s of the %s that the path can. Nothing that was found costs it a third: copies of the path without it carry %.2g times as much at the most.",
		rate(v.rate), rate(v.capacity), most)
	return f
}

// costly are the causes without which the copies of the path are faster by what
// matters.
func (v *view) costly() []finding.Cause {
	var out []finding.Cause
	for _, c := range v.run.Counterfactuals {
		if c.Direction == v.dir && len(c.Without) == 1 && matters(c) {
			out = append(out, finding.Cause(c.Without[0]))
		}
	}
	return out
}

func matters(c record.Counterfactual) bool { return c.Ratio >= gainMatters && c.Low > 1 }

// gained is a finding with what its cause costs.
func gained(f finding.Finding, c record.Counterfactual) finding.Finding {
	f.Gain = &finding.Gain{Ratio: c.Ratio, Low: c.Low, High: c.High}
	if matters(c) {
		f.Severity = 1 - 1/c.Ratio
		f.Confidence = max(f.Confidence, copiesConfidence)
	}
	return f
}

// hidden adds causes that hide each other: the stream gains little without
// either, and much without both.
func (v *view) hidden(here []finding.Finding) []finding.Finding {
	for _, c := range v.run.Counterfactuals {
		if c.Direction != v.dir || len(c.Without) < 2 || !matters(c) {
			continue
		}
		for _, cause := range c.Without {
			i := slices.IndexFunc(here, func(f finding.Finding) bool { return f.Cause == finding.Cause(cause) })
			if i < 0 {
				f := v.byCopies(finding.Cause(cause))
				if f == nil {
					continue
				}
				here = append(here, *f)
				i = len(here) - 1
			}
			here[i].Severity = max(here[i].Severity, 1-1/c.Ratio)
			here[i].Summary += fmt.Sprintf(" Only both help together, without %s (× %.2g).", strings.Join(c.Without, " and "), c.Ratio)
		}
		return slices.DeleteFunc(here, func(f finding.Finding) bool { return f.Cause == finding.Unclear })
	}
	return here
}

// byCopies is the finding of a cause that no rule found, and whose absence makes
// copies of the path faster; nil for one that the rules would have to see.
func (v *view) byCopies(cause finding.Cause) *finding.Finding {
	switch cause {
	case finding.LossLimited:
		if p, _ := v.randomLoss(); p > 0 {
			return v.ofLoss(p, copiesConfidence)
		}
	case finding.Reordering:
		if v.overtaken() {
			return v.ofReordering(copiesConfidence)
		}
	case finding.ShallowBuffer:
		if own, _, known := v.wait(); known && v.losses.Real > 0 {
			return v.ofShallowBuffer(own, v.isolated(), copiesConfidence)
		}
	}
	return nil
}
