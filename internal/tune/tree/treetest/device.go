// Package treetest has a device whose qdiscs answer messages as the kernel's do.
// A test of package host holds it against the real ones.
package treetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/mdlayher/netlink"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/tune"
	"unchoke/internal/tune/tree"
)

// Device is one that is up and has a queue.
type Device struct {
	Queues int
	Tree   tune.QdiscValue
	// Options are what each kind has that is made without any. A kind that is not
	// among them the kernel lacks.
	Options map[string][]byte

	handles uint16 // given by itself so far
}

// Stock are made-up parameters of the kinds that the kernel attaches by itself,
// in their layout.
var Stock = map[string][]byte{
	"mq":         nil,
	"pfifo":      rtnl.U32(nil, 1000),
	"bfifo":      rtnl.U32(nil, 1000*1514),
	"pfifo_fast": append(rtnl.U32(nil, 3), 1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1),
	"fq_codel":   attributes([2]uint32{1, 4999}, [2]uint32{2, 10240}, [2]uint32{3, 99999}, [2]uint32{6, 1514}),
	"fq":         attributes([2]uint32{1, 10000}, [2]uint32{2, 100}, [2]uint32{7, 1<<32 - 1}),
}

func attributes(all ...[2]uint32) []byte {
	var b []byte
	for _, a := range all {
		b = rtnl.Attr(b, uint16(a[0]), rtnl.U32(nil, a[1]))
	}
	return b
}

// Clone is a device of its own in the same state.
func (d *Device) Clone() *Device {
	c := *d
	c.Options = maps.Clone(d.Options)
	c.Tree.Leaves = slices.Clone(d.Tree.Leaves)
	return &c
}

// Up attaches what the kernel gives by itself: mq of the default on several
// queues, and the default on one (attach_default_qdiscs).
func (d *Device) Up(byDefault string) {
	d.Tree = d.made(byDefault, tune.ByItself, nil)
	if d.Queues > 1 {
		d.Tree = d.multiQueue(tune.ByItself, byDefault)
	}
}

// Send does what the kernel does with a message, which is all of it or, with an
// error, nothing. byDefault is default_qdisc.
func (d *Device) Send(m tree.Message, byDefault string) error {
	switch {
	case m.Delete && d.Tree.Handle == tune.ByItself:
		return syscall.ENOENT
	case m.Delete:
		d.Up(byDefault)
		return nil
	}
	leaf, err := d.place(m.Parent)
	if err != nil {
		return err
	}
	at := d.Tree
	if m.Parent != "" {
		at = d.Tree.Leaves[leaf]
	}
	handle := m.Qdisc.Handle
	switch _, known := d.Options[m.Qdisc.Kind]; {
	case handle != "" && d.has(handle):
		return syscall.EEXIST
	case handle == "" && at.Handle != tune.ByItself && at.Kind == m.Qdisc.Kind:
		return syscall.EEXIST // it would be a change of that one
	case !known:
		return syscall.ENOENT
	case m.Qdisc.Kind == tune.MultiQueue && (m.Parent != "" || d.Queues == 1):
		return syscall.EOPNOTSUPP
	}
	for handle == "" {
		d.handles++
		if next := fmt.Sprintf("%x:", 0x8000+d.handles); !d.has(next) {
			handle = next
		}
	}
	switch {
	case m.Qdisc.Kind == tune.MultiQueue:
		d.Tree = d.multiQueue(handle, byDefault)
	case m.Parent == "":
		d.Tree = d.made(m.Qdisc.Kind, handle, m.Qdisc.Options)
	default:
		d.Tree.Leaves = slices.Clone(d.Tree.Leaves)
		d.Tree.Leaves[leaf] = d.made(m.Qdisc.Kind, handle, m.Qdisc.Options)
		d.Tree.Leaves[leaf].Parent = m.Parent
	}
	return nil
}

// place is the leaf of a class. A qdisc without a handle has no class that a
// message could name.
func (d *Device) place(parent string) (leaf int, err error) {
	if parent == "" {
		return 0, nil
	}
	major, minor, _ := strings.Cut(parent, ":")
	n, err := strconv.ParseUint(minor, 16, 16)
	switch {
	case err != nil:
		return 0, err
	case d.Tree.Handle == tune.ByItself || d.Tree.Handle != major+":":
		return 0, syscall.ENOENT
	case d.Tree.Kind != tune.MultiQueue:
		return 0, syscall.EINVAL
	case n < 1 || int(n) > len(d.Tree.Leaves):
		return 0, syscall.ENOENT
	}
	return int(n) - 1, nil
}

func (d *Device) has(handle string) bool {
	return d.Tree.Handle == handle || slices.ContainsFunc(d.Tree.Leaves, func(leaf tune.QdiscValue) bool { return leaf.Handle == handle })
}

func (d *Device) multiQueue(handle, byDefault string) tune.QdiscValue {
	q := d.made(tune.MultiQueue, handle, nil)
	for i := range d.Queues {
		leaf := d.made(byDefault, tune.ByItself, nil)
		leaf.Parent = strings.TrimPrefix(handle, "0") + strconv.FormatInt(int64(i+1), 16)
		q.Leaves = append(q.Leaves, leaf)
	}
	return q
}

// made is a new qdisc, with the given options in the place of its kind's.
func (d *Device) made(kind, handle string, given []byte) tune.QdiscValue {
	q := tune.QdiscValue{Kind: kind, Handle: handle, Options: bytes.Clone(d.Options[kind])}
	switch kind {
	case "pfifo", "bfifo":
		if given != nil {
			q.Options = bytes.Clone(given)
		}
	case "fq", "fq_codel":
		q.Options = set(kind, q.Options, given)
	}
	q.MaxRate = qdisc.MaxRate(qdisc.Attached{Name: kind, Options: q.Options})
	return q
}

// Times of fq_codel (TCA_FQ_CODEL_*), which it keeps in units of 1.024 µs and
// reports in whole microseconds.
const (
	codelTarget      = 1
	codelInterval    = 3
	codelCEThreshold = 7
)

// set gives attributes the given values, as the kernel then reports them.
func set(kind string, options, given []byte) []byte {
	all, err1 := netlink.UnmarshalAttributes(options)
	values, err2 := netlink.UnmarshalAttributes(given)
	if err1 != nil || err2 != nil {
		panic(fmt.Sprint(kind, err1, err2)) // a test gave them
	}
	var b []byte
	for _, a := range all {
		for _, v := range values {
			if a.Type != v.Type || len(a.Data) != len(v.Data) {
				continue
			}
			a.Data = v.Data
			if kind == "fq_codel" && (a.Type == codelTarget || a.Type == codelInterval || a.Type == codelCEThreshold) {
				units := uint64(binary.NativeEndian.Uint32(v.Data)) * 1000 >> 10
				a.Data = rtnl.U32(nil, uint32(units<<10/1000))
			}
		}
		b = rtnl.Attr(b, a.Type, a.Data)
	}
	return b
}
