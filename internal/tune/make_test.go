package tune

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/tune/sysctld"
)

var update = flag.Bool("update", false, "write the golden files anew")

// debian is a virtual machine as it comes: Debian 12, one network card.
func debian() *Facts {
	return &Facts{
		System: System{ID: "debian", Version: "12", Init: Systemd, Memory: 1 << 30},
		Kernel: Kernel{Release: "6.1.0-37-amd64", Available: []string{"reno", "cubic"}, Modules: []string{moduleFQ, moduleBBR}, DefaultCC: "cubic", DefaultQdisc: "pfifo_fast"},
		Sysctls: map[string]string{
			keyCC: "cubic", keyAllowed: "reno cubic", keyQdisc: "pfifo_fast", keyBacklog: "1000",
			keyRmem: "4096 131072 6291456", keyWmem: "4096 16384 4194304",
			keyMTU: "0", keyNotsent: "4294967295", keyAfterIdle: "1",
		},
		Devices: []Device{
			{Name: "lo", Loopback: true, TxQueues: 1, Qdisc: QdiscValue{Kind: "noqueue", Handle: "0:"}},
			{Name: "eth0", TxQueues: 1, Qdisc: QdiscValue{Kind: "pfifo_fast", Handle: "0:"}},
		},
		Boot:  sysctld.Tree{},
		Files: map[string]string{},
	}
}

// boot gives the facts files that are read at boot.
func (f *Facts) boot(files map[string]string) *Facts {
	for name, content := range files {
		if link, ok := strings.CutPrefix(content, "-> "); ok {
			f.Boot[name] = sysctld.Node{Kind: sysctld.Link, Link: link}
			continue
		}
		f.Boot[name] = sysctld.Node{Kind: sysctld.File, Content: []byte(content)}
		f.Files[name] = *Encode(FileValue{Content: []byte(content), Mode: fileMode})
	}
	return f
}

// lossy is a path whose upload loses packets at random.
func lossy() *Measured {
	return &Measured{
		Target: "far:5201", Source: "192.0.2.1", Device: "eth0", Tunnel: "none", RTT: 0.05,
		Up:   &Way{Rate: 4e6, Capacity: 100e6, CC: "cubic", Causes: []finding.Cause{finding.LossLimited}},
		Down: &Way{Rate: 95e6, Capacity: 95e6, CC: "cubic", Causes: []finding.Cause{finding.Healthy}},
	}
}

