package apply

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/tree/treetest"
)

// generate makes a host in one of very many states.
func generate(r *rand.Rand) *machine {
	pick := func(values ...string) string { return values[r.IntN(len(values))] }
	cc := pick("cubic", "cubic", "cubic", "reno", "bbr")
	m := &machine{
		defaults: map[string]string{
			defaultCC:               cc,
			allowedCC:               pick("reno cubic", "reno", "cubic reno vegas"),
			defaultQdisc:            pick("pfifo_fast", "fq_codel", "fq_codel", "fq"),
			"net.ipv4.tcp_rmem":     pick("4096 131072 6291456", "4096 131072 212992", "4096 87380 33554432"),
			"net.ipv4.tcp_wmem":     pick("4096 16384 4194304", "4096 16384 212992"),
			"net.core.rmem_max":     pick("212992", "4194304"),
			"net.ipv4.tcp_sack":     "1",
			"net.core.somaxconn":    pick("4096", "128"),
			"net.ipv4.tcp_mtu_note": "0",
		},
		devices: map[string]*treetest.Device{},
		routes:  map[string]string{},
		broken:  map[string]error{},
		now:     time.Date(2026, 7, 2, 12, 0, 0, 0, time.UTC),
	}
	if !strings.Contains(m.defaults[allowedCC], cc) {
		m.defaults[allowedCC] += " " + cc // as setting the default does
	}
	m.disk = &memory{names: map[string]*inode{}, kept: map[string]*inode{}, m: m}
	dirs := []string{"/", "/etc", "/var", "/var/lib"}
	if r.IntN(4) > 0 {
		dirs = append(dirs, "/etc/sysctl.d")
	}
	if r.IntN(2) > 0 {
		dirs = append(dirs, "/etc/modules-load.d")
	}
	for _, dir := range dirs {
		m.disk.put(dir, &inode{file: disk.File{Type: fs.ModeDir, Mode: 0o755}})
	}
	for _, name := range []string{"/etc/sysctl.conf", "/etc/sysctl.d/99-bbr.conf", sysctlFile, moduleFile} {
		if m.disk.names[filepath.Dir(name)] == nil || r.IntN(3) == 0 {
			continue
		}
		n := &inode{file: disk.File{Mode: fs.FileMode(0o600 | r.IntN(2)*0o044), UID: r.IntN(2) * 1000}}
		n.content = []byte(pick("", "# nothing here\n", "vm.swappiness=10", "net.core.somaxconn = 1024\n\n; end", "no newline\r\n\x00\xff"))
		if r.IntN(6) == 0 {
			n.file = disk.File{Type: fs.ModeSymlink, Target: "../elsewhere"}
			n.content = nil
		}
		if name == sysctlFile || name == moduleFile {
			n.content = nil // what the fake boot reads is known
			if n.file.Type == 0 {
				n.content = []byte(map[string]string{sysctlFile: "net.core.somaxconn = 1024\n", moduleFile: "br_netfilter\n"}[name])
			}
		}
		m.disk.put(name, n)
	}
	for i := range r.IntN(3) {
		m.devices[fmt.Sprintf("eth%d", i)] = &treetest.Device{Queues: 1 + 2*r.IntN(2), Options: treetest.Stock}
	}
	for i := range r.IntN(2) {
		m.routes[fmt.Sprintf("100.64.0.0/10 dev wg%d table 52 metric 0", i)] = *tune.Encode(tune.RouteValue{Message: []byte{2, 10, byte(i)}})
	}
	m.boot()
	// What somebody did since.
	for _, name := range slices.Sorted(maps.Keys(m.devices)) {
		if r.IntN(2) == 0 {
			for range 1 + r.IntN(4) {
				msg, byDefault := treetest.Random(r, m.devices[name].Tree, m.devices[name].Queues)
				_ = m.devices[name].Send(msg, byDefault) // it may not take it
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m.routes)) {
		if r.IntN(3) == 0 {
			m.routes[key] = *tune.Encode(tune.RouteValue{CC: "reno", Message: []byte{9}})
		}
	}
	if r.IntN(3) == 0 {
		m.modules["tcp_bbr"] = r.IntN(3)
	}
	for _, by := range [][2]string{{defaultQdisc, "fq_codel"}, {"net.ipv4.tcp_rmem", "4096 131072 8388608"}} {
		if r.IntN(3) == 0 {
			m.sysctls[by[0]] = by[1]
		}
	}
	return m
}

// order is what a plan could ask of the host: what it has as the old values.
func (m *machine) order(r *rand.Rand) Order {
	var changes []tune.Change
	add := func(kind tune.Kind, key string, when tune.When, value *string) {
		old, err := m.Read(kind, key)
		if err != nil {
			panic(err)
		}
		if !holds(kind, key, old, value) {
			changes = append(changes, tune.Change{Kind: kind, Key: key, When: when, Old: old, New: value, Why: "test"})
		}
	}
	some := func() bool { return r.IntN(4) > 0 }
	var modules, settings string
	if some() {
		allowed := m.sysctls[allowedCC]
		add(tune.Module, "tcp_bbr", tune.Now, new("loaded"))
		add(tune.Sysctl, defaultCC, tune.Now, new("bbr"))
		if !strings.Contains(allowed, "bbr") {
			add(tune.Sysctl, allowedCC, tune.Now, new("bbr "+allowed)) // the order is the kernel's
		}
		modules, settings = "tcp_bbr\n", defaultCC+" = bbr\n"
	}
	set := func(key, value string) {
		if some() {
			add(tune.Sysctl, key, tune.Now, &value)
			settings += key + " = " + value + "\n"
		}
	}
	set(defaultQdisc, "fq")
	set("net.ipv4.tcp_rmem", "4096 131072 67108864")
	if strings.Contains(settings, defaultQdisc) {
		for _, name := range slices.Sorted(maps.Keys(m.devices)) {
			add(tune.Qdisc, name, tune.Now, tune.Encode(treetest.Wanted(r, m.devices[name].Queues)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m.routes)) {
		if some() {
			add(tune.Route, key, tune.Now, tune.Encode(tune.RouteValue{CC: "bbr"}))
		}
	}
	file := func(name, content string) {
		add(tune.File, name, tune.Boot, tune.Encode(tune.FileValue{Content: []byte(content), Mode: 0o644}))
	}
	if modules != "" {
		earlier, _ := m.disk.Read(moduleFile)
		file(moduleFile, string(earlier)+modules)
	}
	if settings != "" {
		earlier, _ := m.disk.Read(sysctlFile) // a plan keeps what the file has
		file(sysctlFile, string(earlier)+settings)
	}
	if n := m.disk.names["/etc/sysctl.conf"]; r.IntN(4) == 0 && n != nil && n.file.Type == 0 && len(n.content) > 0 {
		old, _ := m.Read(tune.File, "/etc/sysctl.conf")
		v, _ := tune.Decode[tune.FileValue](old)
		v.Content = append([]byte("# disabled by unchoke tune: "), v.Content...)
		add(tune.File, "/etc/sysctl.conf", tune.Boot, tune.Encode(*v))
	}
	if len(changes) == 0 {
		earlier, _ := m.disk.Read(sysctlFile)
		file(sysctlFile, string(earlier)+"net.ipv4.tcp_sack = 1\n")
	}
	return Order{Changes: changes}
}
