package rules

import (
	"fmt"

	"unchoke/internal/diagnose/hosts"
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
	if _, _, beyond := hosts.LostBeyond(v); beyond > 0 || !isSpeck(v, beside) {
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

// KeptSpeckToo looks, behind others who keep a queue full, for one of a few packets: it drops
// some of whatever arrives, and a longer one would leave a stream more.
func KeptSpeckToo(v *view.View, found []finding.Finding) *finding.Finding {
	if !finding.Named(found, finding.Congested) || finding.Named(found, finding.ShallowBuffer) {
		return nil
	}
	wait := v.Idle.High - v.LeastSeen()
	if !v.KeptFull() || !isSpeck(v, wait) {
		return nil
	}
	f := ofShallowBuffer(v, wait, false, keptSpeckSure)
	f.Severity = ends.NextSeverity
	f.Summary = fmt.Sprintf("The queue that others keep full holds %s of the %s that are under way on this path, and drops %s of what is sent evenly: a longer one would leave one stream more.",
		words.Size(wait*v.Capacity/8), words.Size(v.BDP()), words.Percent(v.Base.Mean()))
	return f
}

// keptSpeckSure: 2 of 2 paths like that, with two BBR streams before a queue of 2 ms and of
// 1, gain from a longer one 2.1 and 4.3 times as much.
const keptSpeckSure = 0.6
