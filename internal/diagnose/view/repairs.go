//go:build !slim

package view

import (
	"slices"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// NoSACK says that the one stream has no selective acknowledgements.
func (v *View) NoSACK() bool { return slices.ContainsFunc(v.One.Series, flow.NoSACK) }

// Repairs are what a sender without selective acknowledgements does about losses: it resends
// one packet a round trip (RFC 6582 §3.2).
type Repairs struct {
	Share float64 // of the one stream's time
	Rate  float64 // what it carried meanwhile, in bit/s
	Last  bool    // it was repairing when it ended
	Times int     // that it began to; 0 where that is not known
}

// Repairs are the one stream's: by the kernel's own account where the sender tells, and else
// by what it resent, and by how slow it was at its end. There are none with selective
// acknowledgements.
func (v *View) Repairs() Repairs {
	if !v.NoSACK() || v.One.Duration <= 0 {
		return Repairs{}
	}
	if s, ok := flow.Sending(v.One); ok && s.Samples[0].Info.Has(tcpinfo.FieldCAState) {
		return repairsOf(s.Samples)
	}
	r := Repairs{
		Share: min(float64(v.Losses.Resent)*v.Idle.Mid/v.One.Duration, 1),
		Rate:  v.One.Goodput(0.75, 1),
	}
	r.Last = r.Share > 0 && r.Rate < slowedBy*v.One.Goodput(0.25, 0.75)
	return r
}

// slowedBy is how much slower a stream is while it repairs, at the least.
const slowedBy = 0.5

func repairsOf(samples []record.Sample) Repairs {
	var r Repairs
	time, bytes := 0.0, 0.0
	for i := 1; i < len(samples); i++ {
		from, to := &samples[i-1], &samples[i]
		if !r.Last && from.Info.CAState == tcpinfo.CARecovery {
			r.Times++
		}
		if r.Last = from.Info.CAState == tcpinfo.CARecovery; r.Last {
			time += to.At - from.At
			bytes += float64(to.Info.BytesAcked - from.Info.BytesAcked)
		}
	}
	if time > 0 {
		r.Rate, r.Share = 8*bytes/time, time/samples[len(samples)-1].At
	}
	return r
}
