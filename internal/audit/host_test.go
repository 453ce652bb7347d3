package audit

import (
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"unchoke/internal/linux/sysctl"
	"unchoke/internal/record"
)

func file(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func TestReadSysctls(t *testing.T) {
	tree := fstest.MapFS{
		"kernel/osrelease":                          file("6.12.48+deb13-amd64\n"),
		"net/core/default_qdisc":                    file("fq_codel\n"),
		"net/core/rmem_max":                         file("212992\n"),
		"net/core/wmem_max":                         file("212992\n"),
		"net/ipv4/tcp_allowed_congestion_control":   file("reno cubic\n"),
		"net/ipv4/tcp_available_congestion_control": file("reno cubic bbr\n"),
		"net/ipv4/tcp_congestion_control":           file("cubic\n"),
		"net/ipv4/tcp_moderate_rcvbuf":              file("0\n"),
		"net/ipv4/tcp_mtu_probing":                  file("0\n"),
		"net/ipv4/tcp_no_metrics_save":              file("0\n"),
		"net/ipv4/tcp_rmem":                         file("4096\t131072\t6291456\n"),
		"net/ipv4/tcp_sack":                         file("1\n"),
		"net/ipv4/tcp_timestamps":                   file("2\n"),
		"net/ipv4/tcp_window_scaling":               file("0\n"),
		"net/ipv4/tcp_wmem":                         file("4096\t16384\t4194304\n"),
	}
	want := record.Host{
		Kernel: "6.12.48+deb13-amd64", CC: "cubic",
		Available: []string{"reno", "cubic", "bbr"}, Allowed: []string{"reno", "cubic"},
		Qdisc:   "fq_codel",
		TCPRmem: [3]int64{4096, 131072, 6291456}, TCPWmem: [3]int64{4096, 16384, 4194304},
		RmemMax: 212992, WmemMax: 212992,
		SACK: true, Timestamps: true, Autotuning: "disabled",
	}
	got := record.Host{WindowScaling: true}
	if warnings := readSysctls(&got, sysctl.Tree{FS: tree}); len(warnings) != 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, warnings, want)
	}

	// Another namespace lacks these without anything being wrong.
	delete(tree, "net/core/default_qdisc")
	delete(tree, "net/core/rmem_max")
	delete(tree, "net/core/wmem_max")
	if warnings := readSysctls(new(record.Host), sysctl.Tree{FS: tree}); len(warnings) != 0 {
		t.Errorf("in a child namespace: %v", warnings)
	}

	// What cannot be read keeps its value and is told.
	delete(tree, "net/ipv4/tcp_window_scaling")
	tree["net/ipv4/tcp_rmem"] = file("4096\n")
	got = record.Host{WindowScaling: true}
	warnings := readSysctls(&got, sysctl.Tree{FS: tree})
	if len(warnings) != 2 || !got.WindowScaling || !strings.Contains(strings.Join(warnings, "\n"), "net.ipv4.tcp_rmem") {
		t.Errorf("%v, %+v", warnings, got)
	}
}

func TestContainer(t *testing.T) {
	for want, root := range map[string]fstest.MapFS{
		"":               {"proc/1/cgroup": file("0::/init.scope\n")},
		"systemd-nspawn": {"run/systemd/container": file("systemd-nspawn\n"), ".dockerenv": file("")},
		"docker":         {".dockerenv": file(""), "run/systemd/container": file("")},
		"podman":         {"run/.containerenv": file("")},
		"kubernetes":     {"proc/1/cgroup": file("12:pids:/kubepods/besteffort/pod1/abc\n")},
		"lxc":            {"proc/1/cgroup": file("1:name=systemd:/lxc/web\n")},
	} {
		if got := Container(root); got != want {
			t.Errorf("container %q taken for %q", want, got)
		}
	}
}

func TestThisHost(t *testing.T) {
	h, warnings := Host()
	if h.Kernel == "" || h.CPUs < 1 || h.OS != runtime.GOOS {
		t.Errorf("%+v, %v", h, warnings)
	}
	if runtime.GOOS == "linux" && (h.CC == "" || h.TCPWmem[2] == 0 || len(warnings) != 0) {
		t.Errorf("%+v, %v", h, warnings)
	}
	for _, addr := range []string{"127.0.0.1", "::ffff:127.0.0.1"} {
		r, err := Route(netip.MustParseAddr(addr))
		if err != nil || r.Address != "127.0.0.1" || r.Source != "127.0.0.1" || r.MTU < 1500 {
			t.Errorf("%+v, %v", r, err)
		}
		// Every system can tell this much.
		g, err := guess(netip.MustParseAddr("127.0.0.1"))
		if err != nil || g.Device != r.Device || g.Source != r.Source || g.MTU != r.MTU {
			t.Errorf("guessed %+v, %v, want as %+v", g, err, r)
		}
	}
	if _, err := Route(netip.MustParseAddr("fe80::1%nosuch0")); err == nil {
		t.Error("a device that does not exist was found")
	}
}
