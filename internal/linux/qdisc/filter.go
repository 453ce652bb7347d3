package qdisc

import (
	"encoding/binary"
	"math"
	"net"

	"unchoke/internal/linux/rtnl"
	"unchoke/internal/unit"
)

// Filter picks packets at a hook and runs an action on them.
type Filter interface {
	Kind() string
	protocol() uint16 // EtherType
	options() []byte
}

// anyProtocol is ETH_P_ALL (linux/if_ether.h).
const anyProtocol = 3

// Action is what a filter does with a packet.
type Action interface {
	kind() string
	options() []byte
}

// All picks every packet.
type All struct{ Do Action }

// Kind is matchall.
func (All) Kind() string { return "matchall" }

func (All) protocol() uint16 { return anyProtocol }

func (f All) options() []byte {
	const actions = 2 // TCA_MATCHALL_ACT
	return rtnl.Attr(nil, actions, actionList(f.Do))
}

// Unicast picks the Ethernet frames that are addressed to one host.
type Unicast struct{ Do Action }

// Kind is u32.
func (Unicast) Kind() string { return "u32" }

func (Unicast) protocol() uint16 { return anyProtocol }

func (f Unicast) options() []byte { return u32([]match{unicast}, f.Do) }

// To picks the Ethernet frames that are addressed to this host, by the last
// four bytes of its address.
type To struct {
	MAC net.HardwareAddr
	Do  Action
}

// Kind is u32.
func (To) Kind() string { return "u32" }

func (To) protocol() uint16 { return anyProtocol }

func (f To) options() []byte {
	return u32([]match{{mask: math.MaxUint32, value: binary.BigEndian.Uint32(f.MAC[2:]), at: -12}}, f.Do)
}

// UDP picks the packets of that protocol that are addressed to one host. Of IPv6
// those without extension headers.
type UDP struct {
	V6 bool
	Do Action
}

// Kind is u32.
func (UDP) Kind() string { return "u32" }

func (f UDP) protocol() uint16 {
	if f.V6 {
		return 0x86dd // ETH_P_IPV6
	}
	return 0x0800 // ETH_P_IP
}

func (f UDP) options() []byte {
	const number = 17                                               // IPPROTO_UDP
	protocol := match{mask: 0xff << 16, value: number << 16, at: 8} // RFC 791 §3.1
	if f.V6 {
		protocol = match{mask: 0xff << 8, value: number << 8, at: 4} // RFC 8200 §3
	}
	return u32([]match{unicast, protocol}, f.Do)
}

// match is a word of the packet: which of its bits are what. It begins at so
// many bytes from the network header, before which there are 14 of Ethernet.
type match struct {
	mask, value uint32
	at          int32
}

// unicast is a frame for one host: the group bit, the lowest of the first byte,
// is not set.
var unicast = match{mask: 0x0000_0100, at: -16}

// u32 are the options of the filter of that name.
func u32(matches []match, do Action) []byte {
	const (
		selector = 5 // TCA_U32_SEL
		actions  = 7 // TCA_U32_ACT
		terminal = 1 // TC_U32_TERMINAL
	)
	// struct tc_u32_sel with a struct tc_u32_key each: mask, value, offset.
	sel := []byte{terminal, 0, byte(len(matches)), 0}
	sel = append(sel, make([]byte, 12)...)
	for _, m := range matches {
		sel = binary.BigEndian.AppendUint32(sel, m.mask)
		sel = binary.BigEndian.AppendUint32(sel, m.value)
		sel = rtnl.U32(sel, uint32(m.at))
		sel = append(sel, make([]byte, 4)...)
	}
	return rtnl.Attr(rtnl.Attr(nil, selector, sel), actions, actionList(do))
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

// Police drops the packets that exceed a rate, or a size. Its bucket starts
// full.
type Police struct {
	Rate    unit.BitRate // 0 is none
	Burst   unit.Size
	Largest unit.Size // frame that passes; 0 is any
}

func (Police) kind() string { return "police" }

func (a Police) options() []byte {
	const (
		parms  = 1 // TCA_POLICE_TBF
		rtab   = 2 // TCA_POLICE_RATE
		result = 5 // TCA_POLICE_RESULT
		rate64 = 8 // TCA_POLICE_RATE64

		any = 1 << 16 // no IP packet is longer
	)
	rate, burst, largest := bytesPerSecond(a.Rate), uint32(0), clamp32(int64(a.Largest))
	if rate > 0 {
		burst = burstTicks(a.Burst, rate)
	}
	if largest == 0 {
		largest = any
	}
	// struct tc_police: index, action, limit, burst, mtu, rate, peak rate,
	// reference counts, capabilities. The action is for what exceeds.
	p := rtnl.U32(nil, 0)
	p = rtnl.U32(p, actShot)
	p = rtnl.U32(p, 0)
	p = rtnl.U32(p, burst)
	p = rtnl.U32(p, largest)
	p = rateSpec(p, rate)
	p = rateSpec(p, 0)
	p = append(p, make([]byte, 12)...)
	b := rtnl.Attr(nil, parms, p)
	if rate > 0 {
		b = rtnl.Attr(b, rate64, rtnl.U64(nil, rate))
		// The kernel demands a table of transmission times (TC_RTAB_SIZE) and,
		// with the link layer given, does not read it.
		b = rtnl.Attr(b, rtab, make([]byte, 1024))
	}
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