func plan(t *testing.T, f *Facts, m *Measured, o Options) Plan {
	t.Helper()
	p, err := Make(f, m, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Changes {
		if c.Why == "" {
			t.Errorf("%s %s has no reason", c.Kind, c.Key)
		}
	}
	return p
}

// has tells what a plan changes something to; empty where it leaves it.
func (p Plan) has(kind Kind, key string) string {
	for _, c := range p.Changes {
		if c.Kind == kind && c.Key == key && c.New != nil {
			if v, err := Decode[FileValue](c.New); kind == File && err == nil {
				return string(v.Content)
			}
			return *c.New
		}
	}
	return ""
}

func (p Plan) notes(about string) string {
	var out []string
	for _, n := range p.Notes {
		if n.About == about {
			out = append(out, n.What+" "+n.Command)
		}
	}
	return strings.Join(out, "\n")
}

// The host of the article about two points of presence: 208 KB in the core
// buffers, pfifo_fast, cubic, 30 ms, a policer near 640 Mbit/s.
func TestPointOfPresence(t *testing.T) {
	f := debian()
	f.Devices = append(f.Devices, Device{Name: "gre1", Kind: "ip6gre", TxQueues: 1, Qdisc: QdiscValue{Kind: "noqueue", Handle: "0:"}, Lower: []string{"eth0"}})
	m := &Measured{
		Target: "pop-b:5201", Device: "gre1", Tunnel: "ip6gre", RTT: 0.03,
		Up:   &Way{Rate: 122e6, Capacity: 640e6, CC: "cubic", Causes: []finding.Cause{finding.LossLimited, finding.Policed}, Policer: 640e6},
		Down: &Way{Rate: 535e6, Capacity: 535e6, CC: "bbr", Causes: []finding.Cause{finding.Healthy}},
	}
	p := plan(t, f, m, Options{})
	got, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "point-of-presence.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != strings.TrimSpace(string(want)) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	// The article's table, and what took the place of its wmem_max.
	for _, c := range []struct {
		kind  Kind
		key   string
		value string
	}{
		{Sysctl, keyCC, "bbr"},
		{Sysctl, keyQdisc, "fq"},
		{Qdisc, "eth0", *Encode(QdiscValue{Kind: fq})},
		{Sysctl, keyWmem, "4096 16384 10485760"},
		{Sysctl, keyMTU, "1"},
		{Module, moduleBBR, loaded},
		{File, ModulesFile, header + "tcp_bbr\nsch_fq\n"},
	} {
		if got := p.has(c.kind, c.key); got != c.value {
			t.Errorf("%s %s: %q, want %q", c.kind, c.key, got, c.value)
		}
	}
	for _, c := range p.Changes {
		if strings.Contains(c.Key, "mem_max") {
			t.Errorf("the plan changes %s, which bounds no autotuned buffer", c.Key)
		}
	}
	if s := p.notes("policer"); !strings.Contains(s, "retransmits") || !strings.Contains(s, "maxrate") {
		t.Errorf("BBR's costs into a policer: %q", s)
	}
	if s := p.notes("buffers"); !strings.Contains(s, "net.core.wmem_max bounds only programs that set their buffer themselves") {
		t.Errorf("the reason of wmem_max: %q", s)
	}
	if s := p.notes("qdisc"); !strings.Contains(s, "gre1") || !strings.Contains(s, "fq on eth0") {
		t.Errorf("the tunnel without a queue: %q", s)
	}
}

// What the measurement does not ask for is left alone.
func TestLeavesAlone(t *testing.T) {
	for name, m := range map[string]*Measured{
		"healthy": {Target: "far", RTT: 0.05, Up: &Way{Rate: 95e6, Capacity: 100e6, Causes: []finding.Cause{finding.Healthy}}},
		"the far host is the sender": {
			Target: "far", Source: "192.0.2.1", RTT: 0.05,
			Down: &Way{Rate: 4e6, Capacity: 100e6, Causes: []finding.Cause{finding.LossLimited}},
		},
		"BBR was slow already": {Target: "far", RTT: 0.05, Up: &Way{Rate: 4e6, Capacity: 100e6, CC: "bbr", Causes: []finding.Cause{finding.LossLimited}}},
		"policed":              {Target: "far", RTT: 0.05, Up: &Way{Rate: 50e6, Capacity: 50e6, CC: "cubic", Causes: []finding.Cause{finding.Policed}, Policer: 50e6}},
	} {
		p := plan(t, debian(), m, Options{})
		if len(p.Changes) != 0 {
			t.Errorf("%s: %+v", name, p.Changes)
		}
	}
	far := &Measured{Target: "far", Source: "192.0.2.1", RTT: 0.05, Down: &Way{Rate: 4e6, Capacity: 100e6, Causes: []finding.Cause{finding.LossLimited}}}
	if s := plan(t, debian(), far, Options{}).notes("far-host"); !strings.Contains(s, "unchoke check 192.0.2.1") {
		t.Errorf("the far host's part: %q", s)
	}
}

// What is in force and stays in force is not touched.
func TestAlreadyRight(t *testing.T) {
	f := debian()
	f.Sysctls[keyCC], f.Sysctls[keyQdisc], f.Sysctls[keyAllowed] = bbr, fq, "reno cubic bbr"
	f.Kernel.Available, f.Kernel.Loaded = []string{"reno", "cubic", "bbr"}, Wanted
	f.Devices[1].Qdisc = QdiscValue{Kind: fq, Handle: "8001:"}
	f.boot(map[string]string{
		"/etc/sysctl.d/10-mine.conf": "net.ipv4.tcp_congestion_control = bbr\nnet.core.default_qdisc = fq\n",
		ModulesFile:                  header + "tcp_bbr\nsch_fq\n",
	})
	if p := plan(t, f, lossy(), Options{}); len(p.Changes) != 0 || len(p.Conflicts) != 0 {
		t.Errorf("%+v, %+v", p.Changes, p.Conflicts)
	}
}

func TestBuffersAreOnlyRaised(t *testing.T) {
	m := &Measured{
		Target: "far", RTT: 0.2,
		Up:   &Way{Rate: 10e6, Capacity: 500e6, CC: "cubic", Causes: []finding.Cause{finding.SendBuffer}},
		Down: &Way{Rate: 10e6, Capacity: 100e6, Causes: []finding.Cause{finding.ReceiveWindow}},
	}
	f := debian()
	p := plan(t, f, m, Options{})
	// 500 Mbit/s × 200 ms is 12.5 MB, of which a sixteenth of 1 GiB holds four
	// times; 100 Mbit/s asks for 10 MiB.
	if got := p.has(Sysctl, keyWmem); got != "4096 16384 50331648" {
		t.Errorf("tcp_wmem %q", got)
	}
	if got := p.has(Sysctl, keyRmem); got != "4096 131072 10485760" {
		t.Errorf("tcp_rmem %q", got)
	}
	if p.has(Sysctl, keyCC) != "" {
		t.Error("a window is no matter for BBR")
	}
	f.System.Memory = 256 << 20
	if got := plan(t, f, m, Options{}).has(Sysctl, keyWmem); got != "4096 16384 16777216" {
		t.Errorf("with 256 MiB of memory: tcp_wmem %q", got)
	}
	f.Sysctls[keyWmem], f.Sysctls[keyRmem] = "4096 16384 67108864", "4096 131072 67108864"
	f.boot(map[string]string{"/etc/sysctl.d/1.conf": "net.ipv4.tcp_wmem=4096 16384 67108864\nnet.ipv4.tcp_rmem=4096 131072 67108864\n"})
	if p := plan(t, f, m, Options{}); p.has(Sysctl, keyWmem)+p.has(Sysctl, keyRmem) != "" {
		t.Errorf("larger buffers were changed: %+v", p.Changes)
	}
}

// Without window scaling no buffer helps: it is turned on where it is off.
func TestWindowScaling(t *testing.T) {
	way := &Way{Rate: 1.9e6, Capacity: 28e6, CC: "cubic", Causes: []finding.Cause{finding.ReceiveWindow}, Unscaled: true}
	m := &Measured{Target: "far", RTT: 0.29, Up: way, Down: way}
	f := debian()
	f.Sysctls[keyScaling] = "0"
	p := plan(t, f, m, Options{})
	if got := p.has(Sysctl, keyScaling); got != "1" || p.has(Sysctl, keyRmem) != "" {
		t.Errorf("off here: %s %q, tcp_rmem %q", keyScaling, got, p.has(Sysctl, keyRmem))
	}
	f.Sysctls[keyScaling] = "1"
	p = plan(t, f, m, Options{})
	far := func(n Note) bool { return n.About == "far-host" && n.Command == finding.ScaleWindows().Command() }
	if p.has(Sysctl, keyScaling) != "" || !slices.ContainsFunc(p.Notes, far) {
		t.Errorf("off at the far host: %+v", p)
	}
}

// Selective acknowledgements are turned on where they are off.
func TestSACK(t *testing.T) {
	way := &Way{Rate: 17e6, Capacity: 78e6, CC: "cubic", Causes: []finding.Cause{finding.NoSACK}}
	m := &Measured{Target: "far", RTT: 0.06, Up: way, Down: way}
	f := debian()
	f.Sysctls[keySACK] = "0"
	p := plan(t, f, m, Options{})
	if got := p.has(Sysctl, keySACK); got != "1" || p.has(Sysctl, keyRmem)+p.has(Sysctl, keyCC) != "" {
		t.Errorf("off here: %s %q: %+v", keySACK, got, p.Changes)
	}
	f.Sysctls[keySACK] = "1"
	p = plan(t, f, m, Options{})
	far := func(n Note) bool {
		return n.About == "far-host" && n.Command == finding.AcknowledgeSelectively().Command()
	}
	if len(p.Changes) > 0 || !slices.ContainsFunc(p.Notes, far) {
		t.Errorf("off at the far host: %+v", p)
	}
}

// A receive buffer that does not grow is let grow.
func TestAutotuning(t *testing.T) {
	m := &Measured{Target: "far", RTT: 0.1, Down: &Way{Rate: 9e6, Capacity: 90e6, CC: "cubic", Causes: []finding.Cause{finding.ReceiveWindow}}}
	f := debian()
	for have, want := range map[string]string{"0": "1", "1": ""} {
		f.Sysctls[keyModerate] = have
		if got := plan(t, f, m, Options{}).has(Sysctl, keyModerate); got != want {
			t.Errorf("%s %s: planned %q, want %q", keyModerate, have, got, want)
		}
	}
}

// The tunnel program's socket gets room where it overflows, and only there; no
// setting gives a full processor time.
func TestTunnelProgram(t *testing.T) {
	drops := &Way{Rate: 9e6, Capacity: 33e6, CC: "cubic", Causes: []finding.Cause{finding.SocketDrops}, SocketBuffer: 7 << 20}
	f := debian()
	f.Sysctls[keySocketMax], f.Sysctls[keySocket] = "16777216", "212992"
	p := plan(t, f, &Measured{Target: "far", RTT: 0.04, Up: &Way{Rate: 90e6, Capacity: 93e6, CC: "cubic", Causes: []finding.Cause{finding.Healthy}}, Down: drops}, Options{})
	if got := p.has(Sysctl, keySocket); got != "7340032" {
		t.Errorf("rmem_default %q", got)
	}
	if got := p.has(Sysctl, keySocketMax); got != "" {
		t.Errorf("rmem_max is lowered to %q", got)
	}
	if p.has(Sysctl, keyCC) != "" {
		t.Error("a socket's drops are no matter for BBR")
	}
	// The far host receives.
	p = plan(t, f, &Measured{Target: "far", RTT: 0.04, Up: drops}, Options{})
	if len(p.Changes) != 0 || !slices.ContainsFunc(p.Notes, func(n Note) bool { return n.About == "far-host" }) {
		t.Errorf("for the far host's socket: %+v", p)
	}
	p = plan(t, f, &Measured{Record: "r", Target: "far", RTT: 0.04, Down: &Way{Rate: 9e6, Capacity: 9e6, CC: "cubic", Causes: []finding.Cause{finding.CPUBound}}}, Options{})
	if len(p.Changes) != 0 || !slices.ContainsFunc(p.Notes, func(n Note) bool { return n.About == "processor" }) {
		t.Errorf("for a full processor: %+v", p)
	}
}

func TestQdiscs(t *testing.T) {
	leaves := func(kind, handle string, n int) []QdiscValue {
		all := slices.Repeat([]QdiscValue{{Kind: kind, Handle: handle}}, n)
		for i := range all {
			all[i].Parent = fmt.Sprintf(":%x", i+1)
		}
		return all
	}
	for name, c := range map[string]struct {
		device Device
		to     string // kind of the new root; empty where it stays
		why    string
	}{
		"one queue":                 {Device{Qdisc: QdiscValue{Kind: "pfifo_fast", Handle: "0:"}}, "fq", "each packet at the time"},
		"the distribution's choice": {Device{Qdisc: QdiscValue{Kind: "fq_codel", Handle: "0:"}}, "fq", ""},
		"several queues":            {Device{Qdisc: QdiscValue{Kind: "mq", Handle: "0:", Leaves: leaves("pfifo_fast", "0:", 4)}}, "mq", "several transmit queues"},
		"TUN":                       {Device{Kind: "tun", Qdisc: QdiscValue{Kind: "fq_codel", Handle: "0:"}}, "fq", "TUN"},
		"WireGuard":                 {Device{Kind: "wireguard", Lower: []string{"eth0"}, Qdisc: QdiscValue{Kind: "noqueue", Handle: "0:"}}, "", "fq on eth0"},
		"loopback":                  {Device{Loopback: true, Qdisc: QdiscValue{Kind: "noqueue"}}, "", ""},
		"fq by hand":                {Device{Qdisc: QdiscValue{Kind: "fq", Handle: "8001:"}}, "", ""},
		"cake":                      {Device{Qdisc: QdiscValue{Kind: "cake", Handle: "8001:"}}, "", "on purpose"},
		"htb":                       {Device{Qdisc: QdiscValue{Kind: "htb", Handle: "1:", Leaves: leaves("fq_codel", "8002:", 1)}}, "", "on purpose"},
		"tbf":                       {Device{Qdisc: QdiscValue{Kind: "tbf", Handle: "8001:"}}, "", "on purpose"},
		"netem":                     {Device{Qdisc: QdiscValue{Kind: "netem", Handle: "8001:"}}, "", "on purpose"},
		"fq_codel by hand":          {Device{Qdisc: QdiscValue{Kind: "fq_codel", Handle: "8001:"}}, "", "on purpose"},
		"queues that came later":    {Device{Qdisc: QdiscValue{Kind: "mq", Handle: "0:", Leaves: append(leaves("fq_codel", "0:", 3), QdiscValue{Kind: "pfifo_fast", Handle: "0:", Parent: ":4"})}}, "", "cannot be made again"},
		"a queue with noop":         {Device{Qdisc: QdiscValue{Kind: "mq", Handle: "0:", Leaves: leaves("fq_codel", "0:", 4)[1:]}}, "", "queue 1 has no qdisc"},
		"cake in one of the queues": {Device{Qdisc: QdiscValue{Kind: "mq", Handle: "0:", Leaves: append(leaves("pfifo_fast", "0:", 3), QdiscValue{Kind: "cake", Handle: "9:"})}}, "", "on purpose"},
	} {
		got := treat(c.device, false)
		kind := ""
		if got.to != nil {
			kind = got.to.Kind
		}
		if kind != c.to || !strings.Contains(got.why, c.why) {
			t.Errorf("%s: %+v", name, got)
		}
		if kind == "mq" && (len(got.to.Leaves) != 4 || !got.to.paces() || got.to.Handle != "1:") {
			t.Errorf("%s: %+v", name, got.to)
		}
	}
}

// Confined to a tunnel's routes, nothing of the host but the module changes.
func TestRouteScope(t *testing.T) {
	f := debian()
	f.Routes = []HostRoute{
		{Key: RouteKey{Prefix: "0.0.0.0/0", Device: "eth0", Table: 254}},
		{Key: RouteKey{Prefix: "100.64.0.7/32", Device: "tailscale0", Table: 52}, Words: "dev tailscale0 table 52 proto static"},
		{Key: RouteKey{Prefix: "100.64.0.8/32", Device: "tailscale0", Table: 52}, Value: RouteValue{CC: bbr}},
	}
	scope, err := ParseScope("route:100.64.0.0/10")
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, f, lossy(), Options{Scope: scope})
	var kinds []string
	for _, c := range p.Changes {
		kinds = append(kinds, string(c.Kind)+" "+c.Key)
	}
	want := []string{"module tcp_bbr", "route 100.64.0.7/32 dev tailscale0 table 52 metric 0", "file " + ModulesFile}
	if !slices.Equal(kinds, want) {
		t.Errorf("%q, want %q", kinds, want)
	}
	if s := p.notes("persistence"); !strings.Contains(s, "ip route change 100.64.0.7/32 dev tailscale0 table 52 proto static congctl bbr") {
		t.Errorf("that a route's algorithm is gone after a reboot: %q", s)
	}
	f.Networkd = []Network{{Device: "tailscale0", File: "/etc/systemd/network/ts.network"}}
	if s := plan(t, f, lossy(), Options{Scope: scope}).notes("persistence"); !strings.Contains(s, "TCPCongestionControlAlgorithm=bbr") {
		t.Errorf("networkd: %q", s)
	}
	scope, _ = ParseScope("route:10.0.0.0/8")
	if _, err := Make(f, lossy(), Options{Scope: scope}); !errors.Is(err, ErrNoSuchRoute) {
		t.Errorf("no route there: %v", err)
	}
}

