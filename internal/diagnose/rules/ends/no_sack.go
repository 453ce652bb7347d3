//go:build !slim

package ends

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// NoSACK: the stream has no selective acknowledgements, and is slow while its sender repairs
// what a full queue, or the path, took of a window: one packet a round trip. A stream that
// was fast until then, and repairs when it ends, would go on so for as long.
func NoSACK(v *view.View) *finding.Finding {
	repairs := v.Repairs()
	carries, least := v.Rate, repairShare
	if !v.Slow() && repairs.Last {
		carries, least = repairs.Rate, repairsOn
	}
	if repairs.Share < least || carries >= view.ShallowShare*v.Capacity {
		return nil
	}
	f := &finding.Finding{
		Cause:      finding.NoSACK,
		Confidence: 0.6 + 0.35*repairs.Share,
		Severity:   1 - carries/v.Capacity,
		Summary: fmt.Sprintf("The connection has no selective acknowledgements, so that its sender repairs one lost packet a round trip. It spends %s of its time on that, and carries %s meanwhile, of %s that the path can.",
			words.Percent(repairs.Share), words.Rate(repairs.Rate), words.Rate(v.Capacity)),
		Evidence: slices.Concat(words.RateEvidence(v), []finding.Evidence{
			{What: "time spent on repairs, a packet a round trip", Value: repairs.Share, Unit: finding.Ratio},
			{What: "carried meanwhile", Value: repairs.Rate, Unit: finding.BitRate},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{switchedOn(v, v.Run.Near.SACK, finding.AcknowledgeSelectively(), sackHere, sackThere)},
	}
	if once := v.BDP() / float64(v.MSS) * v.Idle.Mid; repairs.Times <= 1 && once < repairedSoon {
		f.Confidence = min(f.Confidence, repairedOnce)
		f.Summary += fmt.Sprintf(" If that is what its slow start lost, it is over after some %s, and a longer stream lacks nothing until it loses packets again.", words.Duration(once))
	}
	return f
}

const (
	// repairsOn is a share of the time that is no chance, of a stream that goes on repairing.
	repairsOn = 0.15
	// repairedSoon, in seconds, are few beside the time that a long stream takes.
	repairedSoon = 10
	// repairedOnce: a small count.
	repairedOnce = 0.6
)

// What to do about it, by the host that has them off.
const (
	sackHere  = "Turn selective acknowledgements on: they are off on this host. It acts on new connections."
	sackThere = "Turn selective acknowledgements on at the far host, or find the firewall that takes the option away: this host offers them. It acts on new connections."
)
