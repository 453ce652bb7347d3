package prom

import (
	"net/netip"
	"strings"
	"testing"

	"unchoke/internal/live"
	"unchoke/internal/watch/owner"
)

func TestServicePort(t *testing.T) {
	for _, c := range []struct {
		local, remote uint16
		accepted      bool
		want          string
	}{
		{443, 51000, true, "443"},
		{51000, 443, false, "443"},
		{8096, 1024, true, "8096"}, // behind an address translator
		{8096, 1024, false, "1024"},
		{22, 22, false, "22"},
		{40000, 61000, false, "61000"}, // this host opened it
		{61000, 40000, true, "61000"},
		{40000, 50000, true, "ephemeral"},
		{32768, 60999, false, "ephemeral"},
		{32767, 60999, false, "32767"},
		{0, 0, false, "ephemeral"},
	} {
		address := netip.MustParseAddr("192.0.2.1")
		f := live.Flow{Local: netip.AddrPortFrom(address, c.local), Remote: netip.AddrPortFrom(address, c.remote), Accepted: c.accepted}
		if got := newLabeller([2]uint16{32768, 60999}).of(&f).port; got != c.want {
			t.Errorf("%d to %d, accepted %v: %s, want %s", c.local, c.remote, c.accepted, got, c.want)
		}
	}
}

func TestUnitOf(t *testing.T) {
	for unit, want := range map[string]string{
		"":                     "",
		"jellyfin.service":     "jellyfin.service",
		"openvpn@home.service": "openvpn@home.service",
		"user@1000.service":    "user@1000.service",
		"session-312.scope":    "session.scope",
		"session-c3.scope":     "session.scope",
		"run-u812.service":     "run.service",
		"run-rcafe0123.scope":  "run.scope",
		"run-parts.service":    "run-parts.service",
		"docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope":         "docker.scope",
		"cri-containerd-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope": "cri-containerd.scope",
		"sshd@7-192.0.2.1:22-192.0.2.2:51234.service":                                           "sshd@.service",
		"a\nb.service":   `a\x0ab.service`,
		"a\xffb.service": "a�b.service",
	} {
		if got := unitOf(unit); got != want {
			t.Errorf("%q: %q, want %q", unit, got, want)
		}
	}
}

// A container has the unit of its runtime, by way of its control group.
func TestContainersHaveUnits(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	for path, want := range map[string]string{
		"/system.slice/docker-" + id + ".scope":                                            "docker.scope",
		"/machine.slice/libpod-" + id + ".scope/container":                                 "libpod.scope",
		"/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + id + ".scope":              "cri-containerd.scope",
		"/system.slice/containerd-" + id + ".scope":                                        "containerd.scope",
		"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id + ".scope": "libpod.scope",
		"/system.slice/docker-" + id + ".scope/system.slice/nginx.service":                 "nginx.service",
		"/machine.slice/systemd-nspawn@web.service/payload":                                "systemd-nspawn@web.service",
		"/lxc.payload.mail/system.slice/postfix.service":                                   "postfix.service",
		"/docker/" + id:                   "",
		"/system.slice/jellyfin.service":  "jellyfin.service",
		"/system.slice/nginx.service/sub": "nginx.service",
	} {
		g := owner.GroupOf(path)
		f := live.Flow{Cgroup: g.Path, Unit: g.Unit, Container: g.Container}
		if got := newLabeller([2]uint16{32768, 60999}).of(&f).unit; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
