package apply

import (
	"errors"
	"io/fs"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
)

// sockets are a machine's, as told.
type sockets struct {
	opened netip.Addr
	gets   string
	all    []sockdiag.Connection
	by     map[string]string // the device that leads to an address; others are this host's own
}

func (s *sockets) Device(to netip.Addr) string { return s.by[to.String()] }

func (s *sockets) NewConnection(to netip.Addr) (string, error) {
	s.opened = to
	return s.gets, nil
}

func (s *sockets) Connections() ([]sockdiag.Connection, error) { return s.all, nil }

func connection(remote, cc string) sockdiag.Connection {
	return sockdiag.Connection{Remote: netip.MustParseAddrPort(remote), CC: cc}
}

func TestVerifyHost(t *testing.T) {
	m := generate(seeded(3))
	order := m.order(seeded(8))
	if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
		t.Fatal(err)
	}
	p := &sockets{gets: "bbr", all: []sockdiag.Connection{
		connection("192.0.2.1:443", "cubic"), connection("192.0.2.2:443", "bbr"), connection("[2001:db8::1]:22", "cubic"),
	}}
	v, err := m.tuner().Verify(p)
	if err != nil || len(v.Wrong) > 0 || v.Rebooted || p.opened.IsValid() || v.Connection.CC != "bbr" {
		t.Errorf("%+v, %v", v, err)
	}
	if v.Sockets.Old != 2 || !maps.Equal(v.Sockets.CC, map[string]int{"bbr": 1, "cubic": 2}) {
		t.Errorf("%+v", v.Sockets)
	}
	p.gets = "cubic"
	if v, err := m.tuner().Verify(p); err != nil || len(v.Wrong) != 1 || !strings.Contains(v.Wrong[0], "new connection") {
		t.Errorf("%+v, %v", v, err)
	}

	// After a reboot it holds; what is then changed by another file does not.
	m.disk.cut(false)
	m.boot()
	p.gets = "bbr"
	v, err = m.tuner().Verify(p)
	if err != nil || !v.Rebooted || !onlyRoutes(v) {
		t.Errorf("%+v, %v", v, err)
	}
	m.sysctls[defaultCC] = "cubic"
	v, err = m.tuner().Verify(p)
	if err != nil || !slices.ContainsFunc(v.Wrong, func(s string) bool { return strings.Contains(s, defaultCC+" did not hold") }) {
		t.Errorf("%+v, %v", v, err)
	}
}

// onlyRoutes says that nothing is wrong but the routes, which no file makes.
func onlyRoutes(v Verification) bool {
	for _, w := range v.Wrong {
		if !strings.HasPrefix(w, "100.64.0.0/10") {
			return false
		}
	}
	return true
}

