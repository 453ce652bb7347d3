package tune

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// byItself are the qdiscs that the kernel gives devices by itself
// (net/sched/sch_generic.c), with default_qdisc's usual values. Any other kind
// is there because somebody wanted it, and so is any qdisc with a handle.
var byItself = []string{"pfifo_fast", "fq_codel", "fq", "mq", "pfifo", ""}

// treatment is what becomes of a device's qdisc.
type treatment struct {
	to  *QdiscValue // nil: it stays
	why string      // why it is changed, or left
}

// treat says what a device that is up needs in order to pace. fixed says that
// the leaves of mq are to be named one by one, since the default is not to
// change.
func treat(d Device, fixed bool) treatment {
	q := d.Qdisc
	switch {
	case d.Loopback:
		return treatment{}
	case q.Kind == "noqueue":
		what := "has no queue"
		if d.Kind != "" {
			what = fmt.Sprintf("(%s) has no queue", d.Kind)
		}
		beneath := "the device that its packets leave by"
		if len(d.Lower) > 0 {
			beneath = strings.Join(d.Lower, ", ")
		}
		return treatment{nil, what + " and needs none: fq on " + beneath + " paces the sockets of this host through it"}
	case q.paces():
		return treatment{}
	case q.chosen():
		return treatment{nil, fmt.Sprintf("has %s, which somebody attached on purpose: it stays. BBR paces itself without fq (Linux 4.13 and later)", q.describe())}
	case q.Restorable() != nil:
		return treatment{nil, fmt.Sprintf("has %s: %v, so it stays", q.describe(), q.Restorable())}
	case q.Kind == MultiQueue:
		to := &QdiscValue{Kind: "mq", Handle: "1:"}
		for i := range max(len(q.Leaves), 1) {
			to.Leaves = append(to.Leaves, QdiscValue{Kind: fq, Parent: "1:" + strconv.FormatInt(int64(i+1), 16)})
		}
		why := "several transmit queues: mq anew, whose leaves the kernel takes from default_qdisc"
		if fixed {
			why = "several transmit queues: mq anew, with fq in each"
		}
		return treatment{to, why}
	}
	why := "fq sends each packet at the time that BBR sets"
	if d.Kind == "tun" {
		why = "a TUN device queues by itself: " + why
	}
	return treatment{&QdiscValue{Kind: fq}, why}
}

// paces says that the tree is fq already.
func (q QdiscValue) paces() bool {
	if q.Kind == fq {
		return true
	}
	return q.Kind == "mq" && len(q.Leaves) > 0 && !slices.ContainsFunc(q.Leaves, func(leaf QdiscValue) bool { return leaf.Kind != fq })
}

// chosen says that somebody attached the root or what is beneath it: a shaper,
// a kind that the kernel never attaches by itself, or one with a handle.
func (q QdiscValue) chosen() bool {
	if !slices.Contains(byItself, q.Kind) || q.Handle != "" && !strings.HasPrefix(q.Handle, "0:") {
		return true
	}
	return slices.ContainsFunc(q.Leaves, QdiscValue.chosen)
}

// describe is the tree in a word or two.
func (q QdiscValue) describe() string {
	if q.Kind != "mq" {
		return q.Kind
	}
	var kinds []string
	for _, leaf := range q.Leaves {
		kinds = append(kinds, leaf.Kind)
	}
	slices.Sort(kinds)
	return "mq of " + strings.Join(slices.Compact(kinds), ", ")
}

// qdiscs changes the devices that are up, as the next boot would.
func (b *builder) qdiscs() {
	if b.needs.shape > 0 {
		b.shape()
		return
	}
	if b.needs.bbr == "" || !b.facts.Kernel.has(moduleFQ) {
		return
	}
	for _, d := range b.facts.Devices {
		b.qdisc(d, false)
	}
}

func (b *builder) qdisc(d Device, fixed bool) {
	switch t := treat(d, fixed); {
	case t.to != nil:
		b.change(Qdisc, d.Name, Now, Encode(d.Qdisc), Encode(*t.to), t.why)
	case t.why != "":
		b.note("qdisc", "", "%s %s.", d.Name, t.why)
	}
}

// shape holds each flow below a policer, on the device that the path leaves
// by, or on the one beneath a tunnel without a queue.
func (b *builder) shape() {
	if !b.running() || !b.facts.Kernel.has(moduleFQ) {
		b.note("policer", "", "maxrate needs fq on a running host.")
		return
	}
	names := []string{b.measured.Device}
	if d, ok := b.facts.device(b.measured.Device); ok && d.Qdisc.Kind == "noqueue" {
		names = d.Lower
	}
	for _, name := range names {
		d, ok := b.facts.device(name)
		if !ok {
			continue
		}
		switch q := d.Qdisc; {
		case q.Kind == fq && q.MaxRate > 0 && q.MaxRate <= b.needs.shape:
			continue
		case q.chosen() && q.Kind != fq:
			b.note("qdisc", "", "%s has %s, which somebody attached on purpose: it stays"+noMaxRate, name, q.describe())
		case q.Restorable() != nil:
			b.note("qdisc", "", "%s has %s: %v, so it stays"+noMaxRate, name, q.describe(), q.Restorable())
		default:
			b.module(moduleFQ, "the qdisc is a module")
			b.note("policer", "", "fq's maxrate is a property of the qdisc: it holds until %s goes down, no sysctl brings it back at boot. It holds each flow that leaves by it, also those that go elsewhere than to %s.", name, b.measured.Target)
			b.change(Qdisc, name, Now, Encode(q), Encode(QdiscValue{Kind: fq, MaxRate: b.needs.shape}),
				"each flow stays below the policer, and loses nothing to it"+b.measured.way(record.Up).gainWords(finding.KindPace))
		}
	}
}

// noMaxRate ends what is said of a queue that stays.
const noMaxRate = ", and maxrate, which is fq's, is not set."

func (f *Facts) device(name string) (Device, bool) {
	i := slices.IndexFunc(f.Devices, func(d Device) bool { return d.Name == name })
	if i < 0 {
		return Device{}, false
	}
	return f.Devices[i], true
}
