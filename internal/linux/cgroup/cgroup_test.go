package cgroup

import (
	"maps"
	"math"
	"testing"
	"testing/fstest"
	"time"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// A hybrid host: version 1 has the controllers, one of them apart; the group
// around the process's has a limit too.
var version1 = fstest.MapFS{
	"proc/self/mountinfo": file(`30 24 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755
31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
32 30 0:28 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu
33 30 0:29 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct
`),
	"proc/12/cgroup": file("9:name=systemd:/x\n2:cpuacct:/vpn/tunnel\n1:cpu:/vpn/tunnel\n0::/x\n"),
	"proc/13/cgroup": file("1:cpu:/\n"),

	"sys/fs/cgroup/cpu/cpu.cfs_quota_us":             file("-1\n"),
	"sys/fs/cgroup/cpu/cpu.cfs_period_us":            file("100000\n"),
	"sys/fs/cgroup/cpu/vpn/cpu.cfs_quota_us":         file("200000\n"),
	"sys/fs/cgroup/cpu/vpn/cpu.cfs_period_us":        file("100000\n"),
	"sys/fs/cgroup/cpu/vpn/cpu.stat":                 file("nr_periods 5\nnr_throttled 0\nthrottled_time 0\n"),
	"sys/fs/cgroup/cpu/vpn/tunnel/cpu.cfs_quota_us":  file("5000\n"),
	"sys/fs/cgroup/cpu/vpn/tunnel/cpu.cfs_period_us": file("10000\n"),
	"sys/fs/cgroup/cpu/vpn/tunnel/cpu.stat":          file("nr_periods 42\nnr_throttled 41\nthrottled_time 99\n"),
	"sys/fs/cgroup/cpuacct/vpn/tunnel/cpuacct.usage": file("1500000000\n"),
}

func TestVersion1(t *testing.T) {
	got, err := Limits(version1, 12)
	want := []Limit{
		{Path: "/vpn/tunnel", Version: 1, Cores: 0.5, Used: 1500 * time.Millisecond, Periods: 42, Throttled: 41},
		{Path: "/vpn", Version: 1, Cores: 2, Periods: 5},
	}
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if got, err := Limits(version1, 13); err != nil || len(got) != 0 {
		t.Errorf("without a limit: %+v, %v", got, err)
	}
	if got, err := Limits(version1, 99); err != nil || len(got) != 0 {
		t.Errorf("a process that has ended: %+v, %v", got, err)
	}
}

var version2 = fstest.MapFS{
	"proc/self/mountinfo": file("31 30 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"),
	"proc/12/cgroup":      file("0::/system.slice/tailscaled.service\n"),

	"sys/fs/cgroup/system.slice/cpu.max":                     file("max 100000\n"),
	"sys/fs/cgroup/system.slice/tailscaled.service/cpu.max":  file("20000 100000\n"),
	"sys/fs/cgroup/system.slice/tailscaled.service/cpu.stat": file("usage_usec 2500000\nuser_usec 1\nnr_periods 10\nnr_throttled 9\nthrottled_usec 7\n"),
}

func TestVersion2(t *testing.T) {
	got, err := Limits(version2, 12)
	if err != nil || len(got) != 1 || math.Abs(got[0].Cores-0.2) > 1e-9 || got[0].Used != 2500*time.Millisecond || got[0].Periods != 10 || got[0].Throttled != 9 || got[0].Version != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A process's own group is the one that says most, also where version 2 has
// processes in its root alone.
func TestOf(t *testing.T) {
	tree := fstest.MapFS{
		"proc/self/mountinfo": file("31 30 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
		"proc/1/cgroup":       file("0::/system.slice/nginx.service\n"),
		"proc/2/cgroup":       file("4:cpu:/vpn/very/deep/group\n1:name=systemd:/system.slice/ssh.service\n0::/\n"),
		"sys/fs/cgroup/system.slice/nginx.service/cgroup.procs": file("1\n17\nx\n0\n"),
	}
	for pid, want := range map[int]string{1: "/system.slice/nginx.service", 2: "/system.slice/ssh.service", 3: ""} {
		if got := Of(tree, pid); got != want {
			t.Errorf("process %d is in %q, want %q", pid, got, want)
		}
	}
	if got := Members(tree, "/system.slice/nginx.service"); len(got) != 2 || got[0] != 1 || got[1] != 17 {
		t.Errorf("%v", got)
	}
	if got := Members(tree, "/no/such"); got != nil {
		t.Errorf("a group that has gone has %v", got)
	}
}

// What makes no sense is an error, not a limit.
func TestMalformed(t *testing.T) {
	for name, text := range map[string]string{"quota": "x 100000", "period": "20000 0", "no period": "20000"} {
		tree := fstest.MapFS{}
		maps.Copy(tree, version2)
		tree["sys/fs/cgroup/system.slice/tailscaled.service/cpu.max"] = file(text)
		if got, err := Limits(tree, 12); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzLimits(f *testing.F) {
	f.Add("0::/a", "31 30 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "20000 100000", "usage_usec 5\n")
	f.Fuzz(func(t *testing.T, membership, mounts, most, stat string) {
		_, _ = Limits(fstest.MapFS{
			"proc/1/cgroup": file(membership), "proc/self/mountinfo": file(mounts),
			"sys/fs/cgroup/a/cpu.max": file(most), "sys/fs/cgroup/a/cpu.stat": file(stat),
		}, 1)
	})
}
