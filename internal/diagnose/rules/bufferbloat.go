package rules

import (
	"fmt"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/stats"
)

// Bufferbloat: a queue far larger than the path needs stands at the
// bottleneck.
func Bufferbloat(v *view.View) *finding.Finding {
	f, ofCrowd := bloat(v)
	if ofCrowd {
		return nil
	}
	return f
}

// CrowdBloats looks for a queue that eight streams keep standing, of which one leaves most
// empty: it costs that one nothing.
func CrowdBloats(v *view.View, found []finding.Finding) *finding.Finding {
	f, ofCrowd := bloat(v)
	if !ofCrowd || finding.Named(found, finding.Bufferbloat) {
		return nil
	}
	f.Severity = 0
	f.Summary += " It takes several streams to fill it: one leaves most of it empty."
	return f
}

// bloat is the finding that a queue stands, and whether only a crowd fills it.
func bloat(v *view.View) (f *finding.Finding, ofCrowd bool) {
	by, under, alone, found := v.Standing()
	if !found {
		return nil, false
	}
	if _, acks := v.AcksQueue(); acks {
		return nil, false // that queue is the acknowledgements' on the way back: see AcksBloat
	}
	if bunched(v) {
		return nil, false // a stream that bunches hold back keeps no queue standing: the line slows down at times
	}
	byCrowd := v.Eight != nil && by == v.Eight.Name
	short := !v.Rising && v.Losses.Steady > 0 || v.FullIsShort()
	if byCrowd && !v.Slow() && short {
		return nil, false // one stream fills the path and leaves the queue short, as behind an AQM
	}
	excess := under.Mid - v.Idle.Mid
	severity := waitCosts(v, excess)
	if v.Slow() || !alone {
		severity *= othersWait
	}
	counts := max(view.BloatExcess, (view.BloatFactor-1)*v.Idle.Mid)
	confidence := bloatLeast + (bloatMost-bloatLeast)*stats.Clamp(excess/counts-1, 0, 1)
	if v.Slows() || v.Halves(by) || v.Contradicted() || v.Out.Share() >= emptiedByOutages {
		confidence = slowsMost
	}
	if byCrowd {
		confidence = min(confidence, crowdMost)
	}
	// Given longer than a test, a loss-based sender fills more of a queue, and BBR does not.
	keepsShort := !congestion.LossBasedOrUnknown(v.CC) || v.Loaded.Mid-v.Idle.Mid < counts/2
	ofCrowd = byCrowd && keepsShort
	return &finding.Finding{
		Cause:      finding.Bufferbloat,
		Confidence: confidence,
		Severity:   severity,
		Summary: fmt.Sprintf("A queue of %s stands at the bottleneck: the round trip takes %s idle and %s under load, for everyone on it.",
			words.Duration(excess), words.Duration(v.Idle.Mid), words.Duration(under.Mid)),
		Evidence: append(waitEvidence(v, under, by),
			finding.Evidence{What: "queue standing at the bottleneck", Value: excess * v.Capacity / 8, Unit: finding.Bytes},
			finding.Evidence{What: "bandwidth-delay product", Value: v.BDP(), Unit: finding.Bytes},
			finding.Evidence{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			finding.Evidence{What: "the path carries", Value: v.Capacity, Unit: finding.BitRate},
		),
		Remedies: []finding.Remedy{
			finding.SmartQueue(v.OnWire(v.Capacity)),
			bloatAtSender(v),
		},
	}, ofCrowd
}

// waitCosts is how severe a wait of so many seconds is that a queue adds to each round trip.
func waitCosts(v *view.View, excess float64) float64 {
	return stats.Clamp(excess/(excess+view.BloatFactor*v.Idle.Mid+view.BloatExcess), 0, 1)
}

// othersWait is the share of that where a queue makes others wait, and not this stream slow.
const othersWait = 0.3

// waitEvidence is of a round trip without load, and of one under that of a transfer.
func waitEvidence(v *view.View, under flow.Spread, by string) []finding.Evidence {
	return []finding.Evidence{
		{What: "RTT idle", Value: v.Idle.Mid, Unit: finding.Seconds},
		{What: "RTT under load, median", Value: under.Mid, Unit: finding.Seconds, Source: "while " + loadWords(v, by) + " the path"},
		{What: "RTT under load, 95th percentile", Value: under.High, Unit: finding.Seconds},
	}
}

// loadWords say what filled a queue, by the name of its transfer or rung in the record.
func loadWords(v *view.View, by string) string {
	switch {
	case by == v.One.Name:
		return "one stream fills"
	case v.Eight != nil && by == v.Eight.Name:
		return "several streams fill"
	}
	return "UDP overfills"
}

// How sure bufferbloat is: just above what counts as such 5 of 7 were right at first
// sight, half as far again 21 of 23, from twice that on all of the last nine draws.
const (
	bloatLeast = 0.75
	bloatMost  = 0.99
)

// slowsMost is the confidence where the path's own rate changes, as one that gives
// eight streams less than half of what one had: at another time another queue stands.
const slowsMost = 0.6

// crowdMost is the confidence at the most where one stream alone keeps less waiting than
// counts: of 2 kept directions like that one is near the line, one is healthy.
const crowdMost = 0.7

// emptiedByOutages is the share of the time in which nothing comes through, from which a
// stream is thrown back too often to keep a queue standing for long, or to meet a policer:
// the one kept direction with each, with 0.14 and 0.31, had none for its cause.
const emptiedByOutages = 0.1

func bloatAtSender(v *view.View) finding.Remedy {
	if congestion.BBR(v.CC) {
		return finding.Remedy{
			What:  "BBR keeps its own queue short already: what stands here is other traffic's, or several streams'.",
			Where: finding.Sender, Host: v.Sender(),
		}
	}
	return finding.EmptyQueue(v.Sender())
}

// nearBloatSure is the confidence of a healthy path where view.NearlyBloated, by how near the
// one stream itself came to what counts.
func nearBloatSure(v *view.View) float64 {
	if v.Loaded.Mid > view.BloatFactor*v.Idle.Mid && v.Loaded.Mid-v.Idle.Mid > almost*view.BloatExcess {
		return almostBloat
	}
	return nearBloat
}

const (
	// nearBloat: 14 of 14 in nine draws.
	nearBloat = 0.92
	// almostBloat: of 6 kept streams that came as near as almost, 1 made a bufferbloat in the
	// truth's run, and 3 perhaps.
	almostBloat = 0.6
	almost      = 0.85
)
