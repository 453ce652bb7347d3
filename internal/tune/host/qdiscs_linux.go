package host

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/tune"
)

// qdiscs are the trees beneath devices' roots: one qdisc, or mq with one for
// each transmit queue.
type qdiscs struct{}

const (
	multiQueue   = "mq"
	noQueue      = "noqueue"
	defaultQdisc = "net.core.default_qdisc"
)

func (qdiscs) read(device string) (*string, error) {
	dev, err := net.InterfaceByName(device)
	if err != nil {
		return nil, nil // gone
	}
	v, err := readTree(dev.Index)
	if v == nil || err != nil {
		return nil, err
	}
	return tune.Encode(*v), nil
}

// readTree is nil for a device that is down, which has no qdisc yet.
func readTree(dev int) (*tune.QdiscValue, error) {
	list, err := qdisc.List(dev)
	if err != nil {
		return nil, err
	}
	return tree(list), nil
}

// tree arranges what the kernel lists.
func tree(list []qdisc.Attached) *tune.QdiscValue {
	if len(list) == 0 || list[0].Parent != qdisc.Root {
		return nil
	}
	root := value(list[0])
	leaves := list[1:]
	slices.SortFunc(leaves, func(a, b qdisc.Attached) int { return cmp.Compare(a.Parent, b.Parent) })
	for _, a := range leaves {
		leaf := value(a)
		leaf.Parent = handleText(a.Parent)
		root.Leaves = append(root.Leaves, leaf)
	}
	return &root
}

func value(a qdisc.Attached) tune.QdiscValue {
	return tune.QdiscValue{Kind: a.Name, Handle: handleText(a.Handle), Options: a.Options, MaxRate: qdisc.MaxRate(a)}
}

func (qdiscs) writable(device string) error {
	return administrator("change the qdisc of " + device)
}

// write makes a device's tree as the value says. What the kernel would have
// attached by itself, with handle 0, comes about only by deleting the root
// while default_qdisc is its kind: that is changed for the moment it takes.
func (qdiscs) write(device string, value *string) error {
	want, err := tune.Decode[tune.QdiscValue](value)
	if err == nil && want == nil {
		err = errors.New("a device's qdisc can be replaced, not removed")
	}
	if err == nil {
		var dev *net.Interface
		if dev, err = net.InterfaceByName(device); err == nil {
			err = attachTree(dev.Index, *want)
		}
	}
	if err != nil {
		return fmt.Errorf("set qdisc of %s: %w", device, err)
	}
	return nil
}

// borrows is default_qdisc where the value is one that the kernel attaches by
// itself and that is not its present choice.
func (qdiscs) borrows(_ string, value *string) ([]string, error) {
	want, err := tune.Decode[tune.QdiscValue](value)
	if err != nil || want == nil {
		return nil, err
	}
	handle, err := parseHandle(want.Handle)
	if err != nil || want.Handle == "" || handle != 0 {
		return nil, err
	}
	kind := defaultKind(*want)
	before, err := (sysctls{}).read(defaultQdisc)
	if err != nil || before == nil || *before == kind || kind == noQueue {
		return nil, err
	}
	return []string{defaultQdisc}, nil
}

// defaultKind is what default_qdisc says where the kernel attaches the tree by
// itself.
func defaultKind(want tune.QdiscValue) string {
	if want.Kind == multiQueue && len(want.Leaves) > 0 {
		return want.Leaves[0].Kind
	}
	return want.Kind
}

func attachTree(dev int, want tune.QdiscValue) error {
	if want.Kind != multiQueue && len(want.Leaves) > 0 {
		return fmt.Errorf("%s with classes is not rebuilt here", want.Kind)
	}
	handle, err := parseHandle(want.Handle)
	if err != nil {
		return err
	}
	if want.Handle != "" && handle == 0 {
		return attachDefault(dev, want)
	}
	if want.Kind == multiQueue && handle == 0 {
		handle = qdisc.MakeHandle(1, 0)
	}
	if err := attach(dev, qdisc.Root, handle, want); err != nil {
		return err
	}
	return attachLeaves(dev, handle, want.Leaves)
}

// attachLeaves hangs each leaf on its transmit queue's class. Those that the
// kernel hung there itself and that are right stay.
func attachLeaves(dev int, root qdisc.Handle, leaves []tune.QdiscValue) error {
	if len(leaves) == 0 {
		return nil
	}
	have, err := readTree(dev)
	if err != nil {
		return err
	}
	if have == nil || len(have.Leaves) != len(leaves) {
		return fmt.Errorf("the device has no %d transmit queues", len(leaves))
	}
	for i, leaf := range leaves {
		if leaf.Matches(have.Leaves[i]) {
			continue
		}
		handle, err := parseHandle(leaf.Handle)
		if err != nil {
			return err
		}
		if leaf.Handle != "" && handle == 0 && leaf.Kind == have.Leaves[i].Kind {
			continue // the kernel's own, which has a handle under a root that has one
		}
		if err := attach(dev, root|qdisc.Handle(i+1), handle, leaf); err != nil {
			return err
		}
	}
	return nil
}