// Outside the network namespace of init, the files of the boot are another's: what
// counts now is planned, and they are left alone.
func TestApart(t *testing.T) {
	f := debian().boot(map[string]string{"/etc/sysctl.d/zz-mine.conf": "net.ipv4.tcp_congestion_control = cubic\n"})
	delete(f.Sysctls, keyQdisc)
	f.Kernel.Loaded = []string{moduleBBR}
	f.Sysctls[keyAllowed] = "reno cubic bbr"
	f.Apart, f.ReadOnlyEtc = true, "mounted read-only"
	for _, resolve := range []bool{false, true} {
		p := plan(t, f, lossy(), Options{Resolve: resolve})
		for _, c := range p.Changes {
			if c.When != Now {
				t.Errorf("%s %s", c.Kind, c.Key)
			}
		}
		if len(p.Changes) == 0 || len(p.Conflicts) > 0 || p.notes("boot") == "" {
			t.Errorf("%+v", p)
		}
	}
}

// Where two routes have one place in a table, neither is changed; nor is the
// kernel's own to fe80::/64, which each device has.
func TestSharedRoutes(t *testing.T) {
	f := debian()
	link := RouteKey{Prefix: "fe80::/64", Device: "eth0", Table: 254, Metric: 256}
	f.Routes = []HostRoute{
		{Key: RouteKey{Prefix: "10.0.0.0/24", Device: "eth0", Table: 254}, Shared: true},
		{Key: RouteKey{Prefix: "0.0.0.0/0", Device: "eth0", Table: 254}},
		{Key: RouteKey{Prefix: "0.0.0.0/0", Device: "eth0", Table: 254, TOS: 16}},
		{Key: link},
	}
	p := plan(t, f, lossy(), Options{Scope: Scope{Device: "eth0"}})
	var keys []string
	for _, c := range p.Changes {
		if c.Kind == Route {
			keys = append(keys, c.Key)
		}
	}
	if want := []string{"0.0.0.0/0 dev eth0 table 254 metric 0", "0.0.0.0/0 dev eth0 table 254 metric 0 tos 16"}; !slices.Equal(keys, want) {
		t.Errorf("%q, want %q", keys, want)
	}
	if s := p.notes("route"); !strings.Contains(s, "10.0.0.0/24") || strings.Contains(s, "fe80") {
		t.Errorf("of what is left: %q", s)
	}
	f.Routes = f.Routes[:1]
	scope, err := ParseScope("route:10.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	if p := plan(t, f, lossy(), Options{Scope: scope}); len(p.Changes) > 0 || p.notes("route") == "" {
		t.Errorf("with no other route: %+v", p)
	}
}

