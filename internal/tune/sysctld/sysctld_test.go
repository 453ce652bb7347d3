package sysctld

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

var keys = []string{"net/ipv4/tcp_rmem", "net/ipv4/tcp_wmem", KeyCC, KeyQdisc}

// tree makes one from files and, with a leading arrow, links.
func tree(files map[string]string) Tree {
	t := Tree{}
	for name, content := range files {
		if link, ok := strings.CutPrefix(content, "-> "); ok {
			t[name] = Node{Kind: Link, Link: link}
			continue
		}
		t[name] = Node{Kind: File, Content: []byte(content)}
	}
	return t
}

// last is what each reader writes last to a key, with its place.
func last(writes []Assignment, key string) string {
	out := ""
	for _, w := range writes {
		if w.Key == key {
			out = w.Value + " at " + w.File
		}
	}
	return out
}

// The readers differ where it matters.
func TestReadersDiffer(t *testing.T) {
	for name, c := range map[string]struct {
		files                    map[string]string
		systemd, procps, openWrt string
	}{
		"Debian 12: a link lets systemd read sysctl.conf, which sorts after 99-bbr": {
			files: map[string]string{
				"/etc/sysctl.d/99-bbr.conf":    "net.ipv4.tcp_congestion_control=bbr\n",
				"/etc/sysctl.d/99-sysctl.conf": "-> ../sysctl.conf",
				"/etc/sysctl.conf":             "net.ipv4.tcp_congestion_control=cubic\n",
			},
			systemd: "cubic at /etc/sysctl.conf", procps: "cubic at /etc/sysctl.conf", openWrt: "cubic at /etc/sysctl.conf",
		},
		"Debian 13: no link, systemd does not read sysctl.conf": {
			files: map[string]string{
				"/etc/sysctl.d/99-bbr.conf": "net.ipv4.tcp_congestion_control=bbr\n",
				"/etc/sysctl.conf":          "net.ipv4.tcp_congestion_control=cubic\n",
			},
			systemd: "bbr at /etc/sysctl.d/99-bbr.conf", procps: "cubic at /etc/sysctl.conf", openWrt: "cubic at /etc/sysctl.conf",
		},
		"a mask in /etc hides the vendor's file": {
			files: map[string]string{
				"/usr/lib/sysctl.d/50-vendor.conf": "net.ipv4.tcp_congestion_control=bbr\n",
				"/etc/sysctl.d/50-vendor.conf":     "-> /dev/null",
			},
		},
		"a broken link hides it too": {
			files: map[string]string{
				"/usr/lib/sysctl.d/50-vendor.conf": "net.ipv4.tcp_congestion_control=bbr\n",
				"/etc/sysctl.d/50-vendor.conf":     "-> /nowhere",
			},
		},
		"run goes before usr, names decide the order": {
			files: map[string]string{
				"/usr/lib/sysctl.d/60.conf": "net.ipv4.tcp_congestion_control=reno\n",
				"/run/sysctl.d/60.conf":     "net.ipv4.tcp_congestion_control=bbr\n",
				"/etc/sysctl.d/50.conf":     "net.ipv4.tcp_congestion_control=cubic\n",
			},
			systemd: "bbr at /run/sysctl.d/60.conf", procps: "bbr at /run/sysctl.d/60.conf", openWrt: "cubic at /etc/sysctl.d/50.conf",
		},
		"a dash, slashes, comments": {
			files: map[string]string{
				"/etc/sysctl.d/1.conf": "#x\n;net.ipv4.tcp_congestion_control=reno\n -net/ipv4/tcp_congestion_control = bbr \n",
			},
			systemd: "bbr at /etc/sysctl.d/1.conf", procps: "bbr at /etc/sysctl.d/1.conf",
		},
	} {
		have := tree(c.files)
		for reader, got := range map[string][2]string{
			"systemd": {last(Systemd(have, keys), KeyCC), c.systemd},
			"procps":  {last(Procps(have, keys), KeyCC), c.procps},
			"openwrt": {last(OpenWrt(have, keys), KeyCC), c.openWrt},
		} {
			if reader == "openwrt" && name == "a dash, slashes, comments" {
				continue // busybox knows neither dashes nor semicolons
			}
			if got[0] != got[1] {
				t.Errorf("%s: %s sets %q, want %q", name, reader, got[0], got[1])
			}
		}
	}
}

func TestPatterns(t *testing.T) {
	have := tree(map[string]string{"/etc/sysctl.d/1.conf": "net.ipv4.tcp_[rw]mem = 1 2 3\nnet.ipv4.tcp_wmem = 4 5 6\n"})
	for name, writes := range map[string][]Assignment{"systemd": Systemd(have, keys), "procps": Procps(have, keys)} {
		if got := last(writes, "net/ipv4/tcp_rmem") + ", " + last(writes, "net/ipv4/tcp_wmem"); got != "1 2 3 at /etc/sysctl.d/1.conf, 4 5 6 at /etc/sysctl.d/1.conf" {
			t.Errorf("%s: %s", name, got)
		}
	}
	have = tree(map[string]string{"/etc/sysctl.d/1.conf": "net.ipv4.tcp_?mem = 1 2 3\n-net.ipv4.tcp_wmem\n"})
	for name, writes := range map[string][]Assignment{"systemd": Systemd(have, keys), "procps": Procps(have, keys)} {
		if got := last(writes, "net/ipv4/tcp_wmem"); got != "" {
			t.Errorf("%s: an excluded key is set: %s", name, got)
		}
	}
}

