package main

import (
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/tools/diagnosis/truth"
)

// truths are the causes that are right for an outcome by what stock iperf3 gains;
// ownTruths by what the transfer itself gains, where that is known.
func (o outcome) truths() []finding.Cause { return o.by(o.Truth) }

func (o outcome) ownTruths() []finding.Cause {
	if o.Own == nil {
		return o.truths()
	}
	return o.by(*o.Own)
}

// by are the causes that are right for an outcome, given a truth; the first is what tables
// show. A program that takes a third of what the path carries is the cause: of
// one that sends, app-limited; of one that reads, receive-window. Else they are
// the path's in the flow's direction, as where the program's limit did not hold:
// a receive buffer may take in for long what the program does not read.
func (o outcome) by(t truth.Truth) []finding.Cause {
	if o.Limit > 0 && o.Sender != nil && o.Sender.SentLately > 0 && o.Sender.SentLately <= holds*o.Limit {
		limited := finding.AppLimited
		if o.Program == slow || o.Program == slowNginx {
			limited = finding.ReceiveWindow
		}
		if o.Sender.SentLately < reached*o.Limit && o.starting(t) {
			return []finding.Cause{limited, finding.SlowStart} // it does not hold yet
		}
		return []finding.Cause{limited}
	}
	var sure, perhaps []finding.Cause
	if o.Limit > 0 && (o.Program == slow || o.Program == slowNginx) {
		perhaps = append(perhaps, finding.ReceiveWindow) // it begins to hold
	}
	for _, c := range t.Causes {
		switch {
		case c.Direction == o.Way:
			sure = append(sure, c.Words...)
		case o.Sender != nil && o.Sender.SentLately == 0:
			perhaps = append(perhaps, c.Words...) // it waits for what does not come the other way
		}
	}
	for _, c := range t.Perhaps {
		if c.Direction == o.Way {
			perhaps = append(perhaps, c.Words...)
		}
	}
	if len(sure) == 0 {
		sure = []finding.Cause{finding.Healthy}
		if o.starting(t) {
			perhaps = append(perhaps, finding.SlowStart)
		}
		if t.Unexplained {
			perhaps = append(perhaps, finding.Causes()...) // nobody knows better
		}
	}
	return append(sure, perhaps...)
}

// starting says that the flow is younger than thirty round trips and carries less
// of the path than one does there that is older: it has not reached what
// the path lets it have.
func (o outcome) starting(t truth.Truth) bool {
	seen, f := t.Seen[o.Way], o.Sender
	return f != nil && f.SentLately > 0 && f.Age < startTrips*seen.IdleRTT && f.SentLately < startShare*seen.Rate
}

const (
	// startTrips: CUBIC needs a dozen round trips for slow start and as many again
	// to come back from what it loses at its end.
	startTrips = 30
	startShare = 0.85 // the check's slow-share
)

// holds: a flow that carries more than so many times its program's limit is not
// held by it. reached: a young one that carries less of it may be held by its start.
const (
	holds   = 1.3
	reached = 0.5
)

func (o outcome) right(verdict finding.Cause) bool { return slices.Contains(o.truths(), verdict) }

func (o outcome) ownRight(verdict finding.Cause) bool {
	return slices.Contains(o.ownTruths(), verdict)
}

// sent is the verdict from the sending side.
func (o outcome) sent() (finding.Cause, float64) { return verdict(o.Sender) }

// received is the verdict from the receiving side.
func (o outcome) received() (finding.Cause, float64) { return verdict(o.Receiver) }

// missing is the verdict of a flow that never showed.
const missing finding.Cause = "missing"

func verdict(f *live.Flow) (finding.Cause, float64) {
	if f == nil {
		return missing, 0
	}
	return f.Verdict, f.Confidence
}

func (o outcome) line() string {
	sent, c := o.sent()
	received, _ := o.received()
	mark := "ok  "
	if !o.right(sent) {
		mark = "MISS"
	}
	itself := ""
	if o.Own != nil && o.ownRight(sent) != o.right(sent) {
		itself = fmt.Sprintf(" (the transfer itself: %s)", o.ownTruths()[0])
	}
	return fmt.Sprintf("%s %s %-4s %-15s is %-14s said %-14s %.2f, receiver %-14s %s%s", mark, o.Draw, o.Way, o.Program, o.truths()[0], sent, c, received, o.Path, itself)
}
