//go:build !slim

package diagnose

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules"
	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// masks are the causes that hide others from the rules. The first three make a
// sender resend, so that what one of them does is taken for the other's doing.
// Behind a buffer, or acknowledgements that queue, a stream hardly meets what it
// would meet next. A slow start that ended early may have been ended by a short queue.
var masks = []finding.Cause{
	finding.LossLimited, finding.Reordering, finding.ShallowBuffer,
	finding.ReceiveWindow, finding.SendBuffer, finding.AckLimited, finding.SlowStart,
}

// settled lets copies of the path decide which cause matters, where some were
// tried without it (record.Predicted). A rule says what is there and could
// hold a stream back; a copy without it shows what it costs. So a cause that
// costs nothing beside one that does is no finding, and one that the rules left
// out for the other's sake is.
//
// Where others' traffic was found it stays with the rules, but for chance that both tell:
// what others make the bottleneck drop looks to a fit like random loss.
func settled(v *view.View, here []finding.Finding) []finding.Finding {
	if finding.Named(here, finding.Healthy) {
		if f := outagesCost(v); f != nil {
			return []finding.Finding{*f}
		}
		return here
	}
	if finding.Named(here, finding.Congested) {
		here = append(here, chanceBesideOthers(v, here)...)
		return append(here, clearBesideOthers(v, here)...)
	}
	other := overshadowed(v)
	weighed := weighedHere(v, other)
	costly := costlyCauses(v, here, weighed)
	var out []finding.Finding
	for _, f := range here {
		if f.Cause == other && other == finding.Reordering {
			continue // a queue that a rule found too short stays
		}
		c, tried := v.Run.Alone(v.Dir, string(f.Cause))
		if tried && len(costly) > 0 && !slices.Contains(costly, f.Cause) && costsNone(c, f.Cause) && !limitsNext(v.Run, weighed, f.Cause) {
			continue
		}
		if tried {
			f = gained(v, f, c)
			if len(costly) > 0 {
				f.Severity = max(1-1/max(c.Gain, 1), leastSeverity) // beside what costs more
			}
		}
		out = append(out, f)
	}
	if masked(here) {
		out = unmasked(v, out, costly)
		out = heldNext(v, out, weighed)
		out = append(out, perhapsHeld(v, out, costly)...)
	}
	if len(costly) == 0 {
		out = hidden(v, out, weighed)
	}
	if most, tried := mostGained(v, out); tried && most < view.GainMatters && copiesClear(v, most) {
		out = found(costsLittle(v, most))
	}
	if len(out) == 0 {
		return here
	}
	return out
}

// outagesCost is the finding that outages hold a stream back which fills the path between
// them, where copies of the path gain what matters without: what they take beyond their own
// time is how long the stream needs to grow back.
func outagesCost(v *view.View) *finding.Finding {
	c, tried := v.Run.Alone(v.Dir, string(finding.LossLimited))
	if !tried || !matters(c) || c.GainLow < costsNothing || !v.FillsBetween() {
		return nil
	}
	f := rules.ByCopies(v, finding.LossLimited)
	if f == nil {
		return nil
	}
	return new(gained(v, *f, c))
}

// chanceBesideOthers is random loss beside others' traffic: copies that have the others gain
// by far without it, and of what was sent gently single packets were lost that had met no
// queue.
func chanceBesideOthers(v *view.View, here []finding.Finding) []finding.Finding {
	_, others := v.Run.Alone(v.Dir, string(finding.Congested))
	runs, lost := seen.LostInRuns(v.Rungs, view.ShallowShare*v.Capacity)
	oneByOne := lost.K >= 2*seen.LeastLost && runs == lost.K
	chance := func(c record.Predicted) bool { return others && oneByOne && c.GainLow >= chanceGains }
	return guessed(v, here, chance, chanceBesideSure, finding.LossLimited)
}

const (
	// chanceGains: of 4 kept directions on which others alone are the cause, and whose copies
	// have them, none gains as much at its low end.
	chanceGains = 2
	// chanceBesideSure: the one kept direction like that has both causes.
	chanceBesideSure = 0.5
)

// clearBesideOthers are the causes beside others' traffic that others do not look like to a
// fit, and without which copies gain by far.
func clearBesideOthers(v *view.View, here []finding.Finding) []finding.Finding {
	byFar := func(c record.Predicted) bool { return c.GainLow >= rules.GainsByFar }
	return guessed(v, here, byFar, chanceBesideSure, finding.ShallowBuffer, finding.Policed)
}

