package live

import "testing"

func TestMost(t *testing.T) {
	for _, c := range []struct {
		limits Limits
		want   Limit
	}{
		{Limits{}, ""},
		{Limits{App: 0.1}, ""},
		{Limits{App: 0.2, Network: 0.7, ReceiveWindow: 0.1}, LimitNetwork},
		{Limits{App: 0.5, Network: 0.5}, LimitApp},
		{Limits{SendBuffer: 0.4, ReceiveWindow: 0.5}, LimitReceiveWindow},
	} {
		if got := c.limits.Most(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.limits, got, c.want)
		}
	}
}