// attachDefault has the kernel attach its default. Nothing of somebody else's
// hangs on that: a class of a qdisc without a handle cannot be named.
func attachDefault(dev int, want tune.QdiscValue) error {
	restore, err := setDefault(defaultKind(want))
	if err != nil {
		return err
	}
	return errors.Join(replaceDefault(dev), restore())
}

// setDefault changes default_qdisc until restore. A device that is up keeps
// what it has. Where the sysctl does not exist, as in a network namespace, the
// kernel's choice is what it is.
func setDefault(kind string) (restore func() error, err error) {
	before, err := (sysctls{}).read(defaultQdisc)
	if err != nil {
		return nil, err
	}
	if before == nil || *before == kind || kind == noQueue {
		return func() error { return nil }, nil
	}
	if err := sysctl.Set(defaultQdisc, kind); err != nil {
		return nil, err
	}
	return func() error { return sysctl.Set(defaultQdisc, *before) }, nil
}

// replaceDefault deletes the root, after putting one there that can be deleted.
func replaceDefault(dev int) error {
	have, err := readTree(dev)
	if err != nil {
		return err
	}
	if have == nil {
		return errors.New("the device is down")
	}
	if handle, err := parseHandle(have.Handle); err != nil || handle == 0 {
		if err := qdisc.Replace(dev, qdisc.Root, qdisc.MakeHandle(1, 0), qdisc.FIFO{Packets: 1000}); err != nil {
			return fmt.Errorf("attach pfifo: %w", err)
		}
	}
	if err := qdisc.Delete(dev, qdisc.Root); err != nil {
		return fmt.Errorf("delete the root: %w", err)
	}
	return nil
}

// attach puts one qdisc in its place, with the options it had.
//
// A kernel may store a time with less than the precision it reports it with
// (fq_codel: 1.024 µs), so that what it reported, given back, comes out one
// less; what differs is therefore given once more with the difference added.
func attach(dev int, parent, handle qdisc.Handle, want tune.QdiscValue) error {
	a := qdisc.Attached{Name: want.Kind, Options: want.Options}
	if want.Options == nil && want.MaxRate > 0 {
		a.Options = qdisc.WithMaxRate(want.MaxRate)
	}
	const rounds = 3
	for range rounds {
		// A qdisc of the same kind would be changed instead of made anew, and
		// not every option can be.
		if have, err := at(dev, parent); err == nil && have.Handle != 0 && have.Name == a.Name {
			if err := qdisc.Delete(dev, parent); err != nil {
				return fmt.Errorf("delete %s: %w", have.Name, err)
			}
		}
		if err := qdisc.Replace(dev, parent, handle, a); err != nil {
			return fmt.Errorf("attach %s: %w", a.Name, err)
		}
		if want.Options == nil {
			return nil
		}
		have, err := at(dev, parent)
		if err != nil {
			return err
		}
		next, differs := qdisc.Corrected(a.Options, want.Options, have.Options)
		if !differs {
			return nil
		}
		a.Options = next
	}
	return fmt.Errorf("attach %s: the kernel does not take its old options back", a.Name)
}

// at is what is attached to a device there.
func at(dev int, parent qdisc.Handle) (qdisc.Attached, error) {
	list, err := qdisc.List(dev)
	if err != nil {
		return qdisc.Attached{}, err
	}
	for _, a := range list {
		if a.Parent == parent {
			return a, nil
		}
	}
	return qdisc.Attached{}, fmt.Errorf("nothing is attached to %s", handleText(parent))
}

// handleText is a handle as tc(8) writes it, the major number aside where it
// is 0: 8001:, 1:2, 0:, :3.
func handleText(h qdisc.Handle) string {
	major, minor := uint32(h)>>16, uint32(h)&0xffff
	switch {
	case minor == 0:
		return fmt.Sprintf("%x:", major)
	case major == 0:
		return fmt.Sprintf(":%x", minor)
	}
	return fmt.Sprintf("%x:%x", major, minor)
}

// parseHandle reads what handleText writes; empty is 0, where the kernel
// chooses.
func parseHandle(s string) (qdisc.Handle, error) {
	if s == "" {
		return 0, nil
	}
	major, minor, ok := strings.Cut(s, ":")
	m, err1 := parseHex(major)
	n, err2 := parseHex(minor)
	if !ok || err1 != nil || err2 != nil {
		return 0, fmt.Errorf("%q is no handle of a qdisc", s)
	}
	return qdisc.MakeHandle(m, n), nil
}

func parseHex(s string) (uint16, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 16, 16)
	return uint16(n), err
}
