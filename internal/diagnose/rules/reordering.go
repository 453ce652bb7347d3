package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// Reordering: packets overtake each other, the sender takes the overtaken for
// lost, resends what was not lost and slows down: the jitter cliff.
func Reordering(v *view.View) *finding.Finding {
	enough := v.Enough() // and held back all the same where another stream had far less: chance decides
	if !v.Slow() || enough && v.Slowest() >= reorderedLess*v.Capacity || !v.Reordered() || v.Limits.Network < view.LimitShare {
		return nil
	}
	if _, met := v.Ceiling(); met && !enough && (fillsSoon(v) || growsBackSoon(v)) && v.Rate >= nearFull*v.Capacity {
		return nil // what it lost, or resent in vain, ended its slow start, and holds it back no more
	}
	p, _ := v.RealLoss()
	model := min(theory.CubicRate(v.Idle.Mid, p, v.MSS), v.Capacity)
	byLoss := v.Rate >= view.ByLossAlone*model && model < view.SlowShare*v.Capacity && !v.UDPLosesAlone()
	if byLoss && v.Base.K != 1 {
		return nil // loss alone explains the rate, but for one that a single packet stands for
	}
	young := v.Regrows() && v.Losses.Real == 0 // it lost nothing, and made up for what it took for lost
	if young || byLoss || v.Rate >= reorderedLess*v.Capacity || seen.TypicalRate(v.One) >= view.SlowShare*v.Capacity {
		return ofReordering(v, reorderingAtTimes)
	}
	return ofReordering(v, reorderingSure)
}

// How sure reordering is. Of kept directions whose stream had less than reorderedLess of
// the path 21 of 35 were slow for it; of those that had more 4 of 15, and half of these 15
// were healthy in the long run. Of those that grew back and had lost nothing 1 of 4. Delay
// that varies may cost a stream more by other ways.
const (
	reorderedLess     = 0.45
	reorderingSure    = 0.47
	reorderingAtTimes = 0.4
	// nearFull is of the capacity: of streams that still speeded up above it both were
	// healthy, the one with less went on at half of what the path carries.
	nearFull = 0.4
)

// ofReordering is the finding that packets overtake each other.
func ofReordering(v *view.View, confidence float64) *finding.Finding {
	return &finding.Finding{
		Cause:      finding.Reordering,
		Confidence: confidence,
		Severity:   v.Shortfall() * v.Limits.Network,
		Summary: fmt.Sprintf("Packets overtake each other (delay varies by ±%s), and the sender takes the overtaken for lost: one stream gets %s of %s.",
			words.Duration(v.Idle.Dev), words.Rate(v.Rate), words.Rate(v.Capacity)),
		Evidence: slices.Concat(words.RateEvidence(v), []finding.Evidence{
			{What: "UDP packets out of order", Value: v.Strays.Mean(), Unit: finding.Ratio},
			{What: "UDP loss below the ceiling", Value: v.Base.Mean(), Unit: finding.Ratio},
			{What: "reordering events seen by the sender", Value: float64(v.Losses.ReordSeen), Unit: finding.Count},
			{What: "standard deviation of the RTT", Value: v.Idle.Dev, Unit: finding.Seconds},
			{What: "jitter against RTT", Value: v.Idle.Dev / max(v.Idle.Mid, 1e-9), Unit: finding.Ratio},
		}, words.RetransmitEvidence(v)),
		Remedies: reorderingRemedies(v),
	}
}

func reorderingRemedies(v *view.View) []finding.Remedy {
	return []finding.Remedy{
		finding.StopReordering(),
		finding.Remedy{
			What:  "On the sending host, let TCP wait for stragglers longer before it calls them lost: net.ipv4.tcp_reordering is where it starts, tcp_max_reordering the bound. Compare congestion controls before choosing one: near the cliff either may win.",
			Where: finding.Sender,
			Host:  v.Sender(),
		}.By(finding.TolerateReordering()),
	}
}
