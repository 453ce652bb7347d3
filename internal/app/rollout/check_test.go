package rollout

import (
	"slices"
	"testing"

	"unchoke/internal/fleet/inventory"
)

// Beside other pairs ssh asks nobody, on either end of a pair.
func TestLogins(t *testing.T) {
	p := pair{from: inventory.Host{Address: "a", SSH: []string{"-J", "x"}}, to: inventory.Host{Address: "b", SSH: []string{"-i", "key"}}}
	for _, beside := range []bool{false, true} {
		to, from := CheckRequest{}.logins(p, beside)
		if to.Batch != beside || from.Batch != beside {
			t.Errorf("beside others: %v, ssh asks nobody: %v, %v", beside, to.Batch, from.Batch)
		}
		if to.Target != "ssh://b" || !slices.Equal(to.SSH, p.to.SSH) || !slices.Equal(from.Arguments, p.from.SSH) {
			t.Errorf("to %+v, from %+v", to, from)
		}
	}
}
