package qdisc

import (
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/unit"
)

// HTB sends packets by classes, each with a rate. All go to the class Default,
// a minor number.
type HTB struct{ Default uint16 }

// Kind is htb.
func (HTB) Kind() string { return "htb" }

func (q HTB) options() []byte {
	const (
		globalParms = 2 // TCA_HTB_INIT
		version     = 3
		rateQuantum = 10 // the kernel's r2q, which a class with a quantum ignores
	)
	// struct tc_htb_glob: version, rate2quantum, default class, debug, and a count.
	b := rtnl.U32(nil, version)
	b = rtnl.U32(b, rateQuantum)
	b = rtnl.U32(b, uint32(q.Default))
	return rtnl.Attr(nil, globalParms, append(b, make([]byte, 8)...))
}

// HTBClass is a class of HTB that neither lends nor borrows. Frames are counted
// from the Ethernet header on.
type HTBClass struct {
	Rate    unit.BitRate
	Burst   unit.Size // what it may send at once
	Quantum unit.Size // what it sends in its turn: a frame or more
}

func (c HTBClass) options() []byte {
	const (
		parms  = 1 // TCA_HTB_PARMS
		rate64 = 6
		ceil64 = 7
	)
	rate := bytesPerSecond(c.Rate)
	burst := burstTicks(c.Burst, rate)
	// struct tc_htb_opt: rate, ceiling, the buckets of both in time, quantum,
	// level, priority.
	p := rateSpec(rateSpec(nil, rate), rate)
	p = rtnl.U32(rtnl.U32(p, burst), burst)
	p = rtnl.U32(p, clamp32(int64(c.Quantum)))
	p = append(p, make([]byte, 8)...)
	b := rtnl.Attr(nil, parms, p)
	b = rtnl.Attr(b, rate64, rtnl.U64(nil, rate))
	return rtnl.Attr(b, ceil64, rtnl.U64(nil, rate))
}

// burstTicks is how long a burst takes at a rate, in the kernel's unit.
func burstTicks(burst unit.Size, bytesPerSecond uint64) uint32 {
	return clamp32(int64(float64(burst) / float64(bytesPerSecond) * 1e9 / float64(tick)))
}