func TestConflicts(t *testing.T) {
	late := map[string]string{"/etc/sysctl.d/zz-mine.conf": "# mine\nnet.ipv4.tcp_congestion_control = cubic\n"}
	p := plan(t, debian().boot(late), lossy(), Options{})
	if len(p.Conflicts) != 2 || p.Conflicts[0].File != "/etc/sysctl.d/zz-mine.conf" || p.Conflicts[0].Line != 2 || p.Conflicts[0].By != "systemd-sysctl" {
		t.Errorf("a file that sorts after ours: %+v", p.Conflicts)
	}
	// Not linked into sysctl.d: only procps reads it.
	conf := map[string]string{"/etc/sysctl.conf": "net.core.default_qdisc=fq_codel\nnet.ipv4.tcp_congestion_control=cubic\n"}
	p = plan(t, debian().boot(conf), lossy(), Options{})
	for _, c := range p.Conflicts {
		if c.By != "procps" || c.File != "/etc/sysctl.conf" {
			t.Errorf("%+v", c)
		}
	}
	if len(p.Conflicts) != 2 {
		t.Errorf("%+v", p.Conflicts)
	}
	f := debian().boot(conf)
	p = plan(t, f, lossy(), Options{Resolve: true})
	if got := p.has(File, "/etc/sysctl.conf"); got != "# disabled by unchoke tune: net.core.default_qdisc=fq_codel\n# disabled by unchoke tune: net.ipv4.tcp_congestion_control=cubic\n" || len(p.Conflicts) != 0 {
		t.Errorf("resolved: %q, %+v", got, p.Conflicts)
	}
	tuned := debian()
	tuned.Tuned = &Tuned{Profile: "throughput-performance", Active: true, Settings: []sysctld.Assignment{{Key: fileOf(keyCC), Value: "cubic", File: "/usr/lib/tuned/x/tuned.conf", Line: 3}}}
	if p := plan(t, tuned, lossy(), Options{}); len(p.Conflicts) != 1 || p.Conflicts[0].By != "tuned" {
		t.Errorf("tuned: %+v", p.Conflicts)
	}
	tuned.Tuned.Reapply = true
	if p := plan(t, tuned, lossy(), Options{}); len(p.Conflicts) != 0 || p.notes("tuned") == "" {
		t.Errorf("tuned that reads sysctl.d again: %+v", p.Conflicts)
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Facts)
		reason Reason
		next   string
	}{
		"old kernel":             {func(f *Facts) { f.Kernel.Release = "4.4.0-210" }, OldKernel, "newer kernel"},
		"no module":              {func(f *Facts) { f.Kernel.Modules = nil }, NoModule, "full kernel"},
		"OpenWrt":                {func(f *Facts) { f.Kernel.Modules = nil; f.System.ID = "openwrt" }, NoModule, "kmod-tcp-bbr"},
		"4.9, no fq":             {func(f *Facts) { f.Kernel.Release, f.Kernel.Modules = "4.9.1", []string{moduleBBR} }, NoModule, ""},
		"NixOS":                  {func(f *Facts) { f.System.ID = "nixos" }, NixOS, "nixos-rebuild"},
		"read-only":              {func(f *Facts) { f.ReadOnlyEtc = "mounted read-only" }, ReadOnly, "writable"},
		"a directory in the way": {func(f *Facts) { f.Files[SysctlFile] = *Encode(FileValue{Dir: true, Mode: 0o755}) }, Occupied, SysctlFile},
		"another for modules":    {func(f *Facts) { f.Files[ModulesFile] = *Encode(FileValue{Dir: true, Mode: 0o755}) }, Occupied, ModulesFile},
		"container":              {func(f *Facts) { delete(f.Sysctls, keyQdisc); f.System.Container = "lxc" }, Container, "on the host: modprobe tcp_bbr"},
		"not allowed":            {func(f *Facts) { delete(f.Sysctls, keyQdisc); f.Kernel.Available = append(f.Kernel.Available, bbr) }, Container, "tcp_allowed_congestion_control=\"reno cubic bbr\""},
		"/proc/sys is read-only": {func(f *Facts) { f.ReadOnlySysctls = true }, Container, "on the host"},
	} {
		f := debian()
		c.change(f)
		p := plan(t, f, lossy(), Options{})
		if u := p.Unsupported; u == nil || u.Reason != c.reason || !strings.Contains(u.Next, c.next) || len(p.Changes) != 0 {
			t.Errorf("%s: %+v, %d changes", name, u, len(p.Changes))
		}
	}
	f := debian()
	f.System.ID = "nixos"
	if u := plan(t, f, lossy(), Options{}).Unsupported; !strings.Contains(u.Snippet, `"net.ipv4.tcp_congestion_control" = "bbr";`) || !strings.Contains(u.Snippet, `boot.kernelModules = [ "tcp_bbr" ];`) {
		t.Errorf("%s", u.Snippet)
	}
	// What needs nothing is refused nothing.
	f = debian()
	f.ReadOnlySysctls = true
	if p := plan(t, f, &Measured{Up: &Way{Rate: 1e6, Capacity: 1e6, Causes: []finding.Cause{finding.Healthy}}}, Options{}); p.Unsupported != nil {
		t.Errorf("%+v", p.Unsupported)
	}
}

