// Package tree builds a device's qdisc tree one netlink message at a time: one
// qdisc at the root, or mq with one for each transmit queue. It decides and
// sends nothing.
//
// Each message happens whole or not at all, and after each the device has a
// qdisc everywhere: what is there is replaced, never deleted. A leaf of mq that
// is deleted leaves noop, which drops every packet of its queue (mq_graft,
// net/sched/sch_mq.c); only a root may be deleted, since the kernel attaches its
// default in the same moment (dev_activate, net/sched/sch_generic.c).
//
//	have ──Next──▶ message ──kernel──▶ have ──Next──▶ … ──Next──▶ nil: it is as wanted
package tree

import (
	"errors"
	"fmt"
	"strconv"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/tune"
	"unchoke/internal/wire"
)

// Message is one request to the kernel about a device's tree.
type Message struct {
	// Delete takes the root away, so that the kernel attaches its default.
	// Otherwise Qdisc is attached, made anew, in the place of what is there.
	Delete bool
	Parent string // a class of mq, 1:2; empty is the root
	Qdisc  tune.QdiscValue

	// Default is what net.core.default_qdisc has to be meanwhile, since the
	// kernel makes what it says; empty where it makes nothing.
	Default string
	// After is the shape of the tree that comes of it.
	After tune.QdiscValue

	tries  int
	follow *follow // where this only makes room
}

// follow is a qdisc that is to be attached after room was made for its handle.
type follow struct {
	options []byte
	tries   int
}

// tries is how often one qdisc is attached before its options are given up.
const tries = 3

// roots is the handle of an mq that is made without one being asked for.
const roots = "1:"

// Next is the message that brings have closer to want, and nil where it is as
// wanted. last is what this run sent before, nil for nothing.
func Next(have, want tune.QdiscValue, last *Message) (*Message, error) {
	if want.Matches(have) {
		return nil, nil
	}
	if err := want.Restorable(); err != nil {
		return nil, err
	}
	if want.Handle == tune.ByItself {
		return byItself(have, want, last)
	}
	if want.Kind != tune.MultiQueue {
		return attach(have, "", &have, want, last)
	}
	if want.Handle == "" {
		want.Handle = roots
		if have.Kind == tune.MultiQueue && have.Handle != tune.ByItself {
			want.Handle = have.Handle
		}
	}
	if have.Kind != tune.MultiQueue || have.Handle != want.Handle {
		m, err := attach(have, "", &have, tune.QdiscValue{Kind: want.Kind, Handle: want.Handle}, last)
		if err == nil && m.follow == nil {
			m.Default = want.Default()
		}
		return m, err
	}
	return leaves(have, want, last)
}

// byItself has the kernel attach its default. A root without a handle cannot be
// deleted, and goes for one that can.
func byItself(have, want tune.QdiscValue, last *Message) (*Message, error) {
	if last != nil && last.Delete {
		return nil, fmt.Errorf("the kernel attached %s by itself, not %s", words(have), words(want))
	}
	if have.Handle == tune.ByItself {
		return room(have, "", nil), nil
	}
	return &Message{Delete: true, Default: want.Default(), After: tune.QdiscValue{Handle: tune.ByItself}}, nil
}

// leaves hangs the wanted ones on an mq that is as wanted itself.
func leaves(have, want tune.QdiscValue, last *Message) (*Message, error) {
	for i, leaf := range want.Leaves {
		at := leafAt(have, i+1)
		switch {
		case at != nil && leaf.Matches(*at):
			continue
		case leaf.Handle != tune.ByItself:
			return attach(have, have.Handle+strconv.FormatInt(int64(i+1), 16), at, leaf, last)
		case last != nil && last.Parent == "" && last.Qdisc.Kind == tune.MultiQueue:
			return nil, fmt.Errorf("the kernel gives transmit queue %d %s by itself, not %s", i+1, words(deref(at)), leaf.Kind)
		}
		// It comes about with the root only.
		return room(have, "", nil), nil
	}
	return nil, fmt.Errorf("the device has %d transmit queues, not %d", len(have.Leaves), len(want.Leaves))
}

