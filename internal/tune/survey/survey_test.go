package survey

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"unchoke/internal/tune"
)

func files(content map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range content {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestReadOnly(t *testing.T) {
	root := files(map[string]string{"proc/self/mountinfo": `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:5 / /proc rw,nosuid - proc proc rw
24 23 0:5 /sys /proc/sys ro,nosuid - proc proc rw
25 22 8:2 / /etc/my\040dir ro - ext4 /dev/sdb ro
26 22 8:3 / /mnt rw - ext4 /dev/sdc ro
`})
	for name, want := range map[string]bool{
		"/proc/sys/net/ipv4": true, "/proc/self": false, "/etc/sysctl.d": false, "/etc/my dir/x": true, "/mnt/x": true, "/mntx": false,
	} {
		if got := readOnly(root, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestProc(t *testing.T) {
	var f tune.Facts
	readProc(&f, files(map[string]string{
		"proc/meminfo":           "MemTotal:        1013116 kB\nMemFree: 1 kB\n",
		"proc/self/status":       "Name:\tx\nCapEff:\t000001ffffffffff\n",
		"proc/net/softnet_stat":  "0000aa 00000002 00\n0000ab 0000000a 00\n",
		"proc/77/cmdline":        "/usr/sbin/tailscaled\x00--tun=userspace-networking\x00",
		"proc/sys/kernel/random": "",
	}))
	if f.System.Memory != 1013116<<10 || f.Unprivileged || f.BacklogDrops != 12 || len(f.Stack) != 1 || !strings.Contains(f.Stack[0].What, "userspace-networking") {
		t.Errorf("%+v", f)
	}
	for _, tun := range []string{"-tun\x00userspace-networking", "-tun=userspace-networking", "--tun=userspace-networking:9000"} {
		if got := stacks(files(map[string]string{"proc/8/cmdline": "tailscaled\x00" + tun + "\x00"})); len(got) != 1 || !strings.Contains(got[0].What, "never meet") {
			t.Errorf("%q: %+v", tun, got)
		}
	}
}

func TestTuned(t *testing.T) {
	got := tuned(files(map[string]string{
		"etc/tuned/active_profile":                             "mine\n",
		"etc/tuned/tuned-main.conf":                            "daemon = 1\nreapply_sysctl = 0\n",
		"run/tuned/x":                                          "",
		"etc/tuned/profiles/mine/tuned.conf":                   "[main]\ninclude=network-throughput\n[sysctl]\nnet.ipv4.tcp_congestion_control=cubic\n",
		"usr/lib/tuned/profiles/network-throughput/tuned.conf": "[sysctl]\nnet.ipv4.tcp_rmem=\"4096 131072 16777216\"\n",
	}))
	if got == nil || !got.Active || got.Reapply || len(got.Settings) != 2 || got.Settings[0].Value != "4096 131072 16777216" || got.Settings[1].File != "/etc/tuned/profiles/mine/tuned.conf" || got.Settings[1].Line != 4 {
		t.Errorf("%+v", got)
	}
	if tuned(files(nil)) != nil {
		t.Error("tuned where there is none")
	}
}

func TestNetworkd(t *testing.T) {
	got := networkd(files(map[string]string{
		"run/systemd/netif/links/2":       "ADMIN_STATE=configured\nNETWORK_FILE=/etc/systemd/network/a.network\n",
		"sys/class/net/eth0/ifindex":      "2\n",
		"etc/systemd/network/a.network":   "[Match]\nName=eth0\n[Route]\nTCPCongestionControlAlgorithm=cubic\n",
		"run/systemd/netif/links/unknown": "",
	}))
	want := tune.Network{Device: "eth0", File: "/etc/systemd/network/a.network", Line: 4, CC: "cubic"}
	if len(got) != 1 || got[0] != want {
		t.Errorf("%+v", got)
	}
}

func TestKernelConfig(t *testing.T) {
	cc, qdisc := builtWith(files(map[string]string{"boot/config-6.1": "CONFIG_DEFAULT_TCP_CONG=\"bbr\"\nCONFIG_DEFAULT_NET_SCH=\"fq\"\n"}), "6.1")
	if cc != "bbr" || qdisc != "fq" {
		t.Errorf("%s, %s", cc, qdisc)
	}
	if cc, qdisc := builtWith(files(nil), "6.1"); cc+qdisc != "" {
		t.Errorf("without a configuration: %s, %s", cc, qdisc)
	}
}

func TestInit(t *testing.T) {
	for want, root := range map[tune.Init]fstest.MapFS{
		tune.Systemd:     files(map[string]string{"run/systemd/system/x": ""}),
		tune.OpenWrtInit: files(map[string]string{"etc/openwrt_release": ""}),
		tune.ProcpsInit:  files(map[string]string{"etc/init.d/procps": ""}),
		tune.UnknownInit: files(nil),
	} {
		if got := initOfHost(root, ""); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestImage(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"etc/os-release": "ID=debian\nVERSION_ID=\"12\"\n", "etc/sysctl.conf": "a=1\n",
		"usr/lib/systemd/systemd-sysctl": "", "lib/modules/6.1.0/modules.dep": "kernel/net/ipv4/tcp_bbr.ko:\n", "lib/modules/6.1.0/modules.builtin": "",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Image(dir)
	if err != nil || f.System.ID != "debian" || f.System.Version != "12" || f.System.Init != tune.Systemd || f.Kernel.Release != "6.1.0" || len(f.Kernel.Modules) != 1 || f.Files["/etc/sysctl.conf"] == "" || f.Sysctls != nil {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Image(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("an image that does not exist was read")
	}
}

// No file makes a parser fall over.
func FuzzParsers(f *testing.F) {
	f.Add("[main]\ninclude=x\n[sysctl]\na=b\n")
	f.Add("24 23 0:5 /sys /proc/sys ro - proc proc rw\\04\n")
	f.Fuzz(func(_ *testing.T, text string) {
		root := files(map[string]string{
			"etc/tuned/active_profile": "x", "etc/tuned/x/tuned.conf": text, "etc/os-release": text,
			"proc/self/mountinfo": text, "proc/net/softnet_stat": text, "proc/meminfo": text, "proc/self/status": text, "boot/config-1": text,
			"run/systemd/netif/links/2": text, "proc/1/cmdline": text,
		})
		tuned(root)
		osRelease(root)
		readOnly(root, "/proc/sys")
		builtWith(root, "1")
		networkd(root)
		readProc(&tune.Facts{}, root)
	})
}
