package diagnose

import (
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// withEgress says where the queue is that a finding speaks of, where it is the
// sending host's own: a shaper there, whose packets wait or are dropped before
// they leave the host.
func (v *view) withEgress(f finding.Finding) finding.Finding {
	if !slices.Contains(byQueue, f.Cause) {
		return f
	}
	e, q, ok := v.ownQueue()
	if !ok {
		return f
	}
	name := fmt.Sprintf("%s on %s", q.Kind, q.Device)
	f.Summary += fmt.Sprintf(" That is %s's own queue: %s.", e.words, name)
	f.Evidence = slices.Clone(f.Evidence)
	f.Evidence = append(f.Evidence,
		finding.Evidence{What: "packets that " + name + " held back", Value: float64(q.Overlimits), Unit: finding.Count},
		finding.Evidence{What: "that it dropped", Value: float64(q.Drops), Unit: finding.Count},
		finding.Evidence{What: "most that stood in it", Value: float64(q.Backlog), Unit: finding.Bytes})
	f.Remedies = append([]finding.Remedy{{
		What:  fmt.Sprintf("The bottleneck is this queue of the sending host, %s: change its rate or its kind there (tc qdisc show dev %s). What is changed elsewhere on the path does not help.", name, q.Device),
		Where: e.where, Host: e.host,
	}}, slices.DeleteFunc(slices.Clone(f.Remedies), func(r finding.Remedy) bool { return r.Where == finding.Network })...)
	f.Confidence = max(f.Confidence, ownQueueSure)
	return f
}

// byQueue are the causes that a queue at the bottleneck makes.
var byQueue = []finding.Cause{finding.Bufferbloat, finding.ShallowBuffer, finding.Policed, finding.Congested}

// ownQueueSure is the confidence where the queue itself was read.
const ownQueueSure = 0.9

// ownQueue is the shaper of the sending host that held the one stream back: one
// that made packets wait for its rate on the stream's way, and dropped some or
// had a queue.
func (v *view) ownQueue() (end, record.QdiscUse, bool) {
	e, ok := v.at(v.sender())
	if !ok || e.route == nil {
		return end{}, record.QdiscUse{}, false
	}
	devices := []string{e.route.Device}
	if u := e.route.Tunnel.Underlay; u != nil {
		devices = append(devices, u.Device)
	}
	var best record.QdiscUse
	for _, q := range e.one.Egress {
		shaped := float64(q.Overlimits) >= shapedShare*float64(q.Packets)
		if slices.Contains(devices, q.Device) && shaped && q.Drops+q.Backlog > 0 && q.Overlimits > best.Overlimits {
			best = q
		}
	}
	return e, best, best.Overlimits > 0
}