// routed is a machine on which a route to a prefix was given bbr.
func routed(t *testing.T, prefix, measured string) *machine {
	t.Helper()
	m := generate(seeded(3))
	key := prefix + " dev wg0 table 52 metric 0"
	m.routes[key] = *tune.Encode(tune.RouteValue{Message: []byte{1}})
	old := m.routes[key]
	change := tune.Change{Kind: tune.Route, Key: key, When: tune.Now, Old: &old, New: tune.Encode(tune.RouteValue{CC: "bbr"})}
	if _, err := m.tuner().Apply(t.Context(), Order{Address: measured, Changes: []tune.Change{change}}, yes); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestVerifyRoute(t *testing.T) {
	m := routed(t, "100.64.0.0/10", "100.64.0.9")
	p := &sockets{gets: "bbr", by: map[string]string{"100.64.0.1": "wg0", "100.64.0.9": "wg0"}, all: []sockdiag.Connection{
		connection("192.0.2.1:443", "cubic"), connection("100.64.0.9:443", "cubic"), connection("[::ffff:100.64.0.9]:22", "bbr"),
	}}
	v, err := m.tuner().Verify(p)
	if err != nil || len(v.Wrong) > 0 || p.opened != netip.MustParseAddr("100.64.0.9") {
		t.Errorf("%+v to %v, %v", v, p.opened, err)
	}
	if v.Sockets.Old != 1 || !maps.Equal(v.Sockets.CC, map[string]int{"bbr": 1, "cubic": 1}) {
		t.Errorf("%+v", v.Sockets)
	}
}

// A connection is opened to where the route leads: not to this host's own
// addresses, nor to those that another route leads to.
func TestVerifyRouteElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		prefix, measured string
		by               map[string]string
		want             string // empty: none
	}{
		"the first is its own":    {"10.8.0.0/24", "", map[string]string{"10.8.0.2": "wg0", "10.8.0.3": "wg0"}, "10.8.0.2"},
		"measured elsewhere":      {"10.8.0.0/24", "192.0.2.9", map[string]string{"10.8.0.1": "wg0", "192.0.2.9": "eth0"}, "10.8.0.1"},
		"measured its own":        {"10.8.0.0/24", "10.8.0.1", map[string]string{"10.8.0.2": "wg0"}, "10.8.0.2"},
		"by another device":       {"10.0.0.0/8", "10.0.0.9", map[string]string{"10.0.0.9": "eth0", "10.0.0.1": "eth0", "10.0.0.2": "wg0"}, "10.0.0.2"},
		"two addresses":           {"10.8.0.0/31", "", map[string]string{"10.8.0.0": "wg0"}, "10.8.0.0"},
		"one address":             {"10.8.0.7/32", "", map[string]string{"10.8.0.7": "wg0"}, "10.8.0.7"},
		"a default route":         {"0.0.0.0/0", "", map[string]string{"0.0.0.1": "wg0", "192.0.2.1": "wg0"}, "192.0.2.1"},
		"a default route of IPv6": {"::/0", "", map[string]string{"::2": "wg0", "2001:db8::1": "wg0"}, "2001:db8::1"},
		"the half of one":         {"::/1", "", map[string]string{"::2": "wg0", "2001:db8::1": "wg0"}, "2001:db8::1"},
		"nowhere":                 {"10.8.0.0/30", "", nil, ""},
	} {
		p := &sockets{gets: "bbr", by: c.by}
		v, err := routed(t, c.prefix, c.measured).tuner().Verify(p)
		if err != nil || len(v.Wrong) > 0 || (v.Connection != nil) != (c.want != "") {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
		if c.want != "" && p.opened != netip.MustParseAddr(c.want) {
			t.Errorf("%s: opened one to %v, want %s", name, p.opened, c.want)
		}
	}
}

// Where the journal is emptied, nobody says that nothing stands.
func TestLostJournal(t *testing.T) {
	m := generate(seeded(3))
	content := "# Written by unchoke tune. Taken back by: unchoke tune revert\nnet.core.somaxconn = 1024\n"
	m.disk.put("/etc/sysctl.d", &inode{file: disk.File{Type: fs.ModeDir, Mode: 0o755}})
	m.disk.put(sysctlFile, &inode{file: disk.File{Mode: 0o644}, content: []byte("net.ipv4.tcp_sack = 1\n")})
	old, _ := m.Read(tune.File, sysctlFile)
	change := tune.Change{Kind: tune.File, Key: sysctlFile, When: tune.Boot, Old: old, New: tune.Encode(tune.FileValue{Content: []byte(content), Mode: 0o644})}
	if _, err := m.tuner().Apply(t.Context(), Order{Changes: []tune.Change{change}}, yes); err != nil {
		t.Fatal(err)
	}
	if status, err := m.tuner().Status(); err != nil || status.Lost != nil {
		t.Errorf("%+v, %v", status.Lost, err)
	}
	if err := m.disk.Truncate(stateDir+"/journal.jsonl", 0); err != nil {
		t.Fatal(err)
	}
	status, err := m.tuner().Status()
	if err != nil || status.Lost == nil || !slices.Equal(status.Lost.Files, []string{sysctlFile}) {
		t.Fatalf("%+v, %v", status.Lost, err)
	}
	if b := status.Lost.Backups; len(b) != 1 || !strings.HasSuffix(b[0], sysctlFile) {
		t.Errorf("%q", b)
	}
	if v, err := m.tuner().Verify(&sockets{}); err != nil || len(v.Wrong) != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	var lost *LostError
	if _, err := m.tuner().Revert(t.Context(), Way{}); !errors.As(err, &lost) || !strings.Contains(lost.Hint(), "backup") {
		t.Errorf("%v", err)
	}
}

func TestVerifyNothing(t *testing.T) {
	m := generate(seeded(3))
	if v, err := m.tuner().Verify(&sockets{}); err != nil || len(v.Wrong) > 0 || v.Connection != nil {
		t.Errorf("%+v, %v", v, err)
	}
}
