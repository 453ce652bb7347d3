package rollout

import (
	"testing"

	"unchoke/internal/fleet/inventory"
	"unchoke/internal/remote"
)

// What an inventory takes for a host, ssh is given: also a link-local address.
func TestMembersAreTargets(t *testing.T) {
	for _, text := range []string{"bob@web", "192.0.2.1", "2001:db8::1", "fe80::1%eth0", "ssh://bob@[fe80::1%eth0]:22"} {
		h, err := inventory.Named(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := remote.ParseTarget(h.Target())
		if want := (remote.Target{User: h.User, Host: h.Address, Port: h.Port}); err != nil || got != want || got.String() != h.Target() {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}
