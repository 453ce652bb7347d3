package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// masks are the causes that hide others from the rules. The first three make a
// sender resend, so that what one of them does is taken for the other's doing.
// Behind a buffer, or acknowledgements that queue, a stream hardly meets what it
// would meet next.
var masks = []finding.Cause{
	finding.LossLimited, finding.Reordering, finding.ShallowBuffer,
	finding.ReceiveWindow, finding.SendBuffer, finding.AckLimited,
}

// settled lets copies of the path decide which cause matters, where some were
// tried without it (record.Predicted). A rule says what is there and could
// hold a stream back; a copy without it shows what it costs. So a cause that
// costs nothing beside one that does is no finding, and one that the rules left
// out for the other's sake is.
//
// Where one stream is all that was measured, copies carry no more than it did.
// Where others' traffic was found it stays with the rules: what others make the
// bottleneck drop looks to a fit like random loss.
func (v *view) settled(here []finding.Finding) []finding.Finding {
	if named(here, finding.Healthy) || named(here, finding.Congested) {
		return here
	}
	costly := v.costly()
	var out []finding.Finding
	for _, f := range here {
		c, tried := v.run.Alone(v.dir, string(f.Cause))
		if tried && len(costly) > 0 && !slices.Contains(costly, f.Cause) && costsNone(c, f.Cause) {
			continue
		}
		if tried {
			f = v.gained(f, c)
			if len(costly) > 0 {
				f.Severity = max(1-1/max(c.Gain, 1), leastSeverity) // beside what costs more
			}
		}
		out = append(out, f)
	}
	if masked(here) {
		out = v.unmasked(out, costly)
	}
	if len(costly) == 0 {
		out = v.hidden(out)
	}
	if most, tried := v.most(out); tried && most < gainMatters && !v.copiesFaster() && !v.alone() {
		out = found(v.costsLittle(most))
	}
	if len(out) == 0 {
		return here
	}
	return out
}

func named(all []finding.Finding, cause finding.Cause) bool {
	return slices.ContainsFunc(all, func(f finding.Finding) bool { return f.Cause == cause })
}

// masked says that one of the findings may hide another cause, or that nobody
// knows the cause. A policer's drops hide what is lost at random as well.
func masked(here []finding.Finding) bool {
	return slices.ContainsFunc(here, func(f finding.Finding) bool {
		return f.Cause == finding.Unclear || f.Cause == finding.Policed || slices.Contains(masks, f.Cause)
	})
}

// costly are the causes without which the copies of the path are faster by what
// matters.
func (v *view) costly() []finding.Cause {
	var out []finding.Cause
	for _, c := range v.run.Predicted {
		if c.Direction == v.dir && len(c.Without) == 1 && matters(c) {
			out = append(out, finding.Cause(c.Without[0]))
		}
	}
	return out
}

func matters(c record.Predicted) bool { return c.Gain >= gainMatters && c.GainLow > 1 }

// costsNone says that copies rule out what a rule found. What a rule concludes from
// losses they know better; a buffer that is full was measured, so that even the
// upper end of what copies gain without it must be nothing.
func costsNone(c record.Predicted, cause finding.Cause) bool {
	if cause == finding.ReceiveWindow || cause == finding.SendBuffer {
		return c.GainHigh < costsNothing
	}
	return c.Gain < costsNothing
}

// byCopiesSure is how sure a cause is whose absence makes copies of the path
// faster. The copies lack others' traffic, which perhaps is what drops.
func (v *view) byCopiesSure() float64 {
	if v.perhapsOthers() {
		return perhapsOthers
	}
	return copiesConfidence
}

// gained is a finding with what its cause costs.
func (v *view) gained(f finding.Finding, c record.Predicted) finding.Finding {
	f.Gain = &finding.Gain{Ratio: c.Gain, Low: c.GainLow, High: c.GainHigh}
	if matters(c) {
		f.Severity = 1 - 1/c.Gain
		f.Confidence = max(f.Confidence, v.byCopiesSure())
	}
	return f
}

