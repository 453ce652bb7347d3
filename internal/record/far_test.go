package record

import (
	"slices"
	"testing"
)

// Of a host's queues those count that a test's packets went through: others hold what has
// nothing to do with it.
func TestSenderQueues(t *testing.T) {
	use := func(devices ...string) (out []QdiscUse) {
		for _, d := range devices {
			out = append(out, QdiscUse{Device: d, Root: true})
		}
		return out
	}
	direct := Route{Device: "eth0"}
	tunnelled := Route{Device: "wg0", Tunnel: Tunnel{Underlay: &Underlay{Device: "eth0"}}}
	for _, c := range []struct {
		name  string
		route *Route
		queues,
		want []string
	}{
		{"another card's", &direct, []string{"eth0", "eth1"}, []string{"eth0"}},
		{"beneath a tunnel", &tunnelled, []string{"eth0", "eth1", "wg0"}, []string{"eth0", "wg0"}},
		{"beneath a bond", &Route{Device: "bond0"}, []string{"eth0", "eth1"}, []string{"eth0", "eth1"}},
		{"of a route that is not known", nil, []string{"eth0", "eth1"}, []string{"eth0", "eth1"}},
	} {
		run := Run{FarRoute: c.route}
		down := Transfer{Direction: Down, FarSide: &Transfer{Egress: use(c.queues...)}}
		if got := run.SenderQueues(&down); !slices.Equal(got, use(c.want...)) {
			t.Errorf("%s: %v", c.name, got)
		}
		if c.route == nil {
			continue
		}
		run = Run{Route: *c.route}
		up := Transfer{Direction: Up, Egress: use(c.queues...)}
		if got := run.SenderQueues(&up); !slices.Equal(got, use(c.want...)) {
			t.Errorf("%s, up: %v", c.name, got)
		}
	}
	if got := new(Run).SenderQueues(&Transfer{Direction: Down, Egress: use("eth0")}); got != nil {
		t.Errorf("of a far host that told nothing: %v", got)
	}
}
