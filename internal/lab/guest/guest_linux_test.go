package guest

import (
	"errors"
	"strings"
	"testing"
)

// What is synced survives a power cut, what is not does not have to; modules
// load, and the next boot has the same disk.
func TestBoot(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	image, err := Get(t.Context(), Bookworm)
	if errors.Is(err, ErrNeeds) {
		t.Skipf("needs %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(image, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Remove()
	out, err := m.Boot(t.Context(), `
		modprobe tcp_bbr && echo loaded
		systemctl is-active systemd-sysctl.service
		echo kept >/kept && sync
		echo lost >/lost
		`+PowerCut)
	if err != nil || out != "loaded\nactive\n" {
		t.Fatalf("%q, %v", out, err)
	}
	out, err = m.Boot(t.Context(), `cat /kept; lsmod | grep bbr; test -s /lost || echo lost`)
	if err != nil || !strings.HasPrefix(out, "kept\n") || strings.Contains(out, "bbr") {
		t.Errorf("%q, %v", out, err)
	}
}