// guessed are those of some causes that nobody has named, and without which copies gain
// enough: guesses behind what was found.
func guessed(v *view.View, here []finding.Finding, enough func(record.Predicted) bool, sure float64, causes ...finding.Cause) (out []finding.Finding) {
	for _, cause := range causes {
		c, tried := v.Run.Alone(v.Dir, string(cause))
		if !tried || !enough(c) || finding.Named(here, cause) {
			continue
		}
		if f := rules.ByCopies(v, cause); f != nil {
			f.Confidence, f.Severity = sure, ends.NextSeverity
			f.Gain = gainOf(c)
			out = append(out, *f)
		}
	}
	return out
}

// masked says that one of the findings may hide another cause, or that nobody
// knows the cause. A policer's drops hide what is lost at random as well, and a queue that
// stands may be one of acknowledgements.
func masked(here []finding.Finding) bool {
	return slices.ContainsFunc(here, func(f finding.Finding) bool {
		return f.Cause == finding.Unclear || f.Cause == finding.Policed || f.Cause == finding.Bufferbloat || slices.Contains(masks, f.Cause)
	})
}

// weighedHere is what copies of this direction's path carried, but for those without the
// other cause, which the one that overshadows it explains.
func weighedHere(v *view.View, other finding.Cause) []record.Predicted {
	var out []record.Predicted
	for _, c := range v.Run.Predicted {
		if c.Direction == v.Dir && !slices.Contains(c.Without, string(other)) {
			out = append(out, c)
		}
	}
	return out
}

// costlyCauses are the causes without which the copies of the path are faster by what
// matters, and that a rule found or copies may name.
func costlyCauses(v *view.View, here []finding.Finding, weighed []record.Predicted) []finding.Cause {
	var out []finding.Cause
	for _, c := range weighed {
		if len(c.Without) != 1 || !matters(c) {
			continue
		}
		if cause := finding.Cause(c.Without[0]); finding.Named(here, cause) || rules.ByCopies(v, cause) != nil {
			out = append(out, cause)
		}
	}
	return out
}

// overshadowed is the one of two causes that a delay which varies makes, where the other
// explains the figures: packets overtake, and they come in bunches. Copies with their
// order kept still have the bunches, those without too short a queue have neither.
func overshadowed(v *view.View) finding.Cause {
	order, tried := v.Run.Alone(v.Dir, string(finding.Reordering))
	if !tried {
		return ""
	}
	neither, tried := v.Run.Alone(v.Dir, string(finding.ShallowBuffer))
	switch {
	case !tried:
		return ""
	case order.GainLow >= view.GainMatters:
		return finding.ShallowBuffer // of 10 kept directions like that all gain a third with the order kept
	case matters(neither) && neither.Gain >= bunchesBeyond*order.Gain:
		return finding.Reordering
	case order.Gain >= view.GainMatters:
		return finding.ShallowBuffer
	}
	return ""
}

// bunchesBeyond: so much more is gained without both than without the overtaking, where
// the bunches are the cause. Of 29 kept directions it tells 23; that packets overtake, and
// no more, tells 20.
const bunchesBeyond = 1.6

func matters(c record.Predicted) bool { return c.Gain >= view.GainMatters && c.GainLow > 1 }

// costsNone says that copies rule out what a rule found. What a rule concludes from
// losses they know better; a buffer that is full was measured, so that even the
// upper end of what copies gain without it must be nothing.
func costsNone(c record.Predicted, cause finding.Cause) bool {
	if cause == finding.ReceiveWindow || cause == finding.SendBuffer {
		return c.GainHigh < costsNothing
	}
	return c.Gain < costsNothing
}

func gainOf(c record.Predicted) *finding.Gain {
	return &finding.Gain{Ratio: c.Gain, Low: c.GainLow, High: c.GainHigh}
}

// gained is a finding with what its cause costs.
func gained(v *view.View, f finding.Finding, c record.Predicted) finding.Finding {
	f.Gain = gainOf(c)
	switch {
	case matters(c):
		f.Severity = 1 - 1/c.Gain
		f.Confidence = max(f.Confidence, rules.ByCopiesSure(v, f.Cause))
	case c.Gain < costsNothing && slices.Contains(masks, f.Cause) && !helpsBeside(v, f.Cause):
		f.Confidence = min(f.Confidence, againstCopies)
	}
	return f
}

