package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// Bunched: the delay varies and the order is kept, as on a radio link, so that
// packets come in bunches; each bunch overflows a queue that would hold the
// stream if they came evenly.
func Bunched(v *view.View) *finding.Finding {
	if !bunched(v) {
		return nil
	}
	own, _, known := v.Wait()
	what := "The bunches overflow the queue before the path is full."
	if known {
		what = fmt.Sprintf("The queue at the bottleneck holds %s: the bunches overflow it long before the path is full.", words.Size(own*v.Capacity/8))
	}
	return ofBunches(v, own, bunchedConfidence, what)
}

// bunched says that bunches hold the stream back: a third more is to be had.
func bunched(v *view.View) bool {
	return backsOff(v) && v.Bunches() && v.LostInOrder() && (v.LacksAThird() || len(v.Stalls) > 0)
}

// HeldByJitter: such a delay, far more than a queue's, beside a stream that is slow
// for no other reason that shows. Its bunches overflow the queue, or its sender takes
// the delay for a queue that fills, and leaves slow start early: then nothing need be lost,
// where packets were seen to be held back. It is asked where nothing else was found.
func HeldByJitter(v *view.View) *finding.Finding {
	if !backsOff(v) || !variesInOrder(v) || !v.LacksAThird() || v.Losses.Resent == 0 && !heldUnlost(v) {
		return nil
	}
	own, _, _ := v.Wait()
	return ofBunches(v, own, heldByJitterSure, "Bunches overflow a queue that would hold the stream if they came evenly, and a sender that takes the delay for a queue leaves slow start early (HyStart): which of both it is here is not known.")
}

// variesInOrder says that the delay varies by much of the RTT, and that packets keep their
// order all the same.
func variesInOrder(v *view.View) bool {
	return v.Jittery() && v.KeepsOrder() && v.Idle.Dev >= view.JitterOfRTT*v.Idle.Mid
}

// heldByJitterSure: of 9 kept directions like that all were slow for the delay, 2 of
// them for slow start alone.
const heldByJitterSure = 0.7

// ofBunches is the finding that packets come in bunches, before a queue that holds so
// many seconds, and what comes of it.
func ofBunches(v *view.View, own, confidence float64, what string) *finding.Finding {
	f := ofShallowBuffer(v, own, false, confidence)
	order := "keeps the packets' order"
	if v.Overtaken() {
		order = "lets some packets overtake"
	}
	f.Summary = fmt.Sprintf("The delay varies by ±%s and %s, so that they come in bunches, as on radio links. %s One stream gets %s of %s.",
		words.Duration(v.Idle.Dev), order, what, words.Rate(v.Rate), words.Rate(v.Capacity))
	f.Evidence = append([]finding.Evidence{
		{What: "standard deviation of the RTT", Value: v.Idle.Dev, Unit: finding.Seconds},
		{What: "jitter against RTT", Value: v.Idle.Dev / max(v.Idle.Mid, 1e-9), Unit: finding.Ratio},
	}, f.Evidence...)
	return f
}

// bunchedConfidence: others' traffic looks much the same. 12 of 13 were right.
const bunchedConfidence = 0.8
