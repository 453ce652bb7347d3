package diagnose

import "fmt"

// healthy is the finding where no rule found a cause: one stream carries what
// the path can. Where it does not, the finding is unclear, and says so.
func healthy(v *view) *Finding {
	f := Finding{
		Cause:      Healthy,
		Confidence: 0.6 + 2*(v.rate/max(v.capacity, 1)-slowShare),
		Summary: fmt.Sprintf("One stream carries %s, and that is what the path can carry (%s).",
			rate(v.rate), rate(v.capacity)),
		Evidence: append([]Evidence{
			{What: "one stream carries", Value: v.rate, Unit: bitRate},
			{What: "the path carries", Value: v.capacity, Unit: bitRate},
		}, v.retransmitEvidence()...),
	}
	switch {
	case v.alone() && !v.queued():
		f.Confidence = 0.4
		f.Summary = fmt.Sprintf("One stream carries %s. Nothing else was measured of this direction, so what the path can carry is not known.", rate(v.rate))
	case !v.slow():
	case v.rate >= shallowShare*v.capacity:
		// A stream that still speeds up, or that a short queue makes a little
		// slower, lacks nothing that a setting would mend.
		f.Confidence = 0.5
		f.Summary = fmt.Sprintf("One stream carries %s of the %s that the path can; nothing holds it back but its own start and a short queue.",
			rate(v.rate), rate(v.capacity))
	default:
		f.Cause, f.Confidence, f.severity = Unclear, 0.5, 0.1
		f.Summary = fmt.Sprintf("One stream carries only %s of the %s that the path can, and nothing that was measured says why.",
			rate(v.rate), rate(v.capacity))
		f.Evidence = append(f.Evidence, v.limitEvidence()...)
	}
	return &f
}

// shallowShare: CUBIC over a queue that holds next to nothing averages 0.85 of
// the rate in the long run, and a quarter less in a run of seconds.
const shallowShare = 0.6
