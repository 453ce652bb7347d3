package apply

import (
	"slices"
	"strings"

	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
)

// allowedCC is a list whose order the kernel chooses.
const allowedCC = "net.ipv4.tcp_allowed_congestion_control"

// holds says whether have is what want asks for.
func holds(kind tune.Kind, key string, want, have *string) bool {
	if want == nil || have == nil {
		return want == have
	}
	if *want == *have {
		return true
	}
	switch {
	case kind == tune.Sysctl && key == allowedCC:
		return slices.Equal(sorted(*want), sorted(*have))
	case kind == tune.Qdisc:
		w, err1 := tune.Decode[tune.QdiscValue](want)
		h, err2 := tune.Decode[tune.QdiscValue](have)
		return err1 == nil && err2 == nil && w.Matches(*h)
	case kind == tune.Route:
		w, err1 := tune.Decode[tune.RouteValue](want)
		h, err2 := tune.Decode[tune.RouteValue](have)
		return err1 == nil && err2 == nil && w.CC == h.CC
	}
	return false
}

func sorted(list string) []string { return slices.Sorted(strings.FieldsSeq(list)) }

// ours says whether have is what a step made: what it asked for, what was read
// back then, what one message of several left, or, after a reboot, what the
// kernel now attaches by itself, if it is of the same kind.
func ours(s journal.Step, boot string, have *string) bool {
	if holds(s.Kind, s.Key, s.New, have) || s.Wrote && holds(s.Kind, s.Key, s.Value, have) {
		return true
	}
	if onItsWay(s, boot, have) {
		return true
	}
	if s.Kind != tune.Qdisc || s.Boot == boot || have == nil {
		return false
	}
	w, err1 := tune.Decode[tune.QdiscValue](s.New)
	h, err2 := tune.Decode[tune.QdiscValue](have)
	return err1 == nil && err2 == nil && w != nil && h.Handle == tune.ByItself && queuing(*w) == queuing(*h)
}

// onItsWay says whether have is a tree that a run of this boot left before or
// after one of its messages.
func onItsWay(s journal.Step, boot string, have *string) bool {
	if s.Part == nil || s.Part.Boot != boot {
		return false
	}
	h, err := tune.Decode[tune.QdiscValue](have)
	return err == nil && h != nil && (s.Part.Before.Fits(*h) || s.Part.After.Fits(*h))
}

// queuing are the kinds that packets wait in, on all queues alike or one by one.
func queuing(q tune.QdiscValue) string {
	if q.Kind != tune.MultiQueue {
		return q.Kind
	}
	var kinds []string
	for _, leaf := range q.Leaves {
		kinds = append(kinds, leaf.Kind)
	}
	return strings.Join(slices.Compact(kinds), " ")
}

// gone says that what a step changed does not exist any more, so that there is
// nothing to take back: its device, its route, its module's sysctl.
func gone(s journal.Step, have *string) bool {
	return have == nil && s.Old != nil && s.Kind != tune.File
}
