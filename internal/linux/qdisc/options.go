package qdisc

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/mdlayher/netlink"

	"unchoke/internal/linux/rtnl"
)

// Attached is a queueing discipline as the kernel reports it. It can be
// attached again as it was: the options are the kernel's own bytes.
type Attached struct {
	Name    string // the kind: fq, fq_codel, mq, …
	Handle  Handle // 0 where the kernel attached it by itself
	Parent  Handle // Root, or the class that it hangs on
	Options []byte // the payload of TCA_OPTIONS; nil for none
}

// Kind is the name.
func (a Attached) Kind() string { return a.Name }

func (a Attached) options() []byte { return a.Options }

// Attributes of fq (TCA_FQ_*, linux/pkt_sched.h).
const (
	fqKind        = "fq"
	fqFlowMaxRate = 7 // bytes/s; all bits set is none
)

// MaxRate is the ceiling that an fq gives each flow, in bit/s; 0 is none, and
// what every other kind has.
func MaxRate(a Attached) int64 {
	if a.Name != fqKind {
		return 0
	}
	attributes, err := netlink.UnmarshalAttributes(a.Options)
	if err != nil {
		return 0
	}
	for _, at := range attributes {
		if at.Type == fqFlowMaxRate && len(at.Data) == 4 {
			if rate := binary.NativeEndian.Uint32(at.Data); rate != math.MaxUint32 {
				return int64(rate) * 8
			}
		}
	}
	return 0
}

// WithMaxRate are the options of an fq with a ceiling for each flow, in bit/s,
// and the kernel's defaults otherwise.
func WithMaxRate(bitsPerSecond int64) []byte {
	return rtnl.Attr(nil, fqFlowMaxRate, rtnl.U32(nil, clamp32(bitsPerSecond/8)))
}

// Corrected compares the options that were wanted with those that the kernel
// has after it was given some, and where numbers differ gives those to try
// next: each with its difference added. Options that are no attributes, or
// whose attributes differ by more than numbers, come back as they were given.
func Corrected(given, want, have []byte) (next []byte, differs bool) {
	if bytes.Equal(want, have) {
		return given, false
	}
	gave, err1 := netlink.UnmarshalAttributes(given)
	wanted, err2 := netlink.UnmarshalAttributes(want)
	got, err3 := netlink.UnmarshalAttributes(have)
	if err1 != nil || err2 != nil || err3 != nil || len(wanted) != len(got) || len(wanted) != len(gave) {
		return given, true
	}
	for i := range wanted {
		w, g, x := wanted[i], got[i], gave[i]
		if w.Type != g.Type || w.Type != x.Type || len(w.Data) != 4 || len(g.Data) != 4 || len(x.Data) != 4 {
			continue
		}
		difference := binary.NativeEndian.Uint32(w.Data) - binary.NativeEndian.Uint32(g.Data)
		binary.NativeEndian.PutUint32(x.Data, binary.NativeEndian.Uint32(x.Data)+difference)
	}
	for _, x := range gave {
		next = rtnl.Attr(next, x.Type, x.Data)
	}
	return next, true
}
