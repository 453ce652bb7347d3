package watched

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// received is the verdict of a flow that this host receives. What holds the far
// sender back shows here where this end does, whose program leaves the receive buffer
// full, and where the packets' headers tell. Everything else the sender's host knows.
func (v *view) received() said {
	e := v.receivedEvidence()
	if v.unread() {
		return said{
			cause: finding.ReceiveWindow, confidence: 0.85,
			summary: fmt.Sprintf("This host's program reads slowly: %s wait to be read, and the sender may send only what is taken away.",
				size(float64(v.RecvQueue))),
			evidence: e,
		}
	}
	if s := v.arriving(); s != nil {
		return *s
	}
	return said{
		cause: live.Watching, confidence: 0,
		summary:  "This host receives; what holds the sender back shows at its end.",
		evidence: e,
	}
}

func (v *view) receivedEvidence() []finding.Evidence {
	e := []finding.Evidence{
		{What: "rate, lately", Value: v.rate, Unit: finding.BitRate},
		{What: "received and not read", Value: float64(v.RecvQueue), Unit: finding.Bytes},
		{What: "segments received out of order", Value: float64(v.OutOfOrder), Unit: finding.Count},
	}
	if v.RecvWindow > 0 || v.RecvShut {
		e = append(e, finding.Evidence{What: "receive window advertised", Value: float64(v.RecvWindow), Unit: finding.Bytes})
	}
	return e
}

// unread says that what waits for the program is more than it could not have
// read yet: as much as the window that is left, or two segments where none is.
func (v *view) unread() bool {
	if v.near != nil && v.rate > 0 {
		return max(v.near.Unread, v.near.Shut) >= LimitShare || v.shuts()
	}
	return v.blocked || v.RecvWindow > 0 && v.RecvQueue >= v.RecvWindow
}
