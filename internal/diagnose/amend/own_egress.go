package amend

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// withEgress says where the queue is that a finding speaks of, where it is the
// sending host's own: a shaper there, whose packets wait or are dropped before
// they leave the host. A stream that fills such a shaper is as fast as that lets it be.
func withEgress(v *view.View, f finding.Finding) finding.Finding {
	fills := f.Cause == finding.Healthy && !v.Slow() && !v.Alone()
	e, q, ok := hosts.OwnQueue(v)
	if !ok || !fills && !slices.Contains(byQueue, f.Cause) {
		return f
	}
	if !hosts.AnyShaper && !fills && !isOwn(v, f.Cause, q) {
		return f
	}
	name := words.QueueName(q)
	if fills {
		f.Summary += fmt.Sprintf(" The limit is %s's own shaper, %s: what the path carries beyond it is not known. If the line is sold as clearly faster, raise the shaper's rate there (tc qdisc show dev %s).", e.Words, name, q.Device)
		return f
	}
	f.Summary += fmt.Sprintf(" That is %s's own queue: %s.", e.Words, name)
	stood := finding.Evidence{What: "most that stood in it", Value: float64(q.Backlog), Unit: finding.Bytes}
	f.Evidence = slices.Concat(f.Evidence, words.QueueEvidence(q), []finding.Evidence{stood})
	f.Remedies = append([]finding.Remedy{{
		What:  fmt.Sprintf("The bottleneck is this queue of the sending host, %s: change its rate or its kind there (tc qdisc show dev %s). What is changed elsewhere on the path does not help.", name, q.Device),
		Where: e.Where, Host: e.Host,
	}}, slices.DeleteFunc(slices.Clone(f.Remedies), func(r finding.Remedy) bool { return r.Where == finding.Network })...)
	// Outages may be what holds the stream back; that others share the queue is not read in it,
	// nor that it is too short for a stream which lost nothing since slow start.
	_, outages := v.Interrupted()
	_, _, once := v.LostOnce()
	if !outages && f.Cause != finding.Congested && !(once && f.Cause == finding.ShallowBuffer) {
		f.Confidence = max(f.Confidence, ownQueueSure)
	}
	return f
}

// byQueue are the causes that a queue at the bottleneck makes. A policer has none.
var byQueue = []finding.Cause{finding.Bufferbloat, finding.ShallowBuffer, finding.Congested}

// ownQueueSure is the confidence where the queue itself was read.
const ownQueueSure = 0.9
