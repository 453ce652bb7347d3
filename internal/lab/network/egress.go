package network

import (
	"unchoke/internal/linux/qdisc"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// shaper is what queues on a host's card: a root qdisc, or one with a class and
// the class's leaf.
type shaper struct {
	root  qdisc.Qdisc
	class *qdisc.HTBClass // nil for none
	leaf  qdisc.Qdisc
}

// planEgress is the kernel's stock qdisc, or what the host's user has set up:
// htb with one class and fq_codel beneath it as simplest.qos of sqm-scripts
// does, cake as its piece_of_cake.qos, or a bare token bucket.
func planEgress(p path.Path, s path.SQM) shaper {
	switch s.Shaper {
	case path.ShapeFQCoDel:
		class := &qdisc.HTBClass{Rate: s.Rate, Burst: burst(p, s.Rate), Quantum: unit.Size(p.HostMTU() + header)}
		return shaper{root: qdisc.HTB{Default: htbClass}, class: class, leaf: qdisc.Stock("fq_codel")}
	case path.ShapeCake:
		return shaper{root: qdisc.Cake{Bandwidth: s.Rate}}
	case path.ShapeTBF:
		// As tc computes a limit from a latency (q_tbf.c of iproute2).
		bucket := burst(p, s.Rate)
		limit := bucket + unit.Size(float64(s.Rate)/8*s.Latency.Seconds())
		return shaper{root: qdisc.TBF{Rate: s.Rate, Burst: bucket, Limit: limit}}
	}
	return shaper{root: qdisc.Stock("fq_codel")}
}

// htbClass is the minor number of the one class.
const htbClass = 1