// A line's place is the real file's, and by which name it was read.
func TestPlace(t *testing.T) {
	have := tree(map[string]string{
		"/etc/sysctl.d/99-sysctl.conf": "-> ../sysctl.conf",
		"/etc/sysctl.conf":             "# one\n\nnet.core.default_qdisc = fq\n",
	})
	want := Assignment{Key: KeyQdisc, Value: "fq", File: "/etc/sysctl.conf", Via: "/etc/sysctl.d/99-sysctl.conf", Line: 3}
	if got := Systemd(have, keys); !reflect.DeepEqual(got, []Assignment{want}) {
		t.Errorf("%+v", got)
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string][]string{
		"a\nb":       {"a", "b"},
		"a\r\nb\r\n": {"a", "b"},
		"a\n\nb":     {"a", "", "b"},
		"a\rb":       {"a", "b"},
		"a\x00b":     {"a", "b"},
		"a\n\r\nb":   {"a", "", "b"},
	} {
		if got := systemdLines(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Links are followed within the root, whatever they point to.
func TestLoad(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"etc/sysctl.d", "usr/lib/sysctl.d", "srv"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"srv/x": "a = 1\n", "etc/sysctl.conf": "b = 2\n", "etc/sysctl.d/README": "no"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"etc/sysctl.d/a.conf": "/srv/x",
		"etc/sysctl.d/b.conf": "../../../../../srv/x", // no way out of the root
		"etc/sysctl.d/c.conf": "c.conf",
		"lib":                 "usr/lib",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skip(err)
		}
	}
	have, err := Load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	got := Systemd(have, nil)
	if len(got) != 1 || got[0].File != "/srv/x" || got[0].Via != "/etc/sysctl.d/a.conf" {
		t.Errorf("%+v of %+v", got, have)
	}
	if _, node, ok := have.open("/etc/sysctl.d/b.conf"); !ok || string(node.Content) != "a = 1\n" {
		t.Errorf("a link that climbs out of the root: %+v", node)
	}
	if _, _, ok := have.open("/etc/sysctl.d/c.conf"); ok {
		t.Error("a link to itself leads somewhere")
	}
	if _, there := have["/etc/sysctl.d/README"]; there {
		t.Error("a file that nobody reads was read")
	}
	if none, err := Load(fstest.MapFS{}); err != nil || len(none) != 0 {
		t.Errorf("an empty root: %v, %v", none, err)
	}
}

func TestKernel(t *testing.T) {
	fresh := func() *Kernel {
		return &Kernel{
			Values: map[string]string{KeyCC: "cubic", KeyAllowed: "reno cubic", KeyQdisc: "pfifo_fast", "net/ipv4/tcp_rmem": "4096 131072 6291456", "net/ipv4/tcp_mtu_probing": "0"},
			CC:     []string{"reno", "cubic", "bbr"}, Qdiscs: []string{"fq"},
		}
	}
	for _, c := range []struct{ key, value, want string }{
		{KeyCC, "bbr", "bbr"},
		{KeyCC, "nosuch", "cubic"},
		{KeyCC, "", "cubic"},
		{KeyAllowed, "bbr reno", "reno bbr"},
		{KeyAllowed, "bbr nosuch", "reno cubic"},
		{KeyQdisc, "fq", "fq"},
		{KeyQdisc, "nosuch", "pfifo_fast"},
		{"net/ipv4/tcp_rmem", "8192", "8192 131072 6291456"},
		{"net/ipv4/tcp_rmem", "0x2000 010000 5 7", "8192 4096 5"},
		{"net/ipv4/tcp_rmem", "8192 abc 5", "8192 131072 6291456"},
		{"net/ipv4/tcp_rmem", "8192 0 5", "8192 131072 6291456"},
		{"net/ipv4/tcp_mtu_probing", "300", "0"},
		{"net/ipv4/tcp_mtu_probing", "2", "2"},
	} {
		k := fresh()
		k.Apply([]Assignment{{Key: c.key, Value: c.value}})
		if got := k.Values[c.key]; got != c.want {
			t.Errorf("%s = %q: %q, want %q", c.key, c.value, got, c.want)
		}
	}
	k := fresh()
	if _, failed := k.Apply([]Assignment{{Key: KeyCC, Value: "bbr"}, {Key: KeyCC, Value: "nosuch"}, {Key: "no/such", Value: "1"}}); len(failed) != 1 || k.Values[KeyCC] != "bbr" || k.Values[KeyAllowed] != "reno cubic bbr" {
		t.Errorf("%+v, %+v", k.Values, failed)
	}
}

// No reader falls over any file, and the lines that it names exist.
func FuzzReaders(f *testing.F) {
	f.Add("net.ipv4.tcp_rmem = 1 2 3\n-net.ipv4.*\r\n;\n", "[\n=\n-\n")
	f.Add("\x00a=b\n\r", "net/ipv4/tcp_?mem=\v1")
	f.Fuzz(func(t *testing.T, one, two string) {
		have := tree(map[string]string{"/etc/sysctl.d/1.conf": one, "/etc/sysctl.conf": two})
		for _, read := range []func(Tree, []string) []Assignment{Systemd, Procps, OpenWrt} {
			for _, a := range read(have, keys) {
				if a.Line < 1 || a.Line > 1+len(one)+len(two) || a.Key == "" {
					t.Errorf("%+v", a)
				}
				k := &Kernel{Values: map[string]string{KeyCC: "cubic", "net/ipv4/tcp_rmem": "1 2 3"}}
				k.Apply([]Assignment{a})
			}
		}
	})
}
