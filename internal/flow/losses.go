package flow

import (
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// Losses sorts what a sender retransmitted: what had really been lost, and
// what had only been overtaken or delayed (spurious).
type Losses struct {
	Segments  int64 // data segments sent, retransmissions among them
	Resent    int64 // retransmissions; -1 where the sender did not tell
	Spurious  int64 // of them, arrived twice: the receiver said so by DSACK (RFC 2883)
	Real      int64 // the rest
	ReordSeen int64 // reordering events that the sender noticed itself
}

// NoSACK says that a connection was opened without selective acknowledgements (RFC 2018):
// its sender resends one segment a round trip, however many a window lost (RFC 6582).
func NoSACK(s record.Series) bool { return openedWithout(s, tcpinfo.OptSACK) }

// TellsSpurious says whether a sender's system tells which retransmissions had
// not been needed. Without that, what was overtaken looks lost.
func TellsSpurious(i *tcpinfo.Info) bool { return i.Has(tcpinfo.FieldDSACKDups) }

// LossesBetween is what a sender retransmitted between two looks at it.
func LossesBetween(first, last tcpinfo.Info) Losses {
	l := Losses{
		Segments:  int64(last.DataSegsOut - first.DataSegsOut),
		Resent:    int64(last.TotalRetrans - first.TotalRetrans),
		Spurious:  int64(last.DSACKDups - first.DSACKDups),
		ReordSeen: int64(last.ReordSeen - first.ReordSeen),
	}
	if mss := int64(last.SndMSS); mss > 0 && !tells(&last, tcpinfo.FieldTotalRetrans) && tells(&last, tcpinfo.FieldBytesRetrans) {
		// Windows counts bytes: so many full segments, a begun one among them.
		l.Segments = (int64(last.BytesSent-first.BytesSent) + mss - 1) / mss
		l.Resent = (int64(last.BytesRetrans-first.BytesRetrans) + mss - 1) / mss
	} else if !tells(&last, tcpinfo.FieldTotalRetrans) {
		l.Resent = -1
	}
	l.Real = max(l.Resent-l.Spurious, 0)
	return l
}

// RealRatio is the share of the segments that was really lost.
func (l Losses) RealRatio() float64 { return l.share(l.Real) }

// AllRatio is the share of the segments that was resent, needed or not: a
// loss-based sender answers to both.
func (l Losses) AllRatio() float64 { return l.share(max(l.Resent, 0)) }

// SpuriousRatio is the share of the segments that was resent and had not been
// needed.
func (l Losses) SpuriousRatio() float64 { return l.share(l.Spurious) }

func (l Losses) share(n int64) float64 {
	if l.Segments == 0 {
		return 0
	}
	return float64(n) / float64(l.Segments)
}

// SpuriousShare is the share of retransmissions that had not been needed.
func (l Losses) SpuriousShare() float64 {
	if l.Resent <= 0 {
		return 0
	}
	return min(float64(l.Spurious)/float64(l.Resent), 1)
}
