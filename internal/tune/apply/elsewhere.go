package apply

import (
	"fmt"
	"slices"
	"strings"

	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
)

// ElsewhereError says that changes were made in another network namespace: what
// this one has under their keys are other values.
type ElsewhereError struct {
	Keys  []string
	Netns uint64 // 0: the one of the host's init
}

func (e *ElsewhereError) Error() string {
	where := "the host's own network namespace"
	if e.Netns != 0 {
		where = fmt.Sprintf("another network namespace, net:[%d]", e.Netns)
	}
	return fmt.Sprintf("%s: changed in %s, and not in this one", strings.Join(e.Keys, ", "), where)
}

// Hint is the next step.
func (e *ElsewhereError) Hint() string {
	if e.Netns == 0 {
		return "run it there: nsenter --net=/proc/1/ns/net unchoke tune …"
	}
	return "run it there: ip netns exec NAME unchoke tune …, or nsenter --net=/proc/PID/ns/net with a process that is in it (lsns -t net); where it is no more, its values are gone, too: unchoke tune revert with --except for each key closes the journal"
}

// here returns nil where what stands of run-time changes, but for some keys, was
// made in this network namespace, or in one of which nothing is known.
func (t *Tuner) here(s journal.State, except []string) error {
	if s.Phase == journal.Idle || t.Netns == 0 {
		return nil
	}
	var elsewhere *ElsewhereError
	for _, step := range s.Standing() {
		if step.When != tune.Now || step.Kind == tune.Module || slices.Contains(except, step.Key) {
			continue
		}
		is, netns, err := t.elsewhere(s, step)
		if err != nil {
			return err
		}
		if is && elsewhere == nil {
			elsewhere = &ElsewhereError{Netns: netns}
		}
		if is {
			elsewhere.Keys = append(elsewhere.Keys, step.Key)
		}
	}
	if elsewhere == nil {
		return nil // of no type
	}
	return elsewhere
}

// elsewhere says whether a step's value is another namespace's. Of an earlier boot
// nothing is left but what the files of the boot made again.
func (t *Tuner) elsewhere(s journal.State, step journal.Step) (is bool, netns uint64, err error) {
	if step.Boot == t.Boot {
		return step.Netns != 0 && step.Netns != t.Netns, step.Netns, nil
	}
	if !t.Apart {
		return false, 0, nil
	}
	is, err = t.renewed(s, step)
	return is, 0, err
}
