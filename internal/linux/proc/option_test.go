package proc

import "testing"

func TestOption(t *testing.T) {
	args := []string{"tailscaled", "--state=/x", "-socket", "/run/ts.sock", "--port=1"}
	for name, want := range map[string]string{"socket": "/run/ts.sock", "state": "/x", "tun": "", "port": "1"} {
		if got := Option(args, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
