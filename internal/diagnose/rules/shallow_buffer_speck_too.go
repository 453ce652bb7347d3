//go:build !slim

package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// SpeckToo looks for a queue of a few packets. Behind random loss: what was lost by chance
// keeps a stream so slow that it hardly meets it, and without that it overflows it. Behind
// others who keep it full: it drops some of whatever arrives.
func SpeckToo(v *view.View, found []finding.Finding) *finding.Finding {
	own, beside, _ := v.Wait()
	confidence, others := speckTooSure, finding.Named(found, finding.Congested)
	kept, short := keptShort(v)
	short = short && others
	switch {
	case finding.Named(found, finding.ShallowBuffer) || hosts.LostBeyond(v) > 0:
		return nil
	case others && v.KeptFull():
		own = v.Idle.High - v.LeastSeen()
		beside, confidence = own, keptSpeckSure
	case short:
		own = kept
	case !finding.Named(found, finding.LossLimited):
		return nil
	}
	if !short && !isSpeck(v, beside) {
		return nil
	}
	f := ofShallowBuffer(v, own, false, confidence)
	f.Severity = ends.NextSeverity
	if others { // pushing them aside is no remedy
		f.Remedies = slices.DeleteFunc(f.Remedies, func(r finding.Remedy) bool { return r.Where == finding.Sender })
	}
	f.Summary = fmt.Sprintf("Once that is fixed, the queue at the bottleneck limits the stream next: it holds %s of the %s that are under way on this path.",
		words.Size(own*v.Capacity/8), words.Size(v.BDP()))
	return f
}

const (
	// speckTooSure: the one kept direction like that gains from either being taken away.
	speckTooSure = 0.5
	// keptSpeckSure: 2 of 2 paths like that, with two BBR streams before a queue of 2 ms and
	// of 1, gain from a longer one 2.1 and 4.3 times as much.
	keptSpeckSure = 0.6
)
