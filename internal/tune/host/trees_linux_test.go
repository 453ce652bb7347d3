package host

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/tune"
	"unchoke/internal/tune/tree"
	"unchoke/internal/tune/tree/treetest"
)

// realDevice makes one in the first network namespace of a lab machine.
func realDevice(t *testing.T, name string, queues int) {
	t.Helper()
	if os.Getenv(inLab) == "" {
		t.Skip("only in the lab")
	}
	for _, args := range [][]string{
		{"ip", "link", "add", name, "numtxqueues", fmt.Sprint(queues), "type", "ifb"},
		{"ip", "link", "set", name, "up"},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	t.Cleanup(func() { _ = exec.Command("ip", "link", "del", name).Run() })
}

func setDefaultQdisc(t *testing.T, kind string) {
	t.Helper()
	if err := (Host{}).Write(tune.Sysctl, "net.core.default_qdisc", &kind); err != nil {
		t.Fatal(err)
	}
}

// options are what the kernel gives each kind by itself on a device.
func options(t *testing.T, name string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for kind := range treetest.Stock {
		if err := (Host{}).Send(name, tree.Message{Qdisc: tune.QdiscValue{Kind: kind}}); err != nil {
			if kind == tune.MultiQueue && errors.Is(err, unix.EOPNOTSUPP) {
				all[kind] = nil
				continue
			}
			t.Fatalf("%s: %v", kind, err)
		}
		all[kind] = decoded(t, read(t, tune.Qdisc, name)).Options
	}
	return all
}

// alike are two trees with the handles that a kernel chooses, from 8001: on, taken
// for equal.
func alike(a, b tune.QdiscValue) bool {
	chosen := func(q *tune.QdiscValue) {
		if len(q.Handle) == len("8001:") {
			q.Handle = "8xxx:"
		}
	}
	for _, q := range []*tune.QdiscValue{&a, &b} {
		root := q.Handle
		chosen(q)
		q.Leaves = slices.Clone(q.Leaves)
		for i := range q.Leaves {
			chosen(&q.Leaves[i])
			q.Leaves[i].Parent = q.Handle + strings.TrimPrefix(q.Leaves[i].Parent, root)
		}
	}
	return *tune.Encode(a) == *tune.Encode(b)
}

// The tests' device takes and refuses what the kernel does, and ends in the same
// tree, to the byte of its parameters.
func TestDeviceOfKernel(t *testing.T) {
	for _, queues := range []int{1, 4} {
		const name = "ifbx"
		realDevice(t, name, queues)
		r := rand.New(rand.NewPCG(uint64(queues), 1))
		fake := &treetest.Device{Queues: queues, Options: options(t, name)}
		fake.Tree = decoded(t, read(t, tune.Qdisc, name))
		taken := map[bool]int{}
		for n := range 1000 {
			m, byDefault := treetest.Random(r, fake.Tree, queues)
			before := fake.Tree
			setDefaultQdisc(t, byDefault)
			err := (Host{}).Send(name, m)
			want := fake.Send(m, byDefault)
			if (err == nil) != (want == nil) {
				t.Fatalf("%d queues, message %d, %+v with %s: the kernel says %v, the device %v\nof %s", queues, n, m, byDefault, err, want, *tune.Encode(before))
			}
			have := decoded(t, read(t, tune.Qdisc, name))
			if !alike(have, fake.Tree) {
				t.Fatalf("%d queues, message %d, %+v with %s: the kernel has\n%s\nthe device\n%s\nafter\n%s", queues, n, m, byDefault, *tune.Encode(have), *tune.Encode(fake.Tree), *tune.Encode(before))
			}
			if err != nil && !alike(have, before) {
				t.Fatalf("%d queues, message %d: half done", queues, n)
			}
			fake.Tree = have // its handles
			taken[err == nil]++
			time.Sleep(time.Millisecond) // so that virtual time goes on
		}
		if taken[true] < 300 || taken[false] < 100 {
			t.Errorf("messages taken %v", taken)
		}
		if err := exec.Command("ip", "link", "del", name).Run(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d queues: %d messages taken, %d refused", queues, taken[true], taken[false])
	}
}

// From any tree to a wanted one and back, stopped after any message: each message
// leaves what it announced, and never a queue without a qdisc.
func TestTreeOfKernel(t *testing.T) {
	const name, queues = "ifby", 4
	realDevice(t, name, queues)
	dev, err := net.InterfaceByName(name)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 1))
	errStop := errors.New("stopped")
	lengths := map[int]int{}
	for n := range 100 {
		for range 4 {
			m, byDefault := treetest.Random(r, decoded(t, read(t, tune.Qdisc, name)), queues)
			setDefaultQdisc(t, byDefault)
			_ = (Host{}).Send(name, m) // it may not take it
		}
		old := decoded(t, read(t, tune.Qdisc, name))
		wanted := treetest.Wanted(r, queues)
		sent, stop := 0, r.IntN(7)
		check := func(after tune.QdiscValue) error {
			sent++
			have := decoded(t, read(t, tune.Qdisc, name))
			if !after.Fits(have) {
				t.Fatalf("tree %d, message %d: the kernel has\n%s\nannounced was\n%s", n, sent, *tune.Encode(have), *tune.Encode(after))
			}
			if list, err := qdisc.List(dev.Index); err != nil || have.Kind == tune.MultiQueue && len(list) != queues+1 {
				t.Fatalf("tree %d, message %d: a queue without a qdisc: %+v, %v", n, sent, list, err)
			}
			if sent == stop {
				return errStop
			}
			return nil
		}
		for _, want := range []tune.QdiscValue{wanted, old, wanted} {
			if err := treetest.Build(Host{}, name, want, check); err != nil && !errors.Is(err, errStop) {
				t.Fatalf("tree %d: from\n%s\nto\n%s: %v", n, read(t, tune.Qdisc, name), *tune.Encode(want), err)
			}
			time.Sleep(time.Millisecond)
		}
		lengths[sent]++
		stop = 0
		if err := treetest.Build(Host{}, name, old, check); err != nil {
			t.Fatal(err)
		}
		if got := read(t, tune.Qdisc, name); got != *tune.Encode(old) {
			t.Fatalf("tree %d:\n%s\nwas\n%s", n, got, *tune.Encode(old))
		}
	}
	t.Logf("messages for three trees: %v", slices.Sorted(maps.Keys(lengths)))
}
