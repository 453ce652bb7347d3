// Package qdisc encodes queueing disciplines, filters and actions for
// rtnetlink and attaches them to devices. It covers what shapes an emulated
// path: netem with all its loss models, distribution tables, seed and 64-bit
// times, which no Go library does.
//
// The layouts are those of linux/pkt_sched.h, linux/pkt_cls.h and
// linux/tc_act/*.h.
package qdisc

import (
	"time"

	"unchoke/internal/linux/rtnl"
	"unchoke/internal/unit"
)

// Qdisc is a queueing discipline with its parameters.
type Qdisc interface {
	Kind() string
	options() []byte // the payload of TCA_OPTIONS; nil for none
}

// Handle names a qdisc, a class or a hook: 16 bits of major and minor each.
type Handle uint32

// MakeHandle is major:minor.
func MakeHandle(major, minor uint16) Handle { return Handle(major)<<16 | Handle(minor) }

// Places to attach to (linux/pkt_sched.h).
const (
	Root          Handle = 0xffff_ffff // TC_H_ROOT
	ClsactParent  Handle = 0xffff_fff1 // TC_H_CLSACT
	ClsactHandle  Handle = 0xffff_0000
	ClsactIngress Handle = 0xffff_fff2 // TC_H_CLSACT | TC_H_MIN_INGRESS
	ClsactEgress  Handle = 0xffff_fff3 // TC_H_CLSACT | TC_H_MIN_EGRESS
)

// Clsact holds filters at both sides of a device, and queues nothing.
type Clsact struct{}

// Kind is clsact.
func (Clsact) Kind() string { return "clsact" }

func (Clsact) options() []byte { return nil }

// Stock is a queueing discipline of this kind with the kernel's own
// parameters: fq_codel, codel, pie, fq.
type Stock string

// Kind is the name.
func (q Stock) Kind() string { return string(q) }

func (Stock) options() []byte { return nil }

// Cake shapes to a bandwidth and shares it fairly, with the kernel's own
// parameters otherwise. Frames are counted from the Ethernet header on.
type Cake struct{ Bandwidth unit.BitRate }

// Kind is cake.
func (Cake) Kind() string { return "cake" }

func (q Cake) options() []byte {
	const baseRate64 = 2 // TCA_CAKE_BASE_RATE64
	return rtnl.Attr(nil, baseRate64, rtnl.U64(nil, bytesPerSecond(q.Bandwidth)))
}

// FIFO is a tail-drop queue: of packets, or of bytes.
type FIFO struct {
	Packets int       // pfifo, where not 0
	Bytes   unit.Size // bfifo, otherwise
}

// Kind is pfifo or bfifo.
func (q FIFO) Kind() string {
	if q.Packets > 0 {
		return "pfifo"
	}
	return "bfifo"
}

func (q FIFO) options() []byte {
	// struct tc_fifo_qopt: limit.
	return rtnl.U32(nil, clamp32(max(int64(q.Packets), int64(q.Bytes))))
}

// TBF is a token bucket in front of a queue. Frames are counted from the
// Ethernet header on.
type TBF struct {
	Rate  unit.BitRate
	Burst unit.Size // the bucket; no frame larger than it can pass
	Limit unit.Size // the queue, where no other qdisc is attached as a child
}

// Kind is tbf.
func (TBF) Kind() string { return "tbf" }

// Attributes of tbf (TCA_TBF_*).
const (
	tbfParms  = 1
	tbfRate64 = 4
	tbfBurst  = 6
)

func (q TBF) options() []byte {
	rate := bytesPerSecond(q.Rate)
	// struct tc_tbf_qopt: rate, peak rate, limit, buffer, mtu. The bucket is
	// given exactly, in bytes, by TCA_TBF_BURST.
	parms := rateSpec(nil, rate)
	parms = rateSpec(parms, 0)
	parms = rtnl.U32(parms, clamp32(int64(q.Limit)))
	parms = rtnl.U32(parms, 0)
	parms = rtnl.U32(parms, 0)
	b := rtnl.Attr(nil, tbfParms, parms)
	b = rtnl.Attr(b, tbfRate64, rtnl.U64(nil, rate))
	return rtnl.Attr(b, tbfBurst, rtnl.U32(nil, clamp32(int64(q.Burst))))
}

// rateSpec appends a struct tc_ratespec. With the link layer given, the kernel
// computes transmission times itself and needs no table of them.
func rateSpec(b []byte, bytesPerSecond uint64) []byte {
	const (
		cellLog           = 3 // only checked: not 0
		linkLayerEthernet = 1 // TC_LINKLAYER_ETHERNET
	)
	if bytesPerSecond == 0 {
		return append(b, make([]byte, 12)...)
	}
	b = append(b, cellLog, linkLayerEthernet)
	b = append(b, make([]byte, 6)...) // overhead, cell_align, mpu
	return rtnl.U32(b, uint32(min(bytesPerSecond, 1<<32-1)))
}

func bytesPerSecond(r unit.BitRate) uint64 { return uint64(r) / 8 }

// tick is the unit of the kernel's 32-bit packet scheduler times:
// PSCHED_SHIFT in net/pkt_sched.h.
const tick = 64 * time.Nanosecond

func clamp32(v int64) uint32 { return uint32(min(max(v, 0), 1<<32-1)) }
