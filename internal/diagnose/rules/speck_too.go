package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// SpeckToo looks, behind random loss, for a queue of a few packets: what was lost by chance
// keeps a stream so slow that it hardly meets it, and without that it overflows it.
func SpeckToo(v *view.View, found []finding.Finding) *finding.Finding {
	if !finding.Named(found, finding.LossLimited) || finding.Named(found, finding.ShallowBuffer) {
		return nil
	}
	own, beside, _ := v.Wait()
	if !isSpeck(v, beside) {
		return nil
	}
	f := ofShallowBuffer(v, own, false, speckTooSure)
	f.Severity = ends.NextSeverity
	f.Summary = fmt.Sprintf("Once that is mended, the queue at the bottleneck limits the stream next: it holds %s of the %s that are under way on this path.",
		words.Size(own*v.Capacity/8), words.Size(v.BDP()))
	return f
}

// speckTooSure: the one kept direction like that gains from either being taken away.
const speckTooSure = 0.5
