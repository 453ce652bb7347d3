package treetest

import (
	"fmt"

	"unchoke/internal/tune"
	"unchoke/internal/tune/tree"
)

// Host is what a tree is built on.
type Host interface {
	tune.Host
	Send(device string, m tree.Message) error
}

const defaultQdisc = "net.core.default_qdisc"

// Build makes a device's tree, without a journal. each is called after every
// message, where it is not nil, with the shape that the message announced.
func Build(h Host, device string, want tune.QdiscValue, each func(after tune.QdiscValue) error) error {
	var last *tree.Message
	for range tree.Most(want) {
		value, err := h.Read(tune.Qdisc, device)
		if err != nil {
			return err
		}
		have, err := tune.Decode[tune.QdiscValue](value)
		if err != nil || have == nil {
			return fmt.Errorf("read the tree of %s: %v, %w", device, value, err)
		}
		if last, err = tree.Next(*have, want, last); last == nil || err != nil {
			return err
		}
		if err := lent(h, last.Default, func() error { return h.Send(device, *last) }); err != nil {
			return err
		}
		if each != nil {
			if err := each(last.After); err != nil {
				return err
			}
		}
	}
	return tree.ErrEndless
}

func lent(h Host, kind string, do func() error) error {
	before, err := h.Read(tune.Sysctl, defaultQdisc)
	if err != nil {
		return err
	}
	if kind == "" || before == nil || *before == kind {
		return do()
	}
	if err := h.Write(tune.Sysctl, defaultQdisc, &kind); err != nil {
		return err
	}
	defer func() { _ = h.Write(tune.Sysctl, defaultQdisc, before) }() // a test reads it back
	return do()
}
