package survey

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostState is what decides about sysctls on a host: the files, and the values
// in force.
type hostState struct {
	nodes  []fileNode
	values map[string]string
}

// fileNode is a file to make; a name without content or link is a directory.
type fileNode struct {
	name, content, link string
	dir                 bool
}

// generate makes the state of a host that has seen some years: drop-ins of
// distributions, scripts and people, masks, links, mistakes.
func generate(r *rand.Rand, ccs []string) hostState {
	s := hostState{values: map[string]string{}}
	for _, key := range generatedKeys {
		s.values[key] = goodValue(r, key, ccs)
	}
	if r.IntN(12) == 0 {
		s.nodes = append(s.nodes, fileNode{name: "srv/sysctl.d", dir: true}, fileNode{name: "etc/sysctl.d", link: "../srv/sysctl.d"})
	}
	if r.IntN(3) > 0 {
		s.nodes = append(s.nodes, s.file(r, "etc/sysctl.conf", ccs))
	}
	if r.IntN(2) == 0 {
		s.nodes = append(s.nodes, fileNode{name: "etc/sysctl.d/99-sysctl.conf", link: "../sysctl.conf"})
	}
	used := map[string]bool{}
	for range r.IntN(8) {
		name := pick(r, "etc", "etc", "run", "usr/local/lib", "usr/lib") + "/sysctl.d/" +
			pick(r, "10-network.conf", "50-default.conf", "99-bbr.conf", "99-sysctl.conf", "99-zz-unchoke.conf", "zz-late.conf", "99-zzz.conf", "local.conf", ".hidden.conf", "README", "old.conf.bak", "é.conf", "UPPER.conf")
		if used[name] {
			continue
		}
		used[name] = true
		s.nodes = append(s.nodes, s.node(r, name, ccs))
	}
	return s
}

func (s *hostState) node(r *rand.Rand, name string, ccs []string) fileNode {
	switch r.IntN(16) {
	case 0:
		return fileNode{name: name, link: "/dev/null"}
	case 1:
		return fileNode{name: name} // empty
	case 2:
		return fileNode{name: name, link: "/etc/nowhere.conf"}
	case 3:
		return fileNode{name: name, link: pick(r, "/etc/sysctl.conf", filepath.Base(name))} // the latter leads to itself
	case 4:
		target := fmt.Sprintf("opt/app%d.conf", r.IntN(3))
		s.nodes = append(s.nodes, s.file(r, target, ccs))
		return fileNode{name: name, link: "/" + target}
	case 5:
		return fileNode{name: name, dir: true}
	}
	return s.file(r, name, ccs)
}

func (s *hostState) file(r *rand.Rand, name string, ccs []string) fileNode {
	var b strings.Builder
	for range r.IntN(9) {
		b.WriteString(line(r, ccs))
		b.WriteString(pick(r, "\n", "\n", "\n", "\n", "\n", "\n", "\r\n", "\n\n", "\n \n"))
	}
	content := b.String()
	if r.IntN(4) == 0 {
		content = strings.TrimRight(content, "\r\n")
	}
	if content == "" {
		content = "\n"
	}
	return fileNode{name: name, content: content}
}

var generatedKeys = []string{
	"net.ipv4.tcp_congestion_control", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_mtu_probing",
	"net.ipv4.tcp_notsent_lowat", "net.ipv4.tcp_slow_start_after_idle", "net.core.default_qdisc", "net.core.netdev_max_backlog",
}

func line(r *rand.Rand, ccs []string) string {
	key := pick(r, generatedKeys...)
	value := goodValue(r, key, ccs)
	if r.IntN(6) == 0 {
		value = pick(r, "", "nosuch", "8192 abc 5", "0x2000", "020000", "-1", "99999999999", "4097 2", "5000", "\"1\"", "4098 # one", "5000 0 7", "2 7", "4099 5000")
	}
	switch r.IntN(14) {
	case 0:
		return pick(r, "# ", "; ", " #", "#") + key + " = " + value
	case 1:
		return "-" + key
	case 2:
		return pick(r, "-", "- ", " -") + key + " = " + value
	case 3:
		return strings.ReplaceAll(key, ".", "/") + "=" + value
	case 4:
		return pick(r, "net.ipv4.tcp_*mem", "net.ipv4.tcp_[rw]mem", "net.ipv4.tcp_[!r]mem", "net/ipv4/tcp_mtu_probin?", "net.*.tcp_wmem", "-net.ipv4.tcp_?mem", "net.ipv4.tcp_[") + pick(r, "", " = "+value)
	case 5:
		return pick(r, key, "garbage", "=", "= 5", " = ", "-", key+" "+value)
	case 6:
		return "\t" + key + "\t=\t" + strings.ReplaceAll(value, " ", "\t") + " \t"
	case 7:
		return key + "==" + value
	case 8:
		return pick(r, "net//ipv4/tcp_rmem", "/net/ipv4/tcp_rmem", "net/ipv4/./tcp_rmem", "net/ipv4/../ipv4/tcp_rmem", "net.ipv4/tcp_rmem", "net/ipv4.tcp_rmem", "net.ipv4.conf.nosuch0.mtu") + " = " + value
	case 9:
		return key + " = " + value + "\r"
	case 10:
		return "\v" + key + " = " + value
	}
	return key + pick(r, " = ", "=", " =", "= ") + value
}

func goodValue(r *rand.Rand, key string, ccs []string) string {
	n := func(limit int) string { return fmt.Sprint(r.IntN(limit)) }
	switch key {
	case "net.ipv4.tcp_congestion_control":
		return pick(r, ccs...)
	case "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem":
		return fmt.Sprintf("4096 %d %d", 16384+r.IntN(1<<18), (1+r.IntN(64))<<20)
	case "net.ipv4.tcp_mtu_probing":
		return n(3)
	case "net.ipv4.tcp_notsent_lowat":
		return pick(r, "4294967295", "131072", n(1<<20))
	case "net.ipv4.tcp_slow_start_after_idle":
		return n(2)
	case "net.core.default_qdisc":
		return pick(r, "fq", "fq_codel", "pfifo_fast", "pfifo")
	}
	return n(20000)
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// write makes the files below root, in the place of those of an earlier state.
func (s hostState) write(t testing.TB, root string) {
	t.Helper()
	for _, dir := range []string{"etc", "run", "srv", "opt", "usr/lib/sysctl.d", "usr/local"} {
		if err := os.RemoveAll(filepath.Join(root, dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, n := range s.nodes {
		name := filepath.Join(root, n.name)
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if _, there := os.Lstat(name); there == nil {
			continue // an earlier node is it
		}
		switch {
		case err != nil:
		case n.dir:
			err = os.MkdirAll(name, 0o755)
		case n.link != "":
			err = os.Symlink(n.link, name)
		default:
			err = os.WriteFile(name, []byte(n.content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// String shows a state that a test failed on.
func (s hostState) String() string {
	var b strings.Builder
	for _, n := range s.nodes {
		fmt.Fprintf(&b, "%s", n.name)
		switch {
		case n.dir:
			b.WriteString("/\n")
		case n.link != "":
			fmt.Fprintf(&b, " -> %s\n", n.link)
		default:
			fmt.Fprintf(&b, "\n%q\n", n.content)
		}
	}
	return b.String()
}