// In a network namespace, what only the first one has is left out at once and at
// boot, and the plan says so.
func TestNamespace(t *testing.T) {
	f := debian()
	delete(f.Sysctls, keyQdisc)
	f.Kernel.Available, f.Kernel.Loaded = append(f.Kernel.Available, bbr), []string{moduleBBR}
	f.Sysctls[keyAllowed] = "reno cubic bbr"
	p := plan(t, f, lossy(), Options{})
	if boot := p.has(File, SysctlFile); strings.Contains(boot, keyQdisc) || !strings.Contains(boot, keyCC+" = bbr") {
		t.Errorf("%s", boot)
	}
	if p.has(Module, moduleFQ)+p.has(File, ModulesFile) != "" || p.notes("namespace") == "" {
		t.Errorf("%+v, %+v", p.Changes, p.Notes)
	}
}

func TestMaxRate(t *testing.T) {
	m := lossy()
	m.Up.Causes, m.Up.Policer, m.Up.Capacity = []finding.Cause{finding.Policed}, 50e6, 50e6
	p := plan(t, debian(), m, Options{Remedy: UseMaxRate})
	if got := p.has(Qdisc, "eth0"); got != *Encode(QdiscValue{Kind: fq, MaxRate: 48_500_000}) {
		t.Errorf("%q", got)
	}
	if p.has(Sysctl, keyCC) != "" {
		t.Error("a shaper needs no other congestion control")
	}
	if s := p.notes("policer"); !strings.Contains(s, "it holds until eth0 goes down") {
		t.Errorf("%q", s)
	}
}

