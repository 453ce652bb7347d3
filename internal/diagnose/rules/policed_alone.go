package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// PolicedAlone: a good part of the stream's packets were dropped while none waited,
// and its trains came far faster than what was left. It is asked where nothing else
// was measured of the direction, since a queue of a few packets would look the same, or
// where all came through that was sent evenly, and faster: as long as a bucket lasts.
func PolicedAlone(v *view.View) *finding.Finding {
	faster := v.Base.K == 0 && len(v.Overloads()) == 0 && v.Eight == nil && v.Capacity >= view.GainMatters*v.Rate
	if !v.Alone() && !faster || v.Queued() || v.Reordered() || v.Losses.Segments <= 0 || v.Idle.N < fairProbes {
		return nil
	}
	lost := float64(v.Losses.Real) / float64(v.Losses.Segments)
	train, waited, short, rest := v.TrainRate(), v.Waited(), hardlyWaited, "Nothing else was measured of this direction."
	if faster { // which a queue of a few packets would have dropped
		train, short, rest = v.Capacity, tinyQueue, "What was sent evenly, as fast for a moment, all came through, as out of a bucket that had filled again."
	}
	if lost < policedLost || train < view.GainMatters*v.Rate || waited > short*v.Idle.Mid || v.Idle.Dev > hardlyWaited*v.Idle.Mid {
		return nil
	}
	if v.LosesUnloaded() {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Policed, Confidence: policedAloneSure, Severity: 0.3,
		Summary: fmt.Sprintf("%s of the stream's packets were dropped, and none of the others waited: something drops what exceeds a rate and lets nothing queue, a policer. Packets came at up to %s for a moment, and one stream gets %s. %s",
			words.Percent(lost), words.Rate(train), words.Rate(v.Rate), rest),
		Evidence: slices.Concat([]finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: "packets arrive within a burst at", Value: train, Unit: finding.BitRate},
			{What: "rise of the longest RTTs under load", Value: waited, Unit: finding.Seconds},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{networkLimit()},
	}
}

// policedAloneSure: 3 of 3 such verdicts were right; a small count, shrunk.
const policedAloneSure = 0.7

// fairProbes are enough to see a loss of some percent without load.
const fairProbes = 50