// attach puts one qdisc in its place, with the options it had. at is what is
// there, nil for nothing.
//
// A kernel may store a time with less than the precision it reports it with
// (fq_codel: 1.024 µs), so that what it reported, given back, comes out one
// less; what differs is therefore given once more with the difference added.
func attach(have tune.QdiscValue, parent string, at *tune.QdiscValue, want tune.QdiscValue, last *Message) (*Message, error) {
	m := &Message{Parent: parent, Qdisc: tune.QdiscValue{Kind: want.Kind, Handle: want.Handle, Options: want.Options}, tries: 1}
	if want.Options == nil && want.MaxRate > 0 {
		m.Qdisc.Options = qdisc.WithMaxRate(want.MaxRate)
	}
	if last != nil && last.Parent == parent {
		switch {
		case last.follow != nil && last.follow.options != nil:
			m.Qdisc.Options, m.tries = last.follow.options, last.follow.tries
		case last.follow == nil && !last.Delete && last.Qdisc.Kind == want.Kind:
			if want.Options == nil || last.tries == tries || at == nil {
				return nil, fmt.Errorf("attach %s: the kernel does not take its parameters: it is %s now", want.Kind, words(deref(at)))
			}
			m.Qdisc.Options, _ = qdisc.Corrected(last.Qdisc.Options, want.Options, at.Options)
			m.tries = last.tries + 1
		}
	}
	place, used := user(have, want.Handle)
	if !used && want.Handle == "" && at != nil && at.Handle != tune.ByItself && at.Kind == want.Kind {
		// The kernel takes it for a change of what is there, and not every
		// parameter can be changed (tc_modify_qdisc, net/sched/sch_api.c).
		place, used = parent, true
	}
	if used {
		var f *follow
		if place == parent {
			f = &follow{m.Qdisc.Options, m.tries}
		}
		if place == "" && parent != "" {
			return nil, fmt.Errorf("attach %s: its handle %s is the root's", want.Kind, want.Handle)
		}
		return room(have, place, f), nil
	}
	m.After = with(have, parent, m.Qdisc.Shape())
	return m, nil
}

// room puts a qdisc of another kind in a place, with a handle of the kernel's
// choice, so that the one there goes, and its handle with it.
func room(have tune.QdiscValue, parent string, f *follow) *Message {
	if f == nil {
		f = &follow{}
	}
	const packets = 1000 // as many as a device queues by default (DEFAULT_TX_QUEUE_LEN)
	q := tune.QdiscValue{Kind: "pfifo", Options: rtnl.U32(nil, packets)}
	at := &have
	if parent != "" {
		at = leafAt(have, tune.QdiscValue{Parent: parent}.Queue())
	}
	if at.Kind == q.Kind {
		q = tune.QdiscValue{Kind: "bfifo", Options: rtnl.U32(nil, packets*wire.Frame)}
	}
	return &Message{Parent: parent, Qdisc: q, After: with(have, parent, q.Shape()), follow: f}
}

// user finds what has a handle.
func user(have tune.QdiscValue, handle string) (place string, used bool) {
	if handle == "" || handle == tune.ByItself {
		return "", false
	}
	if have.Handle == handle {
		return "", true
	}
	for _, leaf := range have.Leaves {
		if leaf.Handle == handle {
			return leaf.Parent, true
		}
	}
	return "", false
}

// with is the shape of a tree with another qdisc in one place.
func with(have tune.QdiscValue, parent string, q tune.QdiscValue) tune.QdiscValue {
	q.Parent = parent
	if parent == "" {
		return q
	}
	shape := have.Shape()
	for i, leaf := range shape.Leaves {
		if leaf.Queue() == q.Queue() {
			shape.Leaves[i] = q
			return shape
		}
	}
	for i, leaf := range shape.Leaves {
		if leaf.Queue() > q.Queue() {
			shape.Leaves = append(shape.Leaves[:i:i], append([]tune.QdiscValue{q}, shape.Leaves[i:]...)...)
			return shape
		}
	}
	shape.Leaves = append(shape.Leaves, q)
	return shape
}

func leafAt(have tune.QdiscValue, queue int) *tune.QdiscValue {
	for i, leaf := range have.Leaves {
		if leaf.Queue() == queue {
			return &have.Leaves[i]
		}
	}
	return nil
}

func deref(q *tune.QdiscValue) tune.QdiscValue {
	if q == nil {
		return tune.QdiscValue{}
	}
	return *q
}

func words(q tune.QdiscValue) string {
	if q.Kind == "" {
		return "nothing"
	}
	return tune.Words(tune.Qdisc, tune.Encode(q))
}

// ErrEndless is a tree that does not come about by more messages than any takes.
var ErrEndless = errors.New("the tree does not come about")

// Most is how many messages a tree takes at most: room and three tries in each
// place.
func Most(want tune.QdiscValue) int { return (tries + 1) * 2 * (len(want.Leaves) + 2) }