// A queue that somebody attached stays, and the plan says that what was asked for is not
// done, and nothing of what it would do.
func TestMaxRateBesideAShaper(t *testing.T) {
	f, m := debian(), lossy()
	f.Devices[1].Qdisc = QdiscValue{Kind: "fq_codel", Handle: "1:"}
	m.Up.Causes, m.Up.Policer, m.Up.Capacity = []finding.Cause{finding.Policed}, 50e6, 50e6
	p := plan(t, f, m, Options{Remedy: UseMaxRate})
	if s := p.notes("qdisc"); len(p.Changes) > 0 || p.notes("policer") != "" || !strings.Contains(s, "maxrate, which is fq's, is not set") {
		t.Errorf("%+v, %+v", p.Changes, p.Notes)
	}
}

// A cause for which no plan changes anything is named, once for both directions, and leads
// to the record.
func TestUnplannedCauses(t *testing.T) {
	const id = "20260101-000012-bf961e"
	for name, c := range map[string]struct {
		up, down []finding.Cause
		tunnel   string
		about    finding.Cause
		want     string // how the note begins; empty for none
	}{
		"both directions": {[]finding.Cause{finding.Congested}, []finding.Cause{finding.Congested}, "none", finding.Congested, "Upload and download: other traffic fills the path."},
		"one, and behind": {[]finding.Cause{finding.LossLimited, finding.Congested}, []finding.Cause{finding.Healthy}, "none", finding.Congested, "Upload: other traffic"},
		"the way back":    {[]finding.Cause{finding.Healthy}, []finding.Cause{finding.AckLimited}, "none", finding.AckLimited, "Download: the way back is too slow"},
		"healthy":         {[]finding.Cause{finding.Healthy}, []finding.Cause{finding.Healthy}, "none", finding.Healthy, ""},
		"planned":         {[]finding.Cause{finding.LossLimited}, []finding.Cause{finding.Healthy}, "none", finding.LossLimited, ""},
		"with words of its own": {
			[]finding.Cause{finding.UDPThrottled}, []finding.Cause{finding.Healthy}, "wireguard", finding.UDPThrottled, "The network treats the tunnel's UDP worse",
		},
	} {
		m := lossy()
		m.Record, m.Tunnel, m.Up.Causes, m.Down.Causes = id, c.tunnel, c.up, c.down
		p := plan(t, debian(), m, Options{})
		got := p.notes(string(c.about))
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if c.want != "" && c.about != finding.UDPThrottled && !strings.HasSuffix(got, "unchoke record show "+id) {
			t.Errorf("%s: %q does not lead to the record", name, got)
		}
	}
}

