package qdisc

import (
	"encoding/binary"

	"unchoke/internal/linux/rtnl"
	"unchoke/internal/unit"
)

// Filter picks packets at a hook and runs an action on them.
type Filter interface {
	Kind() string
	options() []byte
}

// Action is what a filter does with a packet.
type Action interface {
	kind() string
	options() []byte
}

// All picks every packet.
type All struct{ Do Action }

// Kind is matchall.
func (All) Kind() string { return "matchall" }

func (f All) options() []byte {
	const actions = 2 // TCA_MATCHALL_ACT
	return rtnl.Attr(nil, actions, actionList(f.Do))
}

// Unicast picks the Ethernet frames that are addressed to one host.
type Unicast struct{ Do Action }

// Kind is u32.
func (Unicast) Kind() string { return "u32" }

func (f Unicast) options() []byte {
	const (
		selector = 5 // TCA_U32_SEL
		actions  = 7 // TCA_U32_ACT
		terminal = 1 // TC_U32_TERMINAL
		// The group bit is the lowest of the destination's first byte, which
		// stands 14 bytes before the network header, in the aligned word 16
		// bytes before it.
		groupBit = 0x0000_0100
		wordAt   = -16
	)
	// struct tc_u32_sel with one struct tc_u32_key: mask, value, offset.
	sel := []byte{terminal, 0, 1, 0}
	sel = append(sel, make([]byte, 12)...)
	sel = binary.BigEndian.AppendUint32(sel, groupBit)
	sel = append(sel, make([]byte, 4)...)
	at := int32(wordAt)
	sel = rtnl.U32(sel, uint32(at))
	sel = append(sel, make([]byte, 4)...)
	return rtnl.Attr(rtnl.Attr(nil, selector, sel), actions, actionList(f.Do))
}

func actionList(a Action) []byte {
	const (
		kind    = 1 // TCA_ACT_KIND
		options = 2 // TCA_ACT_OPTIONS
		first   = 1 // the order in the list
	)
	return rtnl.Attr(nil, first, rtnl.Attr(rtnl.Attr(nil, kind, rtnl.Str(a.kind())), options, a.options()))
}

// Verdicts of an action (TC_ACT_*).
const (
	actOK     = 0
	actShot   = 2
	actStolen = 4
)

// Police drops the packets that exceed a rate. Its bucket starts full.
type Police struct {
	Rate  unit.BitRate
	Burst unit.Size
}

func (Police) kind() string { return "police" }

func (a Police) options() []byte {
	const (
		parms  = 1 // TCA_POLICE_TBF
		rtab   = 2 // TCA_POLICE_RATE
		result = 5 // TCA_POLICE_RESULT
		rate64 = 8 // TCA_POLICE_RATE64

		largest = 1 << 16 // no IP packet is longer
	)
	rate := bytesPerSecond(a.Rate)
	burst := int64(float64(a.Burst) / float64(rate) * 1e9 / float64(tick))
	// struct tc_police: index, action, limit, burst, mtu, rate, peak rate,
	// reference counts, capabilities. The action is for what exceeds.
	p := rtnl.U32(nil, 0)
	p = rtnl.U32(p, actShot)
	p = rtnl.U32(p, 0)
	p = rtnl.U32(p, clamp32(burst))
	p = rtnl.U32(p, largest)
	p = rateSpec(p, rate)
	p = rateSpec(p, 0)
	p = append(p, make([]byte, 12)...)
	b := rtnl.Attr(nil, parms, p)
	b = rtnl.Attr(b, rate64, rtnl.U64(nil, rate))
	// The kernel demands a table of transmission times (TC_RTAB_SIZE) and,
	// with the link layer given, does not read it.
	b = rtnl.Attr(b, rtab, make([]byte, 1024))
	return rtnl.Attr(b, result, rtnl.U32(nil, actOK))
}

// Redirect sends the packet out of another device of the same namespace.
type Redirect struct{ Dev int } // its index

func (Redirect) kind() string { return "mirred" }

func (a Redirect) options() []byte {
	const (
		parms  = 2 // TCA_MIRRED_PARMS
		egress = 1 // TCA_EGRESS_REDIR
	)
	// struct tc_mirred: index, capabilities, action, two counts, what, where.
	p := rtnl.U32(nil, 0)
	p = rtnl.U32(p, 0)
	p = rtnl.U32(p, actStolen)
	p = append(p, make([]byte, 8)...)
	p = rtnl.U32(p, egress)
	p = rtnl.U32(p, uint32(a.Dev))
	return rtnl.Attr(nil, parms, p)
}