// helpsBeside says that copies gain what matters without a cause and another one.
func helpsBeside(v *view.View, cause finding.Cause) bool {
	return slices.ContainsFunc(v.Run.Predicted, func(c record.Predicted) bool {
		return c.Direction == v.Dir && len(c.Without) > 1 && slices.Contains(c.Without, string(cause)) && matters(c)
	})
}

// againstCopies is how sure a cause is where copies of the path gain nothing without it, and
// no other cause was found to cost more: 8 of 18 kept directions were slow for it.
const againstCopies = 0.4

// unmasked adds the costly causes that no rule found.
func unmasked(v *view.View, here []finding.Finding, costly []finding.Cause) []finding.Finding {
	for _, cause := range costly {
		if finding.Named(here, cause) {
			continue
		}
		if f := rules.ByCopies(v, cause); f != nil {
			c, _ := v.Run.Alone(v.Dir, string(cause))
			here = append(here, gained(v, *f, c))
		}
	}
	return known(here)
}

// limitsNext says that the copies which gain without a costly cause gain half as much again
// without this one as well, though alone it costs little: it holds a stream next.
func limitsNext(run *record.Run, weighed []record.Predicted, cause finding.Cause) bool {
	return slices.ContainsFunc(weighed, func(both record.Predicted) bool {
		if len(both.Without) != 2 || !slices.Contains(both.Without, string(cause)) {
			return false
		}
		return slices.ContainsFunc(both.Without, func(first string) bool {
			alone, tried := run.Alone(both.Direction, first)
			return first != string(cause) && tried && matters(alone) && both.Gain >= nextGains*alone.Gain && both.GainLow > alone.Gain
		})
	})
}

// nextGains is of what is gained without the first cause alone.
const nextGains = 1.5

// heldNext adds the causes that hold a stream once a costly one is fixed.
func heldNext(v *view.View, here []finding.Finding, weighed []record.Predicted) []finding.Finding {
	for _, c := range weighed {
		if len(c.Without) != 1 {
			continue
		}
		cause := finding.Cause(c.Without[0])
		if finding.Named(here, cause) || !limitsNext(v.Run, weighed, cause) {
			continue
		}
		if f := rules.ByCopies(v, cause); f != nil {
			f.Severity = ends.NextSeverity
			f.Summary += " It holds the stream next: copies of the path gain by it once the first cause is fixed, and little before."
			here = append(here, *f)
		}
	}
	return here
}

// perhapsHeld are the buffers that may hold a stream beside a costly cause: copies gain what
// matters without their limits, but not surely, since they run for too short a time to fill
// them.
func perhapsHeld(v *view.View, here []finding.Finding, costly []finding.Cause) []finding.Finding {
	if len(costly) == 0 {
		return nil
	}
	perhaps := func(c record.Predicted) bool { return c.Gain >= view.GainMatters }
	return guessed(v, here, perhaps, perhapsHeldSure, finding.SendBuffer, finding.ReceiveWindow)
}

// perhapsHeldSure: 2 of 3 kept directions like that; a small count, shrunk.
const perhapsHeldSure = 0.4

// known leaves out that nobody knows the cause, where one is known.
func known(here []finding.Finding) []finding.Finding {
	if len(here) < 2 {
		return here
	}
	return slices.DeleteFunc(here, func(f finding.Finding) bool { return f.Cause == finding.Unclear })
}

// hidden adds causes that hide each other: the stream gains little without either, and much
// without both. A pair of which one has no sign in the record tells of neither.
func hidden(v *view.View, here []finding.Finding, weighed []record.Predicted) []finding.Finding {
	if !masked(here) {
		return here
	}
	for _, c := range weighed {
		if len(c.Without) < 2 || !matters(c) || oneHelpsAsMuch(v, c) {
			continue
		}
		if all, signs := withAll(v, here, c.Without); signs {
			return known(together(v, all, c))
		}
	}
	return here
}

// oneHelpsAsMuch says that copies gain about as much without one of the causes as without
// all of them, or may.
func oneHelpsAsMuch(v *view.View, all record.Predicted) bool {
	return slices.ContainsFunc(all.Without, func(cause string) bool {
		alone, tried := v.Run.Alone(v.Dir, cause)
		return tried && (all.Gain < nextGains*alone.Gain || all.Gain <= alone.GainHigh)
	})
}

