package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// Congested: other traffic fills the bottleneck, and one stream gets the share
// that it leaves.
func Congested(v *view.View) *finding.Finding {
	if v.Alone() && v.Creeps() {
		return besideOthers(v)
	}
	others, found := v.Others()
	switch {
	case !found || v.HeldByWindow():
		return nil
	case v.Alone():
		return besideOthers(v)
	}
	sign, confidence := signOf(v, others)
	switch _, left := v.Line(); {
	case !v.Slow() && (1-left)*view.GainMatters > 1:
		return nil
	case others.By == view.ByInterleaving:
	case !v.Slow(), left < leavesLittle:
		confidence = min(confidence, sharesSure)
	}
	if v.OthersBehind() {
		sign += ", on the way of the acknowledgements"
		confidence = min(confidence, behindSure)
	}
	return ofOthers(v, sign, confidence)
}

// ofOthers is the finding that others' traffic fills the bottleneck, as a sign says.
func ofOthers(v *view.View, sign string, confidence float64) *finding.Finding {
	line, left := v.Line()
	e := words.RateEvidence(v)
	if v.Eight != nil {
		e = append(e, finding.Evidence{What: "eight streams carry", Value: v.Eight.SteadyRate, Unit: finding.BitRate})
	}
	e = append(e,
		finding.Evidence{What: "least RTT that was seen", Value: v.LeastSeen(), Unit: finding.Seconds},
		finding.Evidence{What: "UDP loss below the ceiling", Value: v.Base.Mean(), Unit: finding.Ratio},
	)
	return &finding.Finding{
		Cause:      finding.Congested,
		Confidence: confidence,
		Severity:   left,
		Summary: fmt.Sprintf("%s: one stream gets %s of %s.",
			sign, words.Rate(v.Rate), words.Rate(line)),
		Evidence: append(e, words.RetransmitEvidence(v)...),
		Remedies: []finding.Remedy{
			quietHour,
			finding.Remedy{What: fairQueue + " DEV is its device towards the slow link.", Where: finding.Network}.By(finding.Shape(finding.JustBelow(v.OnWire(line)))),
		},
	}
}

// besideOthers is the finding where one stream is all that was measured, and a queue
// of others' fills and drains without it: how fast the path is, nobody knows.
func besideOthers(v *view.View) *finding.Finding {
	return &finding.Finding{
		Cause:      finding.Congested,
		Confidence: creepsSure,
		Severity:   0.5,
		Summary: fmt.Sprintf("A queue of others' fills and drains on the path without our load (RTT %s to %s), and one stream gets %s beside them. Nothing else was measured of this direction, so what the path carries is not known.",
			words.Duration(v.LeastSeen()), words.Duration(v.Idle.High), words.Rate(v.Rate)),
		Evidence: slices.Concat([]finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: "least RTT that was seen", Value: v.LeastSeen(), Unit: finding.Seconds},
			{What: "RTT without our load, high", Value: v.Idle.High, Unit: finding.Seconds},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{quietHour, {What: fairQueue, Where: finding.Network}},
	}
}

// creepsSure: 4 of 4 kept directions like that are slow for others' traffic; a small
// count, shrunk.
const creepsSure = 0.7

var quietHour = finding.Remedy{
	What:  "Find out who else uses the link, and when: the path itself may be as fast as sold. Measure again at a quiet hour.",
	Where: finding.Network,
}

const fairQueue = "Where the router at the bottleneck is yours, let cake share the link fairly between hosts, and keep the queue short."

// drainsOnceSure: all 14 kept directions like that have others on the path; a path whose RTT
// changes by itself, as where a satellite hands over, looks the same.
const drainsOnceSure = 0.6

// heldEachSure is less than half: a limit per flow explains the same.
const heldEachSure = 0.4

