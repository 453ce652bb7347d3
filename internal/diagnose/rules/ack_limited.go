package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/stats"
)

// AckLimited: the way back is too thin for the acknowledgements.
func AckLimited(v *view.View) *finding.Finding {
	back, found := v.AcksQueue()
	switch {
	case !found:
		return nil
	case !v.Slow():
		return ofFullBack(v, back)
	}
	confidence := 0.75 + 0.2*stats.Clamp(back.Share-view.ThinShare, 0, 1)
	if v.Rate > mostAlready*v.Capacity {
		confidence = min(confidence, mostAlreadySure)
	}
	return ofAcks(v, back, confidence)
}

// mostAlready: of 5 kept streams that have more of the path than that beside a full way back,
// a faster one gains 1.2 to 1.4 times as much for 3 and less for 2; below it, 18 of 20 without
// a black hole gain a third.
const (
	mostAlready     = 0.6
	mostAlreadySure = 0.6
)

// ofAcks is the finding that acknowledgements queue on the way back.
func ofAcks(v *view.View, back view.WayBack, confidence float64) *finding.Finding {
	carries := back.Carries()
	return &finding.Finding{
		Cause:      finding.AckLimited,
		Confidence: confidence,
		Severity:   v.Shortfall(),
		Summary: fmt.Sprintf("The way back carries %s, and the acknowledgements of %s, one for two segments, want %s of it: they queue there, and the sender waits for them. One stream gets %s of %s.",
			words.Rate(carries), words.Rate(v.Rate), words.Percent(back.Share), words.Rate(v.Rate), words.Rate(v.Capacity)),
		Evidence: []finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: "the path carries this way", Value: v.Capacity, Unit: finding.BitRate},
			{What: "the way back carries, with all headers", Value: carries, Unit: finding.BitRate},
			{What: "acknowledgements at the stream's rate", Value: back.Need, Unit: finding.BitRate, Source: "RFC 5681 §4.2: one for two segments, 66 bytes each on Ethernet, and a tunnel's headers"},
			{What: "RTT idle", Value: v.Idle.Mid, Unit: finding.Seconds},
			{What: "RTT under this one-way load", Value: v.Loaded.Mid, Unit: finding.Seconds},
			{What: "retransmits", Value: float64(v.Losses.Resent), Unit: finding.Count},
		},
		Remedies: backRemedies(carries),
	}
}

// backRemedies are those of a way back that carries so many bit/s, all headers included.
func backRemedies(carries float64) []finding.Remedy {
	return []finding.Remedy{
		finding.Remedy{
			What:  "On the router that feeds the thin way back, let cake thin out acknowledgements, which only repeat each other while they queue (DEV is its device towards the slow link).",
			Where: finding.Network,
		}.By(finding.FilterACKs(finding.JustBelow(carries))),
		{
			What:  "A faster way back. The sender's congestion control and buffers do not help here.",
			Where: finding.Network,
		},
	}
}

// ofFullBack is the finding where nothing was tried that is faster than what the
// acknowledgements let pass: how fast the path is, nobody knows.
func ofFullBack(v *view.View, back view.WayBack) *finding.Finding {
	sent, carries, meanwhile := v.SentBack(), back.Most(), "the receiver sent meanwhile"
	if sent == 0 {
		sent, meanwhile = back.Need, "the receiver sent meanwhile, by the stream's rate"
	}
	waits := "the sender waits for them"
	if v.WaitsBack(back.Way) {
		waits = fmt.Sprintf("they queue there for %s, as long as what this way back is overloaded with waits, and %s", words.Duration(v.Loaded.Mid-v.Idle.Mid), waits)
	}
	return &finding.Finding{
		Cause:      finding.AckLimited,
		Confidence: fullBackConfidence,
		Severity:   0.5,
		Summary: fmt.Sprintf("While the stream comes one way, %s go back, most of it acknowledgements, and the way back carries %s: %s. One stream gets %s.",
			words.Rate(sent), words.Rate(carries), waits, words.Rate(v.Rate)),
		Evidence: []finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: "the way back carries, with all headers", Value: carries, Unit: finding.BitRate},
			{What: meanwhile, Value: sent, Unit: finding.BitRate},
			{What: "acknowledgements at the stream's rate", Value: back.Need, Unit: finding.BitRate, Source: "RFC 5681 §4.2: one for two segments"},
			{What: "RTT idle", Value: v.Idle.Mid, Unit: finding.Seconds},
			{What: "RTT under this one-way load", Value: v.Loaded.Mid, Unit: finding.Seconds},
			{What: "RTT under load the other way", Value: back.Way.Loaded.Mid, Unit: finding.Seconds},
		},
		Remedies: backRemedies(carries),
	}
}

// fullBackConfidence: a queue this way that is as long by chance looks the same.
const fullBackConfidence = 0.7
