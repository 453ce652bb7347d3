package seen

import (
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/tcpinfo"
)

// Losses is what one stream's sender retransmitted, and how much of what was
// really lost fell after slow start.
type Losses struct {
	flow.Losses
	Steady     int64 // really lost after slow start
	SteadySent int64 // segments sent meanwhile
}

// dsackSent are the counters by which a receiving Linux host tells how many
// segments reached it twice.
var dsackSent = []string{"TCPDSACKOldSent", "TCPDSACKOfoSent"}

// LossesOf reads a stream's sender where its host tells; mss is in bytes. Else it goes by
// what the sender told, and what this host's counters say of segments that arrived
// twice.
func LossesOf(t *record.Transfer, mss int) Losses {
	if s, ok := flow.Sending(t); ok {
		whole := flow.LossesBetween(tcpinfo.Info{}, flow.Final(s).Info)
		early := flow.LossesBetween(tcpinfo.Info{}, flow.At(s, SteadyFrom*t.Duration).Info)
		return Losses{Losses: whole, Steady: max(whole.Real-early.Real, 0), SteadySent: max(whole.Segments-early.Segments, 0)}
	}
	l := Losses{Losses: flow.Losses{
		Segments: int64(t.Rate*t.Duration/8)/int64(mss) + max(t.Retransmits, 0),
		Resent:   t.Retransmits,
	}}
	for _, name := range dsackSent {
		l.Spurious += t.Counters[name]
	}
	l.Real = max(l.Resent-l.Spurious, 0)
	l.Steady, l.SteadySent = l.Real, l.Segments
	if len(t.Far) > 0 {
		l.Steady = min(l.Real, farSteady(t))
		l.SteadySent = int64((1 - SteadyFrom) * float64(l.Segments))
	}
	return l
}

// farSteady is what a far sender resent after slow start, by its own account;
// what overlaps is counted by its share.
func farSteady(t *record.Transfer) int64 {
	from, sum := SteadyFrom*t.Duration, 0.0
	for _, i := range t.Far {
		if span := i.End - i.Start; span > 0 {
			sum += float64(i.Retransmits) * stats.Clamp((i.End-from)/span, 0, 1)
		}
	}
	return int64(sum)
}

// Lost are the segments that were really lost, of those that the stream sent.
func (l Losses) Lost() Proportion { return Proportion{K: l.Real, N: l.Segments} }

// SteadyRatio is the loss after slow start. A sender that this host is not
// tells no more than how much it lost in all.
func (l Losses) SteadyRatio() float64 {
	if l.SteadySent == 0 {
		return 0
	}
	return float64(l.Steady) / float64(l.SteadySent)
}

// LostInRuns is what was lost of rungs slower than a rate in bit/s that this host timed,
// none of whose packets waited, and in how many runs.
func LostInRuns(rungs []Rung, below float64) (runs int64, lost Proportion) {
	for _, r := range rungs {
		if r.Timed && r.Sent < below && r.OwnMost < LeastStanding && r.Rise < LeastStanding {
			runs += r.Runs
			lost.Add(r.Lost, r.Packets)
		}
	}
	return runs, lost
}