// signOf says how other traffic shows, in words, and how sure that is.
func signOf(v *view.View, o view.Others) (sign string, confidence float64) {
	switch o.By {
	case view.ByConstant:
		return fmt.Sprintf("The more UDP we send above the ceiling, the more of it comes through, just as where others send %s into the same queue at one rate, whatever they meet: of the line's %s they leave %s", words.Rate(o.Constant.Rate), words.Rate(o.Constant.Line), words.Rate(o.Constant.Line-o.Constant.Rate)), constantSure
	case view.ByDraining:
		confidence = 0.9
		if v.DrainsOnce() {
			confidence = drainsOnceSure
		}
		return fmt.Sprintf("A queue stands at the bottleneck without our load, and the RTT falls below the idle one (from %s to %s) when others give way", words.Duration(v.Idle.Mid), words.Duration(v.LeastSeen())), confidence
	case view.BySwaying:
		return fmt.Sprintf("A queue fills and drains at the bottleneck without our load (RTT %s to %s), up to where our own overload fills it", words.Duration(v.Idle.Low), words.Duration(v.Idle.High)), 0.9
	case view.ByFairShare:
		if sign := heldEach(v); sign != "" {
			return sign, heldEachSure
		}
		return "The bottleneck shares its rate between flows, and others take most of the shares: eight streams get more than any one flow, however fast it sends", 0.9
	case view.ByStirring:
		return fmt.Sprintf("A queue fills and drains on the path without our load (RTT %s to %s), in one direction or the other", words.Duration(v.Idle.Low), words.Duration(v.Idle.High)), stirsSure
	case view.ByOutsending:
		return fmt.Sprintf("The more UDP we send, the more of it comes through, from %s to %s, while the queue at the bottleneck takes equally long: its line has one rate, and others have the rest of it", words.Rate(o.Least), words.Rate(o.Most)), outsentSure
	case view.ByTaking:
		return fmt.Sprintf("A queue stands at the bottleneck for a while, which is then busy, and our stream has between %s and %s of its rate meanwhile: other traffic, which comes and goes, has the rest", words.Percent(o.Least), words.Percent(o.Most)), takenSure
	case view.ByCrowding:
		return "One stream fills the queue at the bottleneck, as do eight, although they carry only a part of its rate: other traffic, which does not give way, has the rest", 0.7
	case view.ByOutbidding:
		return fmt.Sprintf("Eight streams lose %s of their packets where one loses %s, and yet leave most of the path unused: loss that grows with what we send is other traffic's, which does not give way", words.Percent(seen.LostBy(v.Eight, v.MSS)), words.Percent(v.Losses.AllRatio())), 0.6
	case view.ByTurns, view.ByInterleaving:
		return betweenOurs(v, o)
	case view.ByFullQueue:
		return fmt.Sprintf("The queue at the bottleneck is nearly full without our load (RTT %s to %s; %s where we overload the path), and loses some of what we send far below its rate: other traffic keeps it so", words.Duration(v.Idle.Low), words.Duration(v.Idle.High), words.Duration(v.FullQueue())), keptFullSure
	case view.ByLosingIdle:
		lost := seen.LostUnloaded(v.Run)
		return fmt.Sprintf("%d of %d echo probes got no answer before we sent anything, and the RTT changed meanwhile from %s to %s: other traffic keeps the queue at the bottleneck full", lost.K, lost.N, words.Duration(v.Idle.Low), words.Duration(v.Idle.High)), losesIdleSure
	}
	return "Packets that we send far below the path's rate find its queue standing, and some are dropped there: other traffic keeps it full", besiegedSure
}

// sharesSure is the confidence at the most where the stream has most of what was measured,
// and far more came through for a moment (view.Line): 3 of 3 kept directions like that, of
// 16 with others and such a stream; of the rest none is slow for others. Shrunk.
const sharesSure = 0.7

// leavesLittle of the line is what one stream lacks where others, who come and go, leave it
// nearly enough: of 8 kept directions like that 4 are slow for them.
const leavesLittle = 0.4

// behindSure is the confidence at the most where they fill the way back alone: 3 of 5 kept
// directions like that are slow for them.
const behindSure = 0.6

// constantSure: 2 of 2 such verdicts are right, one of them near the line, and none of
// the other kept downloads, some 500, shows it.
const constantSure = 0.7

// outsentSure: 9 of 9 kept directions like that are slow for others' traffic; a
// small count, shrunk.
const outsentSure = 0.8

// takenSure is the confidence where others show by our share of a busy bottleneck.
const takenSure = 0.75

// stirsSure: of 10 kept directions on which no rule was surer than 0.7, 9 were slow
// for others' traffic, and the tenth perhaps.
const stirsSure = 0.8

// keptFullSure: 3 of 3 kept directions like that have others' traffic, and none of 138
// without it shows it; a small count, shrunk, and the lab's hosts add no noise of their
// own to an RTT.
const keptFullSure = 0.7

// losesIdleSure: the one kept direction like that.
const losesIdleSure = 0.6

// besiegedSure: a path whose own rate is low again and again looks alike.
const besiegedSure = 0.6