// unmasked adds the costly causes that no rule found.
func (v *view) unmasked(here []finding.Finding, costly []finding.Cause) []finding.Finding {
	for _, cause := range costly {
		if named(here, cause) {
			continue
		}
		if f := v.byCopies(cause); f != nil {
			c, _ := v.run.Alone(v.dir, string(cause))
			here = append(here, v.gained(*f, c))
		}
	}
	return known(here)
}

// known leaves out that nobody knows the cause, where one is known.
func known(here []finding.Finding) []finding.Finding {
	if len(here) < 2 {
		return here
	}
	return slices.DeleteFunc(here, func(f finding.Finding) bool { return f.Cause == finding.Unclear })
}

// hidden adds causes that hide each other: the stream gains little without
// either, and much without both.
func (v *view) hidden(here []finding.Finding) []finding.Finding {
	i := slices.IndexFunc(v.run.Predicted, func(c record.Predicted) bool {
		return c.Direction == v.dir && len(c.Without) > 1 && matters(c)
	})
	if i < 0 || !masked(here) {
		return here
	}
	c := v.run.Predicted[i]
	for _, cause := range c.Without {
		if !named(here, finding.Cause(cause)) {
			here = append(here, found(v.byCopies(finding.Cause(cause)))...)
		}
		for i := range here {
			if f := &here[i]; f.Cause == finding.Cause(cause) {
				f.Severity = max(f.Severity, 1-1/c.Gain)
				f.Summary += fmt.Sprintf(" Only both help together, without %s (%.2g times as much).", strings.Join(c.Without, " and "), c.Gain)
			}
		}
	}
	return known(here)
}

// byCopies is the finding of a cause that no rule found, and whose absence makes
// copies of the path faster; nil for one that the rules would have to see.
func (v *view) byCopies(cause finding.Cause) *finding.Finding {
	switch cause {
	case finding.LossLimited:
		if p, _ := v.randomLoss(); p > 0 {
			return v.ofLoss(p, v.byCopiesSure())
		}
	case finding.Reordering:
		if v.overtaken() {
			return v.ofReordering(v.byCopiesSure())
		}
	case finding.ShallowBuffer:
		if own, _, known := v.wait(); known && v.losses.Real > 0 {
			return v.ofShallowBuffer(own, v.isolated(), v.byCopiesSure())
		}
	case finding.AckLimited:
		if back, found := v.acksMayQueue(); found {
			return v.ofAcks(back, v.byCopiesSure())
		}
	case finding.ReceiveWindow, finding.SendBuffer:
		if v.reachesBuffers() {
			return v.ofWindow(cause, v.byCopiesSure(), v.shortfall())
		}
	}
	return nil
}

// most is the largest gain that copies leave possible in this direction; tried
// is false where a finding was not tried, or is not one of rates.
func (v *view) most(here []finding.Finding) (most float64, tried bool) {
	for _, f := range here {
		if f.Gain == nil || f.Cause == finding.Policed {
			return 0, false
		}
	}
	for _, c := range v.run.Predicted {
		if c.Direction == v.dir && len(c.Without) > 0 {
			most, tried = max(most, c.Gain, c.GainHigh/copiesSpread), true
		}
	}
	return most, tried
}

// copiesFaster says that the copies as they are carry so much more than the stream
// did that they lack what held it back.
func (v *view) copiesFaster() bool {
	return slices.ContainsFunc(v.run.Predicted, func(c record.Predicted) bool {
		return c.Direction == v.dir && c.Arm == record.Now && c.Rate > gainMatters*v.rate
	})
}

// leastSeverity is of a cause that costs the stream something, if little: it is
// not taken for one that costs nothing.
const leastSeverity = 0.02

// costsLittle is the verdict on a stream that has less than the path, and that
// gains little without any of what was found.
func (v *view) costsLittle(most float64) *finding.Finding {
	f := healthy(v)
	f.Cause, f.Confidence, f.Severity = finding.Healthy, 0.6, 0
	f.Summary = fmt.Sprintf("One stream carries %s of the %s that the path can. Nothing that was found costs it a third: copies of the path without it carry %.2g times as much at the most.",
		unit.HumanRate(v.rate), unit.HumanRate(v.capacity), most)
	return f
}
