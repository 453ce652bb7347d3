package host

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/tune"
	"unchoke/internal/tune/tree"
)

// qdiscs are the trees beneath devices' roots: one qdisc, or mq with one for
// each transmit queue.
type qdiscs struct{}

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
	return arranged(list), nil
}

// arranged is the tree of what the kernel lists.
func arranged(list []qdisc.Attached) *tune.QdiscValue {
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

// write is for what one system call does.
func (qdiscs) write(device string, _ *string) error {
	return fmt.Errorf("set qdisc of %s: a tree is made message by message", device)
}

// send sends one message.
func (qdiscs) send(device string, m tree.Message) error {
	dev, err := net.InterfaceByName(device)
	if err != nil {
		return err
	}
	if m.Delete {
		if err := qdisc.Delete(dev.Index, qdisc.Root); err != nil {
			return fmt.Errorf("delete the root: %w", err)
		}
		return nil
	}
	parent := qdisc.Root
	if m.Parent != "" {
		if parent, err = parseHandle(m.Parent); err != nil {
			return err
		}
	}
	handle, err := parseHandle(m.Qdisc.Handle)
	if err == nil {
		err = qdisc.Renew(dev.Index, parent, handle, qdisc.Attached{Name: m.Qdisc.Kind, Options: m.Qdisc.Options})
	}
	if err != nil {
		return fmt.Errorf("attach %s: %w", m.Qdisc.Kind, err)
	}
	return nil
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
