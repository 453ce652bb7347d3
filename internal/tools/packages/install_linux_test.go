package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/lab/guest"
)

// A package is installed, upgraded, removed and purged on booted hosts, with a
// tune in force: nothing but the user's word takes its changes back, and what
// reverting needs stays.
func TestLongDebian(t *testing.T) {
	needLong(t)
	old := built(t, "v0.1.0")
	renewed := built(t, "v0.1.1")
	for _, suite := range []guest.Suite{guest.Bookworm, guest.Trixie} {
		t.Run(string(suite), func(t *testing.T) { installs(t, suite, old, renewed) })
	}
}

func installs(t *testing.T, suite guest.Suite, old, renewed string) {
	image, err := guest.Get(t.Context(), suite)
	if errors.Is(err, guest.ErrNeeds) {
		t.Skipf("needs an image of a Debian host: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := guest.New(image, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Remove()
	for name, dir := range map[string]string{"old.deb": old, "new.deb": renewed} {
		data, err := os.ReadFile(one(t, dir, "unchoke_*_amd64.deb"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(m.Share(), name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := boot(t, m, `
echo "== before"; state
echo "== install"; deb -i /run/share/old.deb
echo "== version"; unchoke version; ls /usr/share/man/man1/unchoke-tune.1.gz
echo "== idle"; units
echo "== services"; systemctl start unchoke-serve unchoke-exporter; sleep 3; systemctl is-active unchoke-serve unchoke-exporter
unchoke check --help >/dev/null; ss -Hltn 'sport = 5201 or sport = 9719' | wc -l
echo "== trial"; unchoke tune try --remedy bbr --timeout 600s | tail -n 1
echo "== refused"; deb -r unchoke; unchoke version
echo "== apply"; unchoke tune revert >/dev/null; unchoke tune apply --yes --remedy bbr; echo "status $?"
echo "== applied"; state
echo "== upgrade"; deb -i /run/share/new.deb; unchoke version; units
echo "== verify"; unchoke tune verify; echo "status $?"
echo "== upgraded"; state
echo "== remove"; deb -r unchoke; units; ls /usr/bin/unchoke
echo "== removed"; state
echo "== purge"; deb -P unchoke; ls /var/lib/unchoke/tune
echo "== purged"; state
`)
	contains(t, first, "install", "status 0")
	contains(t, first, "version", "0.1.0", "unchoke-tune.1.gz")
	same(t, "units after the installation", first["idle"], "disabled\ndisabled\ninactive\ninactive")
	same(t, "services", first["services"], "active\nactive\n2")
	contains(t, first, "refused", "unchoke tune revert", "status 1", "0.1.0")
	contains(t, first, "apply", "status 0")
	contains(t, first, "applied", "tcp_congestion_control = bbr")
	contains(t, first, "upgrade", "status 0", "0.1.1", "active\nactive")
	contains(t, first, "verify", "status 0")
	contains(t, first, "remove", "stays as it is", "unchoke tune revert", "/var/lib/unchoke/tune", "status 0", "inactive\ninactive", "No such file")
	same(t, "the network after the upgrade", first["upgraded"], first["applied"])
	same(t, "the network after the removal", first["removed"], first["applied"])
	contains(t, first, "purge", "changes nothing of this host's network", "journal.jsonl", "status 0")
	same(t, "the network after the purge", first["purged"], first["applied"])

	// The changes outlive the package and a reboot; installed again, it takes
	// them back, and a purge then leaves nothing.
	second := boot(t, m, `
echo "== held"; sysctl net.ipv4.tcp_congestion_control
echo "== install"; deb -i /run/share/new.deb
echo "== revert"; unchoke tune revert; echo "status $?"
echo "== back"; state
echo "== purge"; deb -P unchoke
echo "== gone"; find / -xdev -name '*unchoke*' -not -path '/proc/*' -not -path '/sys/*' -not -path '/run/*' -not -path '/var/log/*' 2>/dev/null; echo end
echo "== purged"; state
`)
	contains(t, second, "held", "tcp_congestion_control = bbr")
	contains(t, second, "revert", "status 0")
	same(t, "the network after the revert", second["back"], first["before"])
	contains(t, second, "purge", "status 0")
	same(t, "what is left", second["gone"], "end")
	same(t, "the network at the end", second["purged"], first["before"])
}

const prelude = `
modprobe tun; ip tuntap add t0 mode tun; ip link set t0 up; ip link set lo up
export DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
deb() { dpkg "$@" 2>&1; echo "status $?"; }
units() { systemctl is-enabled unchoke-serve unchoke-exporter 2>/dev/null; systemctl is-active unchoke-serve unchoke-exporter; }
state() {
	find /etc/sysctl.conf /etc/sysctl.d /etc/modules-load.d -printf '%p %m %U %G %l\n' 2>/dev/null | sort
	find /etc/sysctl.conf /etc/sysctl.d /etc/modules-load.d -type f -exec sha256sum {} + 2>/dev/null | sort
	sysctl net.ipv4.tcp_congestion_control net.ipv4.tcp_allowed_congestion_control net.core.default_qdisc net.ipv4.tcp_mtu_probing
	tc qdisc show dev t0
}
`

func boot(t *testing.T, m *guest.Machine, script string) map[string]string {
	t.Helper()
	out, err := m.Boot(t.Context(), prelude+script)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sections := map[string]string{}
	for part := range strings.SplitSeq("\n"+out, "\n== ") {
		name, text, _ := strings.Cut(part, "\n")
		sections[name] = strings.TrimSpace(text)
	}
	return sections
}

func contains(t *testing.T, sections map[string]string, name string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(sections[name], w) {
			t.Errorf("%s: no %q in\n%s", name, w, sections[name])
		}
	}
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want || got == "" {
		t.Errorf("%s:\n%s\nnot\n%s", what, got, want)
	}
}

// rpm installs the package into a root of its own, says that nothing was changed
// there since, and removes it.
func TestLongRPM(t *testing.T) {
	needLong(t)
	rpm, err := exec.LookPath("rpm")
	if err != nil {
		t.Skip("needs rpm")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	pack := one(t, built(t, "v0.1.0"), "unchoke-*.x86_64.rpm")
	root := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(rpm, append([]string{"--root", root, "--nodeps"}, args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("rpm %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out, err := exec.Command(rpm, "--query", "--package", "--requires", pack).Output(); err != nil || !strings.Contains(string(out), "/bin/sh\n") {
		t.Errorf("its scripts need a shell, and it requires only\n%s%v", out, err)
	}
	run("--install", "--noscripts", pack) // there is no shell in this root
	if out := run("--verify", "unchoke"); out != "" {
		t.Errorf("verify: %s", out)
	}
	out, err := exec.Command(filepath.Join(root, "usr/bin/unchoke"), "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "0.1.0") {
		t.Errorf("%s, %v", out, err)
	}
	for _, name := range []string{"usr/share/zsh/site-functions/_unchoke", "usr/lib/systemd/system/unchoke-serve.service"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	run("--erase", "--noscripts", "unchoke")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/unchoke")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the removal: %v", err)
	}
}
