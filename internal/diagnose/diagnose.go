// Package diagnose turns a record into findings. It is pure: a record is all
// it knows, so a diagnosis can be replayed from a file.
//
// It works in two steps. The view of a direction (room view, above seen) derives
// from the record what a network engineer would: what one stream carried and what
// the path can carry, what limited the sender for what share of the time, how much
// of what was retransmitted had really been lost, how loss and delay answer to the
// rate. Each rule (room rules, one file a sign of a cause) reads the view and says whether its
// cause is there, how sure it is, and what to do. This package asks the rules in
// their order, has the findings amended for the hosts (room amend), and lets copies
// of the path settle which cause matters.
package diagnose

import (
	"cmp"
	"sort"

	"unchoke/internal/diagnose/amend"
	"unchoke/internal/diagnose/rules"
	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/tunnels"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// A rule looks for one cause in one direction; nil is "not here".
type rule func(*view.View) *finding.Finding

// common holds every cause that can be found. Order does not matter: findings
// are ordered by how much they cost the user.
var common = []rule{
	ends.ReceiveWindow,
	ends.SendBuffer,
	ends.AppLimited,
	rules.LossLimited,
	rules.Interrupted,
	rules.Congested,
	rules.ShallowBuffer,
	rules.SlowStart,
	rules.AckLimited,
	rules.Reordering,
	rules.Policed,
	rules.Bufferbloat,
	rules.AcksBloat,
}

// whole are rules whose finding is all of its direction's: what else shows there
// is its consequence, but for what the rule beside it finds. The first that finds is it.
var whole = []struct{ rule, beside rule }{
	{rule: ends.CPUBound},
	{rule: tunnels.Relayed},
	{rule: ends.SocketDrops},
	{rule: tunnels.UDPThrottled, beside: rules.QueuedUDP},
}

// lesser are rules that are asked one after the other where no other found anything.
// The last one always finds.
var lesser = []rule{
	ends.AsMuch,
	rules.PolicedTogether,
	rules.Bunched,
	rules.Sinking,
	rules.LostBeyond,
	tunnels.LosesInside,
	rules.Bursts,
	rules.PolicedAlone,
	rules.EmptiedBucket,
	rules.Young,
	rules.FarSlowStart,
	rules.HeldByJitter,
	rules.EndedEarly,
	rules.PerhapsInterrupted,
	rules.RateSteps,
	rules.Handovers,
	rules.Healthy,
}

// behind are rules that look for what holds a stream next, which what was found hides.
var behind = []func(v *view.View, found []finding.Finding) *finding.Finding{
	rules.BunchedToo,
	rules.HeldByJitterToo,
	rules.LeftEarlyToo,
	rules.LossToo,
	rules.InterruptedToo,
	rules.SpeckToo,
	rules.OvertakenToo,
	rules.StandsToo,
	rules.CrowdBloats,
	rules.ThinToo,
	rules.CrowdedToo,
	ends.NextReceiveWindow,
	ends.NextSendBuffer,
}

// Diagnose returns the findings of a record, the leading one first. A
// direction in which nothing was found and one stream carries what the path
// can is healthy; one that was not measured has no finding.
func Diagnose(r *record.Run) []finding.Finding {
	if r.Flow != nil {
		return attached(r)
	}
	if r.Fetch != nil {
		return downloaded(r)
	}
	var all []finding.Finding
	for _, d := range record.Directions {
		for _, f := range inDirection(r, d) {
			all = append(all, finished(f, d))
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return weight(all[i]) > weight(all[j]) })
	return calibrated(oneWay(r, all))
}

// oneWay makes the health of a path less sure of which a whole check measured one
// direction alone, as where no time was left by satellite.
func oneWay(r *record.Run, all []finding.Finding) []finding.Finding {
	if len(all) != 1 || all[0].Cause != finding.Healthy || len(r.Skipped) == 0 {
		return all
	}
	all[0].Confidence = min(all[0].Confidence, measuredOneWay)
	return all
}

// measuredOneWay: 2 of 3 such paths were healthy.
const measuredOneWay = 0.7

// lossMost is the confidence of random loss at the most, whatever speaks for it
// against other causes. Of verdicts of random loss that were 0.9 sure and more 28 of
// 39 were right at first sight in fourteen draws: what was mistaken for loss each
// time is known since, what comes next is not.
const lossMost = 0.89

// inDirection is what was found in one direction.
func inDirection(r *record.Run, d record.Direction) []finding.Finding {
	hole := tunnels.MTUBlackhole(r, d)
	v := view.Of(r, d)
	if v == nil {
		return found(cmp.Or(hole, rules.Starved(r, d), rules.StoodStill(r, d)))
	}
	here := told(v, settled(v, causes(v, hole)))
	for _, rule := range behind {
		if f := rule(v, here); f != nil && !finding.Named(here, f.Cause) {
			here = append(here, *f)
		}
	}
	if f := tunnels.UDPAside(v); f != nil {
		here = append(here, *f)
	}
	for i, f := range here {
		here[i] = amend.Finding(v, f)
	}
	return amend.ThroughSSH(v, here)
}

// causes are the findings of the rules, a hole for large packets among them; a
// direction without any is healthy, or unclear.
func causes(v *view.View, hole *finding.Finding) []finding.Finding {
	for _, w := range whole {
		f := w.rule(v)
		switch {
		case f == nil:
		case w.beside == nil:
			return found(f)
		default:
			return append(found(f), found(w.beside(v))...)
		}
	}
	here := found(hole)
	for _, rule := range common {
		here = append(here, found(rule(v))...)
	}
	here = repaired(v, here)
	for _, rule := range lesser {
		if len(here) == 0 {
			here = found(rule(v))
		}
	}
	return here
}

// found is a finding as a list, which is empty where there is none.
func found(f *finding.Finding) []finding.Finding {
	if f == nil {
		return nil
	}
	return []finding.Finding{*f}
}

// finished completes a finding of a direction.
func finished(f finding.Finding, d record.Direction) finding.Finding {
	f.Direction = d
	most := surest
	if f.Cause == finding.LossLimited {
		most = lossMost
	}
	f.Confidence = stats.Clamp(f.Confidence, 0.05, most)
	if f.Remedies == nil {
		f.Remedies = []finding.Remedy{} // a list in JSON, if an empty one
	}
	return f
}

// weight orders findings: what costs the user more and is surer leads. Of healthy
// directions the one that is least sure does, and one of which nothing is known
// before both: a path is as healthy as that.
func weight(f finding.Finding) float64 {
	switch {
	case f.Cause == finding.Healthy, f.Cause == finding.Unclear && f.Severity == 0:
		return -f.Confidence
	case f.Severity == 0:
		return -1 // it costs the stream nothing
	}
	return f.Severity * f.Confidence
}