func TestImage(t *testing.T) {
	f := debian()
	f.Root, f.Sysctls, f.Devices = "/mnt", nil, nil
	p := plan(t, f, lossy(), Options{})
	for _, c := range p.Changes {
		if c.When != Boot {
			t.Errorf("%+v is for a kernel that does not run", c)
		}
	}
	if !strings.Contains(p.has(File, SysctlFile), "tcp_congestion_control = bbr") {
		t.Errorf("%+v", p.Changes)
	}
}

func TestScopeText(t *testing.T) {
	for _, s := range []string{"host", "route:100.64.0.0/10", "route:2001:db8::/32", "device:eth0"} {
		scope, err := ParseScope(s)
		if err != nil || scope.String() != s {
			t.Errorf("%s: %v, %v", s, scope, err)
		}
	}
	for _, s := range []string{"", "route:", "route:eth0", "device:", "net"} {
		if _, err := ParseScope(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

func TestRouteKeyText(t *testing.T) {
	k := RouteKey{Prefix: "100.64.0.0/10", Device: "tailscale0", Table: 52, Metric: 100}
	for _, tos := range []uint8{0, 16} {
		k.TOS = tos
		if got, err := ParseRouteKey(k.String()); err != nil || got != k {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, s := range []string{"default via eth0", "::/0 dev eth0 table 254 metric 0 tos 0", "::/0 dev eth0 table 254 metric 0 tos 1 x"} {
		if _, err := ParseRouteKey(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}