// withAll adds to findings those of causes that are not named yet, and says whether each is.
func withAll(v *view.View, here []finding.Finding, causes []string) (all []finding.Finding, signs bool) {
	all = slices.Clone(here)
	for _, cause := range causes {
		if finding.Named(all, finding.Cause(cause)) {
			continue
		}
		f := rules.ByCopies(v, finding.Cause(cause))
		if f == nil {
			return here, false
		}
		if c, tried := v.Run.Alone(v.Dir, cause); tried {
			f.Gain = gainOf(c)
		}
		all = append(all, *f)
	}
	return all, true
}

// together says of findings what copies gain without all of them. One of which alone they
// gain nothing comes behind one of which alone they gain what matters, if not surely.
func together(v *view.View, here []finding.Finding, c record.Predicted) []finding.Finding {
	gains := func(cause string) float64 {
		alone, _ := v.Run.Alone(v.Dir, cause)
		return alone.Gain
	}
	leads := slices.ContainsFunc(c.Without, func(cause string) bool { return gains(cause) >= view.GainMatters })
	for i := range here {
		if f := &here[i]; slices.Contains(c.Without, string(f.Cause)) {
			f.Severity = max(f.Severity, 1-1/c.Gain)
			if leads && gains(string(f.Cause)) < costsNothing {
				f.Severity = ends.NextSeverity
			}
			f.Summary += fmt.Sprintf(" Only both help together: copies of the path %s carry %s as much.", c.Arm, unit.HumanTimes(c.Gain))
		}
	}
	return here
}

// mostGained is the largest gain that copies leave possible in this direction; tried
// is false where a finding was not tried, is not one of rates, or where nothing was sent
// faster than acknowledgements let pass: a copy's path is no faster then.
func mostGained(v *view.View, here []finding.Finding) (most float64, tried bool) {
	for _, f := range here {
		if f.Gain == nil || f.Cause == finding.Policed || f.Cause == finding.AckLimited && !v.Slow() {
			return 0, false
		}
	}
	for _, c := range v.Run.Predicted {
		if c.Direction == v.Dir && len(c.Without) > 0 {
			most, tried = max(most, c.Gain, c.GainHigh/copiesSpread), true
		}
	}
	return most, tried
}

// copiesClear says that copies which gain nothing without what was found clear it. Where one
// stream is all that was measured, copies carry no more than it did. Nor do copies that were
// fitted to the seconds in which a stream lived on its queue tell what it loses later (2 of 2
// kept directions whose copies gained a tenth gain half and more). A window that holds a
// stream hides others from it, and they hide the window from copies: both must go. Where the
// path has much more than such a window lets pass, and lost nothing, copies were too young.
// Copies that nearly gain what matters by a longer queue are no copies of a stream that lost
// packets again and again while no queue stood.
func copiesClear(v *view.View, most float64) bool {
	if v.HeldByWindow() {
		_, busy := v.Others()
		if busy || v.Base.K == 0 && v.Capacity > leftByWindow*v.Rate {
			return false
		}
	}
	if n, _ := v.SinksBy(); n >= 2 && most > almostMatters {
		return false
	}
	return !copiesFaster(v) && !v.Alone() && v.OffQueue().Lost.K == 0
}

// leftByWindow is of the stream's rate: the one kept direction like that gains 1.9 times as
// much with a larger buffer, at 242 ms.
const leftByWindow = 1.5

// almostMatters: the one kept direction like that gains twice as much without random loss.
const almostMatters = 1.2

// copiesFaster says that the copies as they are carry so much more than the stream
// did that they lack what held it back.
func copiesFaster(v *view.View) bool {
	return slices.ContainsFunc(v.Run.Predicted, func(c record.Predicted) bool {
		return c.Direction == v.Dir && c.Arm == record.Now && c.Rate > view.GainMatters*v.Rate
	})
}

// leastSeverity is of a cause that costs the stream something, if little: it is
// not taken for one that costs nothing.
const leastSeverity = 0.02

// costsLittle is the verdict on a stream that has less than the path, and that
// gains little without any of what was found.
func costsLittle(v *view.View, most float64) *finding.Finding {
	f := rules.HealthyOrUnclear(v)
	f.Cause, f.Confidence, f.Severity = finding.Healthy, 0.6, 0
	f.Summary = fmt.Sprintf("One stream carries %s of the %s that the path can. Nothing that was found costs it a third: copies of the path without it carry %s as much at the most.",
		unit.HumanRate(v.Rate), unit.HumanRate(v.Capacity), unit.HumanTimes(most))
	return f
}
