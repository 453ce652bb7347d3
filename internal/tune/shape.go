package tune

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ByItself is the handle of a qdisc that the kernel attached by itself. None of
// that handle can be named in a request, and so none made, changed or deleted.
const ByItself = "0:"

// MultiQueue is the kind that gives each transmit queue a qdisc of its own.
const MultiQueue = "mq"

// Shape is a tree without its parameters: kinds, handles and places.
func (q QdiscValue) Shape() QdiscValue {
	shape := QdiscValue{Kind: q.Kind, Handle: q.Handle, Parent: q.Parent}
	for _, leaf := range q.Leaves {
		shape.Leaves = append(shape.Leaves, leaf.Shape())
	}
	return shape
}

// Fits says whether have has a shape. What the shape leaves empty, a kind, a
// handle or all the leaves, may be anything.
func (q QdiscValue) Fits(have QdiscValue) bool {
	if q.Kind != "" && q.Kind != have.Kind || q.Handle != "" && q.Handle != have.Handle {
		return false
	}
	if len(q.Leaves) == 0 {
		return true
	}
	if len(q.Leaves) != len(have.Leaves) {
		return false
	}
	for i, leaf := range q.Leaves {
		if !leaf.Fits(have.Leaves[i]) || leaf.Queue() != have.Leaves[i].Queue() {
			return false
		}
	}
	return true
}

// Queue is the number of the transmit queue whose leaf this is, from 1 on; 0
// where the place is none.
func (q QdiscValue) Queue() int {
	_, minor, _ := strings.Cut(q.Parent, ":")
	n, err := strconv.ParseUint(minor, 16, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

// Restorable returns nil for a tree that can be made again exactly once it was
// replaced: one qdisc, or mq with one on each transmit queue.
func (q QdiscValue) Restorable() error {
	if q.Kind == "" {
		return errors.New("a qdisc without a kind")
	}
	if q.Kind != MultiQueue && len(q.Leaves) > 0 {
		return fmt.Errorf("%s with classes cannot be made again as it is", q.Kind)
	}
	byItself := ""
	for i, leaf := range q.Leaves {
		switch {
		case leaf.Queue() != i+1:
			return fmt.Errorf("transmit queue %d has no qdisc, or one in another place", i+1)
		case len(leaf.Leaves) > 0:
			return fmt.Errorf("%s with classes cannot be made again as it is", leaf.Kind)
		case leaf.Handle != ByItself && q.Handle == ByItself:
			return fmt.Errorf("%s %s hangs on a qdisc that has no handle", leaf.Kind, leaf.Handle)
		case leaf.Handle != ByItself:
		case byItself != "" && byItself != leaf.Kind:
			// All of them come about at one moment, with one default.
			return fmt.Errorf("queues that the kernel gave %s and others that it gave %s cannot be made again as they are", byItself, leaf.Kind)
		default:
			byItself = leaf.Kind
		}
	}
	return nil
}

// Default is what default_qdisc says where the kernel makes this tree, or those of
// its leaves that have no handle; empty where it makes none of it.
func (q QdiscValue) Default() string {
	for _, leaf := range q.Leaves {
		if leaf.Handle == ByItself {
			return leaf.Kind
		}
	}
	const noQueue = "noqueue" // whatever the default
	if q.Handle != ByItself || q.Kind == MultiQueue || q.Kind == noQueue {
		return ""
	}
	return q.Kind
}
