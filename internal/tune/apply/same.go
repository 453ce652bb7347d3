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
// back then, or, after a reboot, a qdisc of the same kind, which the kernel now
// attaches by itself.
func ours(s journal.Step, boot string, have *string) bool {
	if holds(s.Kind, s.Key, s.New, have) || s.Wrote && holds(s.Kind, s.Key, s.Value, have) {
		return true
	}
	if s.Kind != tune.Qdisc || s.Boot == boot || have == nil {
		return false
	}
	w, err1 := tune.Decode[tune.QdiscValue](s.New)
	h, err2 := tune.Decode[tune.QdiscValue](have)
	return err1 == nil && err2 == nil && w != nil && kinds(*w) == kinds(*h)
}

// kinds is a tree without what the kernel numbers.
func kinds(q tune.QdiscValue) string {
	var s strings.Builder
	s.WriteString(q.Kind)
	for _, leaf := range q.Leaves {
		s.WriteString(" " + leaf.Kind)
	}
	return s.String()
}

// gone says that what a step changed does not exist any more, so that there is
// nothing to take back: its device, its route, its module's sysctl.
func gone(s journal.Step, have *string) bool {
	return have == nil && s.Old != nil && s.Kind != tune.File
}

// ended says that a reboot took back what a step made: it counted for a kernel
// that is gone, as its old value did, and no file of ours made it again.
func (t *Tuner) ended(s journal.State, step journal.Step) bool {
	return step.When == tune.Now && step.Boot != t.Boot && !t.renewed(s, step)
}

// renewed says that a file of ours made a step's change again in this boot.
func (t *Tuner) renewed(s journal.State, step journal.Step) bool {
	return slices.ContainsFunc(s.Steps, func(f journal.Step) bool {
		there := !f.Undone || f.UndoneIn == t.Boot // when this boot began
		if f.Kind != tune.File || f.When != tune.Boot || f.Boot != step.Boot || !there {
			return false
		}
		v, err := tune.Decode[tune.FileValue](f.New)
		return err == nil && v != nil && v.Makes(step.Kind, step.Key)
	})
}
