package rules

import (
	"cmp"
	"fmt"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// Healthy is the finding where no rule found a cause: one stream carries what the path
// can, or it does not and nobody knows why. Then a guess takes its place, if there is one.
func Healthy(v *view.View) *finding.Finding {
	f := HealthyOrUnclear(v)
	if f.Cause == finding.Unclear {
		return cmp.Or(lostPerhaps(v), begun(v), f)
	}
	return f
}

// HealthyOrUnclear is the same without a guess: where one stream does not carry what the
// path can, the finding is unclear, and says so.
func HealthyOrUnclear(v *view.View) *finding.Finding {
	has, can := words.Rate(v.Rate), words.Rate(v.Capacity)
	f := finding.Finding{
		Cause:      finding.Healthy,
		Confidence: fillsMost(v.Rate / max(v.Capacity, 1)),
		Summary: fmt.Sprintf("One stream carries %s, and that is what the path can carry (%s).",
			has, can),
		Evidence: append(words.RateEvidence(v), words.RetransmitEvidence(v)...),
	}
	least, most, changes := seen.LineRates(v.Rungs)
	fed := v.Limits.Starved < view.LimitShare // its sender had something to send
	switch {
	case v.Alone() && !v.Queued():
		aloneWithoutQueue(v, &f)
	case v.Alone() && v.Moves():
		f.Cause, f.Confidence = finding.Unclear, unclearConfidence
		f.Summary = fmt.Sprintf("One stream carries %s and meets a queue, but one fills and drains without our load as well (RTT %s to %s). What the path can carry is not known."+nothingElse,
			has, words.Duration(v.Idle.Low), words.Duration(v.Idle.High))
	case v.Alone() && v.Once() > fasterOnce*v.Rate:
		f.Cause, f.Confidence = finding.Unclear, unclearConfidence
		f.Summary = fmt.Sprintf("One stream carries %s and meets a queue, but for a moment %s came through: either the path's rate changes, or what queues are its acknowledgements on their way back, or others take what is missing."+nothingElse,
			has, words.Rate(v.Once()))
	case !v.Slow() && v.Alone():
		f.Confidence = fillsAlone
		f.Summary = fmt.Sprintf("One stream carries %s and keeps a queue standing at the bottleneck: it fills the path."+nothingElse, has)
	case eightFaster(v, &f):
	case v.FillsBetween() && v.Rate < view.SlowShare*v.Capacity:
		f.Summary = fmt.Sprintf("One stream carries %s. It fills the path (%s) for most of its time, and stands still only while nothing comes through.",
			has, can)
	case !v.Slow():
	case v.FillsAsItIs():
		f.Confidence = slowsMost
		f.Summary = fmt.Sprintf("One stream carries %s and keeps the bottleneck busy all the time. Its rate changes: at another time it was %s.",
			has, can)
	case fillsSoon(v):
		f.Confidence = younger
		f.Summary = fmt.Sprintf("One stream had reached %s of the %s that the path can carry when it ended, and was still speeding up: nothing but its own start held it back.",
			has, can)
	case v.Overshot() && fed && !v.StandsByItself():
		f.Confidence = overshotSure
		f.Summary = fmt.Sprintf("One stream carries %s of the %s that the path can. Its slow start filled the path, lost %d packets there and none since: it is growing back.",
			has, can, v.Losses.Real)
	case growsBackSoon(v):
		f.Confidence = growsBackSure
		f.Summary = fmt.Sprintf("One stream carries %s of the %s that the path can. Its slow start lost %d packets, in a short queue or by chance, and nothing was lost since: it is growing back, which takes %s.",
			has, can, v.Losses.Real, words.Duration(growsTo(v)))
	case closedByGaps(v, &f):
	case filledOnce(v, &f):
	case v.Enough() && fed && !v.StandsByItself():
		// A stream that still speeds up, or that a short queue makes a little
		// slower, lacks nothing that a setting would fix.
		f.Confidence = younger
		f.Summary = fmt.Sprintf("One stream carries %s of the %s that the path can; nothing holds it back but its own start and a short queue.",
			has, can)
	case changes && v.Rate >= view.ShallowShare*(least+most)/2 && fed:
		f.Confidence = averageSure
		f.Summary = fmt.Sprintf("One stream carries %s. The line's own rate changes, between %s and %s: the same queue takes as much longer to drain. The stream has about the mean of the two.",
			has, words.Rate(least), words.Rate(most))
	case v.Slows() && v.Queued() && v.Rate >= halfOfBest*v.Capacity && fed:
		f.Confidence = averageSure
		f.Summary = fmt.Sprintf("One stream carries %s and keeps a queue standing. The line's own rate is lower at times, in which that queue takes longer: at its best it is %s.",
			has, can)
	default:
		f.Cause, f.Confidence, f.Severity = finding.Unclear, unclearConfidence, 0.1
		f.Summary = fmt.Sprintf("One stream carries only %s of the %s that the path can, and nothing that was measured says why.",
			has, can)
		if !fed {
			f.Summary += " The sender often had nothing to send although both windows had room: either its buffer is too small or its program offers no more."
		}
		f.Evidence = append(f.Evidence, words.LimitEvidence(v)...)
	}
	if f.Cause == finding.Healthy {
		if changes && v.Rate < view.SlowShare*most {
			doubt(&f, slowsMost, "But the line's own rate changes, up to %s: what one stream misses of it is not known.", words.Rate(most))
		}
		doubts(v, &f)
	}
	return &f
}

// fillsSoon says that the stream lost nothing, never stood still, was still speeding up
// when it ended, and that CUBIC grows from there to the path's rate within soon.
func fillsSoon(v *view.View) bool {
	return v.SpeedsUp() && v.Losses.Resent >= 0 && v.Losses.Real == 0 && len(v.Stalls) == 0 && growsTo(v) < soon
}

// growsBackSoon says the same of CUBIC's stream that lost packets in slow start alone.
// How short the queue is that it overflowed matters little then: in the long run CUBIC
// keeps a mean of 0.925 of its largest window (RFC 9438 §4.1, β = 0.7: 1 - 0.3/4).
func growsBackSoon(v *view.View) bool {
	return v.CC == "cubic" && v.Regrows() && v.Losses.Real > 0 && len(v.Stalls) == 0 && growsTo(v) < soon
}

// growsTo is how many seconds CUBIC takes from the stream's rate to the path's.
func growsTo(v *view.View) float64 {
	return theory.CubicGrowthFrom(v.Rate/8*v.Idle.Mid, v.BDP(), v.MSS)
}

// fasterOnce is more than a stream's growth and the ends of a span make of one rate.
const fasterOnce = 1.5

// How often paths were healthy on which nothing was found, by what was seen, in
// sixteen draws (docs/diagnosis-draws.md): where one stream has 0.8 to 0.9 of the
// capacity in 40 of 44, with more in 289 of 294; where it fills a queue and nothing
// else was measured in 32 of 34; where only its start or a short queue holds it back in
// 19 of 20. The small counts are shrunk.
func fillsMost(share float64) float64 { return 0.88 + 0.5*(share-view.SlowShare) }

const (
	fillsAlone = 0.88
	younger    = 0.85
	// overshotSure: a small count; loss that is rare enough would not have been met yet.
	overshotSure = 0.7
	// growsBackSure: of 6 directions like that 5 were healthy; shrunk.
	growsBackSure = 0.6
	// averageSure: 4 of 4 directions like that; how long the line has which rate is not known.
	averageSure = 0.6
	// halfOfBest is of the best rate of a line that is slower at times: both directions
	// like that were healthy.
	halfOfBest = 0.5
	// fillsByProbes: where nothing but one BBR stream was measured, 2 of 2; shrunk.
	fillsByProbes = 0.7
	// fillsTrains: where a stream's packets come no faster within a burst, 6 of 6.
	fillsTrains = 0.8
)

// aloneWithoutQueue: the stream filled no queue, and nothing else was sent. What the
// path carries is known by the stream's own trains, or not at all.
func aloneWithoutQueue(v *view.View, f *finding.Finding) {
	train := v.TrainRate()
	_, q, shaped := hosts.OwnQueue(v)
	carries := fmt.Sprintf("One stream carries %s", words.Rate(v.Rate))
	switch {
	case shaped && congestion.LossBased(v.CC) && len(v.Stalls) == 0:
		f.Confidence = fillsAlone
		f.Summary = carries + fmt.Sprintf(" and keeps the sending host's own shaper busy, %s, which held its packets back: it fills the path.", words.QueueName(q))
	case v.BBRProbes():
		f.Confidence = fillsByProbes
		f.Summary = carries + ", and its BBR, which tries a quarter more every eight round trips whatever it loses, found no more: it fills the path."
	case v.FillsTrains(train):
		f.Confidence = fillsTrains
		f.Summary = carries + fmt.Sprintf(", and its packets came no faster where they came close together (%s): it fills the path.", words.Rate(train))
		f.Evidence[1] = finding.Evidence{What: "packets arrive within a burst at", Value: train, Unit: finding.BitRate}
	default:
		f.Cause, f.Confidence = finding.Unclear, unclearConfidence
		f.Summary = carries + ". What the path can carry is not known."
	}
	f.Summary += nothingElse
}

// nothingElse was measured but one stream.
const nothingElse = " Nothing else was measured of this direction."
