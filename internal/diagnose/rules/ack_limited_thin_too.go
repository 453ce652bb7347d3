package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// ThinToo looks for a way back that is too thin for the acknowledgements of what the path
// carries, or of what one stream carried outside a tunnel: what was found keeps the stream
// so slow that it hardly meets that.
func ThinToo(v *view.View, found []finding.Finding) *finding.Finding {
	hides := func(f finding.Finding) bool { return f.Severity > 0 && slices.Contains(hidesAcks, f.Cause) }
	if !slices.ContainsFunc(found, hides) || finding.Named(found, finding.AckLimited) {
		return nil
	}
	rate := v.WithoutTunnel()
	back, need, thin := v.TooThinFor(rate)
	if !thin {
		return nil
	}
	f := ofAcks(v, back, thinTooSure)
	f.Severity = ends.NextSeverity
	f.Summary = fmt.Sprintf("Once that is fixed, the way back limits the stream next: it carries %s, and the acknowledgements of %s want %s.",
		words.Rate(back.Carries()), words.Rate(rate), words.Rate(need))
	return f
}

// hidesAcks are the causes behind which a stream fills no way back.
var hidesAcks = []finding.Cause{
	finding.Congested, finding.SendBuffer, finding.ReceiveWindow, finding.UDPThrottled, finding.SlowStart,
}

// thinTooSure: 3 of 3 kept directions like that gain a third with a faster way back.
const thinTooSure = 0.6
