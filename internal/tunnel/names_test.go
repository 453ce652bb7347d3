//go:build !slim

package tunnel

import (
	"context"
	"testing"

	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
)

// A relay that is known by name is looked up, once, where there is no connection to a number.
func TestRelayByName(t *testing.T) {
	const v4, other = "198.51.100.8:443", "192.0.2.9:443"
	for what, c := range map[string]struct {
		all    []sockdiag.Connection
		want   string
		looked int
	}{
		"to the name's address": {[]sockdiag.Connection{connection(1, other, 5)}, other, 2},
		"to none of them":       {[]sockdiag.Connection{connection(1, "192.0.2.1:443", 5)}, v4, 2},
		"to a number":           {[]sockdiag.Connection{connection(1, v4, 5), connection(2, other, 50)}, v4, 0},
	} {
		var o outer
		looked := 0
		h := connections{all: c.all, names: map[string]string{"derp.example": "192.0.2.9"}, looked: &looked}
		for at := range 3 {
			relay := record.Relay{Address: v4, Transport: "tcp"}
			o.sample(t.Context(), h, &relay, []string{"[2001:db8::8]:443", "derp.example:443", "nowhere.example:443", "nonsense"}, float64(at))
			if relay.Address != c.want {
				t.Errorf("%s: %s, want %s", what, relay.Address, c.want)
			}
		}
		if looked != c.looked {
			t.Errorf("%s: two names were looked up %d times, want %d", what, looked, c.looked)
		}
		if found := o.series != nil; found != (what != "to none of them") || found && len(o.series.Samples) != 3 {
			t.Errorf("%s: %+v", what, o.series)
		}
	}
}

func TestSystemLookUp(t *testing.T) {
	h := system{}
	if got := h.LookUp(t.Context(), "127.0.0.1"); len(got) != 1 || got[0].Unmap().String() != "127.0.0.1" {
		t.Errorf("looked up %v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := h.LookUp(ended, "relay.example"); len(got) != 0 {
		t.Errorf("nobody told, and yet %v", got)
	}
}
