package diagnose

import "unchoke/internal/record"

// losses sorts what one stream's sender retransmitted: what had really been
// lost, and what had only been overtaken or delayed (spurious).
type losses struct {
	segments  int64 // data segments sent, retransmissions among them
	resent    int64 // retransmissions; -1 where the sender did not tell
	spurious  int64 // of them, arrived twice: the receiver said so by DSACK (RFC 2883)
	real      int64 // the rest
	steady    int64 // of the real ones, those after slow start
	reordSeen int64 // reordering events that the sender noticed itself
}

func (l losses) ratio() float64 {
	if l.segments == 0 {
		return 0
	}
	return float64(l.real) / float64(l.segments)
}

// spuriousShare is the share of retransmissions that had not been needed.
func (l losses) spuriousShare() float64 {
	if l.resent <= 0 {
		return 0
	}
	return min(float64(l.spurious)/float64(l.resent), 1)
}

// dsackSent are the counters by which a receiving Linux host tells how many
// segments reached it twice.
var dsackSent = []string{"TCPDSACKOldSent", "TCPDSACKOfoSent"}

func lossesOf(v *view) losses {
	t := v.one
	l := losses{
		segments: int64(t.Rate*t.Duration/8) / int64(v.mss),
		resent:   t.Retransmits,
	}
	if x := final(t, true); x != nil {
		l.segments = int64(x.Info.DataSegsOut)
		l.resent = int64(x.Info.TotalRetrans)
		l.spurious = int64(x.Info.DSACKDups)
		l.reordSeen = int64(x.Info.ReordSeen)
		if then := sampleAt(t, true, steadyFrom*t.Duration); then != nil {
			early := max(int64(then.Info.TotalRetrans)-int64(then.Info.DSACKDups), 0)
			l.steady = -early
		}
	} else {
		for _, name := range dsackSent {
			l.spurious += t.Counters[name]
		}
		l.segments += max(l.resent, 0)
	}
	l.real = max(l.resent-l.spurious, 0)
	l.steady = max(l.steady+l.real, 0)
	return l
}

// steadyRatio is the loss after slow start. A sender that this host is not
// tells no more than how much it lost in all.
func (l losses) steadyRatio() float64 {
	if l.segments == 0 {
		return 0
	}
	share := 1.0
	if l.steady < l.real {
		share = 1 - steadyFrom
	}
	return float64(l.steady) / (share * float64(l.segments))
}

// final is the last TCP_INFO of the transfer's first stream, if this host was
// the end asked for.
func final(t *record.Transfer, sender bool) *record.Sample {
	for i := range t.Series {
		if n := len(t.Series[i].Samples); n > 0 && t.Series[i].Sender == sender {
			return &t.Series[i].Samples[n-1]
		}
	}
	return nil
}
