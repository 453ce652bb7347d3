package words

import (
	"fmt"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// QueueName is what a host's own queue is called in a sentence.
func QueueName(q record.QdiscUse) string { return fmt.Sprintf("%s on %s", q.Kind, q.Device) }

// QueueEvidence is what a host's own queue did to the packets.
func QueueEvidence(q record.QdiscUse) []finding.Evidence {
	return []finding.Evidence{
		{What: "packets that " + QueueName(q) + " held back", Value: float64(q.Overlimits), Unit: finding.Count},
		{What: "that it dropped", Value: float64(q.Drops), Unit: finding.Count},
	}
}

// RateEvidence is what one stream carries, and what the path can.
func RateEvidence(v *view.View) []finding.Evidence {
	return []finding.Evidence{
		{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
		{What: "the path carries", Value: v.Capacity, Unit: finding.BitRate},
	}
}

// RetransmitEvidence is what the sender resent, what of it was spurious, and the
// RTT while it did.
func RetransmitEvidence(v *view.View) []finding.Evidence {
	e := []finding.Evidence{
		{What: "retransmits", Value: float64(v.Losses.Resent), Unit: finding.Count},
		{What: "of them spurious (DSACK)", Value: v.Losses.SpuriousShare(), Unit: finding.Ratio},
		{What: "RTT idle", Value: v.Idle.Mid, Unit: finding.Seconds},
		{What: "RTT under load", Value: v.Loaded.Mid, Unit: finding.Seconds},
	}
	if at, ok := v.RTTAtLoss(); ok {
		e = append(e, finding.Evidence{What: "RTT while losing", Value: at, Unit: finding.Seconds})
	}
	return e
}

// LimitEvidence is the sender's time by what limited it.
func LimitEvidence(v *view.View) []finding.Evidence {
	l := v.Limits
	if l.Inferred {
		return nil
	}
	e := []finding.Evidence{
		{What: "time limited by the receive window", Value: l.ReceiveWindow, Unit: finding.Ratio},
		{What: "time limited by the send buffer", Value: l.SendBuffer, Unit: finding.Ratio},
		{What: "time limited by the network (congestion window)", Value: l.Network, Unit: finding.Ratio},
	}
	if l.App > worthSaying {
		e = append(e, finding.Evidence{What: "time in which the program offered nothing", Value: l.App, Unit: finding.Ratio})
	}
	if l.Starved > worthSaying {
		e = append(e, finding.Evidence{What: "time with nothing to send, by its buffer or its program", Value: l.Starved, Unit: finding.Ratio})
	}
	return e
}

// worthSaying: a smaller share of the time explains nothing.
const worthSaying = 0.05
