//go:build !slim

package tunecmd

import (
	"testing"

	"unchoke/internal/tune"
)

// What waits for the next boot is tried where a confirmation makes it permanent,
// as after a trial that was kept until then.
func TestTries(t *testing.T) {
	now, boot := tune.Change{When: tune.Now}, tune.Change{When: tune.Boot}
	for _, c := range []struct {
		changes        []tune.Change
		plain, persist bool
	}{
		{nil, false, false},
		{[]tune.Change{boot}, false, true},
		{[]tune.Change{boot, now}, true, true},
	} {
		if got := (ApplyFlags{}).tries(c.changes); got != c.plain {
			t.Errorf("%+v: %v", c.changes, got)
		}
		if got := (ApplyFlags{persist: true}).tries(c.changes); got != c.persist {
			t.Errorf("%+v with --persist: %v", c.changes, got)
		}
	}
}
