package tree_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"unchoke/internal/tune"
	"unchoke/internal/tune/tree"
	"unchoke/internal/tune/tree/treetest"
)

// host has one device.
type host struct {
	*treetest.Device
	byDefault string
	fixed     bool // default_qdisc does not exist, as in a network namespace
}

func (h *host) Read(kind tune.Kind, _ string) (*string, error) {
	if kind == tune.Qdisc {
		return tune.Encode(h.Tree), nil
	}
	if h.fixed {
		return nil, nil
	}
	return new(h.byDefault), nil
}

func (h *host) Write(_ tune.Kind, _ string, value *string) error {
	h.byDefault = *value
	return nil
}

func (h *host) Send(_ string, m tree.Message) error { return h.Device.Send(m, h.byDefault) }

func newHost(queues int) *host {
	h := &host{&treetest.Device{Queues: queues, Options: treetest.Stock}, "pfifo_fast", false}
	h.Up(h.byDefault)
	return h
}

// stir gives the device a tree that somebody could have made.
func (h *host) stir(r *rand.Rand) {
	for range r.IntN(5) {
		m, byDefault := treetest.Random(r, h.Tree, h.Queues)
		_ = h.Device.Send(m, byDefault) // it may not take it
	}
}

// From any tree to any and back, and from any tree that is left where a run is
// stopped: every message is taken and leaves what it announced.
func TestThereAndBack(t *testing.T) {
	errStop := errors.New("stopped")
	for n := range 1000 {
		r := rand.New(rand.NewPCG(uint64(n), 3))
		h := newHost(1 + r.IntN(4))
		h.stir(r)
		old := h.Tree
		other := newHost(h.Queues)
		other.stir(r)
		byDefault := h.byDefault
		stop := 1 + r.IntN(9)
		for _, want := range []tune.QdiscValue{treetest.Wanted(r, h.Queues), other.Tree, old} {
			from := *tune.Encode(h.Tree)
			err := treetest.Build(h, "eth0", want, func(after tune.QdiscValue) error {
				if !after.Fits(h.Tree) {
					t.Fatalf("case %d: announced %s, there is %s", n, *tune.Encode(after), *tune.Encode(h.Tree))
				}
				if stop--; stop == 0 {
					return errStop
				}
				return nil
			})
			if err != nil && !errors.Is(err, errStop) {
				t.Fatalf("case %d: from %s to %s: %v, at %s", n, from, *tune.Encode(want), err, *tune.Encode(h.Tree))
			}
			if err == nil && !want.Matches(h.Tree) || h.byDefault != byDefault {
				t.Fatalf("case %d: from %s to %s: %s, %s", n, from, *tune.Encode(want), *tune.Encode(h.Tree), h.byDefault)
			}
		}
		if err := treetest.Build(h, "eth0", old, nil); err != nil || *tune.Encode(h.Tree) != *tune.Encode(old) {
			t.Fatalf("case %d: %s, %v\nwas %s", n, *tune.Encode(h.Tree), err, *tune.Encode(old))
		}
	}
}

// What the kernel makes by default needs one message where the default is right,
// and a same-kind leaf is never deleted.
func TestMessages(t *testing.T) {
	h := newHost(4)
	h.byDefault = "fq"
	want := tune.QdiscValue{Kind: "mq", Handle: "1:"}
	for _, parent := range []string{"1:1", "1:2", "1:3", "1:4"} {
		want.Leaves = append(want.Leaves, tune.QdiscValue{Kind: "fq", Parent: parent})
	}
	count := func(want tune.QdiscValue, n int) {
		t.Helper()
		got := 0
		err := treetest.Build(h, "eth0", want, func(tune.QdiscValue) error { got++; return nil })
		if err != nil || got != n {
			t.Errorf("%d messages, want %d, %v", got, n, err)
		}
	}
	count(want, 1)
	count(want, 0)
	// One message for another handle, two for the same: its options may not be
	// changeable.
	want.Leaves[1].Handle = "20:"
	count(want, 1)
	want.Leaves[1].Options = h.Tree.Leaves[0].Options[:8:8]
	want.Leaves[1].Options = append(want.Leaves[1].Options, h.Tree.Leaves[1].Options[8:]...)
	want.Leaves[1].Options[4]++
	count(want, 2)
	if h.Tree.Leaves[1].Handle != "20:" || string(h.Tree.Leaves[1].Options) != string(want.Leaves[1].Options) {
		t.Errorf("%+v", h.Tree.Leaves[1])
	}
}

func TestNotRestorable(t *testing.T) {
	leaf := func(kind, handle, parent string) tune.QdiscValue {
		return tune.QdiscValue{Kind: kind, Handle: handle, Parent: parent}
	}
	for why, q := range map[string]tune.QdiscValue{
		"classes":     {Kind: "htb", Handle: "1:", Leaves: []tune.QdiscValue{leaf("pfifo", "8001:", "1:10")}},
		"queue 2 has": {Kind: "mq", Handle: "1:", Leaves: []tune.QdiscValue{leaf("fq", "0:", "1:1"), leaf("fq", "0:", "1:3")}}, // noop is not listed
		"gave":        {Kind: "mq", Handle: "0:", Leaves: []tune.QdiscValue{leaf("fq", "0:", ":1"), leaf("pfifo_fast", "0:", ":2")}},
	} {
		if err := q.Restorable(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
		if _, err := tree.Next(newHost(2).Tree, q, nil); err == nil {
			t.Errorf("%s: it is begun", why)
		}
	}
}

// Where the kernel's default is another and cannot be changed, there is an error
// and no endless loop.
func TestDefaultIsAnother(t *testing.T) {
	for _, queues := range []int{1, 3} {
		h := newHost(queues)
		h.byDefault = "fq"
		h.Up("fq")
		wants := []tune.QdiscValue{h.Tree}
		if queues > 1 {
			want := h.Tree
			want.Handle = "1:"
			wants = append(wants, want)
		}
		for _, want := range wants {
			h.byDefault, h.fixed = "pfifo_fast", true
			h.Up("pfifo_fast")
			if err := treetest.Build(h, "eth0", want, nil); err == nil || !strings.Contains(err.Error(), "by itself") {
				t.Errorf("%d queues: %v", queues, err)
			}
		}
	}
}
