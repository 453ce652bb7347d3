package tune

import (
	"slices"
	"testing"

	"unchoke/internal/finding"
)

func TestExplain(t *testing.T) {
	enabled := func(f *Facts) *Facts {
		f.Sysctls[keyCC], f.Sysctls[keyAllowed] = bbr, "reno cubic bbr"
		f.Kernel.Available = append(f.Kernel.Available, bbr)
		return f
	}
	persisted := map[string]string{"/etc/sysctl.d/99-bbr.conf": "net.ipv4.tcp_congestion_control = bbr\n"}
	for name, c := range map[string]struct {
		facts *Facts
		m     *Measured
		want  string // a reason that must be given
		file  string
		line  int
	}{
		"overridden on Debian 12": {
			debian().boot(map[string]string{
				"/etc/sysctl.d/99-bbr.conf":    "net.ipv4.tcp_congestion_control = bbr\n",
				"/etc/sysctl.d/99-sysctl.conf": "-> ../sysctl.conf",
				"/etc/sysctl.conf":             "#\nnet.ipv4.tcp_congestion_control = cubic\n",
			}), nil, "overridden", "/etc/sysctl.conf", 2,
		},
		"a file that systemd does not read": {
			debian().boot(map[string]string{"/etc/sysctl.conf": "net.ipv4.tcp_congestion_control = bbr\n"}), nil, "not-read", "/etc/sysctl.conf", 1,
		},
		"nothing sets it":     {debian(), nil, "not-set", "", 0},
		"gone after a reboot": {enabled(debian()), nil, "not-persistent", "", 0},
		"old connections":     {func() *Facts { f := enabled(debian()); f.Sockets = map[string]int{"cubic": 3, "bbr": 1}; return f }(), nil, "old-connections", "", 0},
		"no module":           {func() *Facts { f := debian(); f.Kernel.Modules = nil; return f.boot(persisted) }(), nil, "no-module", "", 0},
		"refused at boot":     {func() *Facts { f := debian(); f.Kernel.Modules = nil; return f.boot(persisted) }(), nil, "refused", "/etc/sysctl.d/99-bbr.conf", 1},
		"old kernel":          {func() *Facts { f := debian(); f.Kernel.Release = "3.16.0"; return f }(), nil, "old-kernel", "", 0},
		"the far host sends":  {enabled(debian()), &Measured{Target: "far", RTT: 0.05, Down: &Way{Rate: 1e6, Capacity: 9e6, Causes: []finding.Cause{finding.LossLimited}}}, "far-sender", "", 0},
		"not limited by loss": {enabled(debian()), &Measured{Target: "far", RTT: 0.05, Up: &Way{Rate: 9e6, Capacity: 9e6, Causes: []finding.Cause{finding.Healthy}}}, "not-loss-limited", "", 0},
		"UDP":                 {enabled(debian()), &Measured{Target: "far", RTT: 0.05, Tunnel: "wireguard"}, "udp", "", 0},
		"userspace stack":     {func() *Facts { f := enabled(debian()); f.Stack = []Stack{{"tailscaled", "…"}}; return f }(), nil, "userspace-stack", "", 0},
		"another algorithm by route": {func() *Facts {
			f := enabled(debian())
			f.Routes = []HostRoute{{Key: RouteKey{Prefix: "0.0.0.0/0", Device: "eth0"}, Value: RouteValue{CC: "cubic"}}}
			return f
		}(), nil, "route", "", 0},
		"not allowed":         {func() *Facts { f := enabled(debian()); f.Sysctls[keyAllowed] = "reno cubic"; return f }(), nil, "not-allowed", "", 0},
		"devices from before": {func() *Facts { f := enabled(debian()); f.Sysctls[keyQdisc] = fq; return f }(), nil, "old-qdisc", "", 0},
		"unmeasured":          {enabled(debian()), nil, "unmeasured", "", 0},
	} {
		e := Explain(c.facts, c.m, bbr)
		i := slices.IndexFunc(e.Reasons, func(b Because) bool { return b.Reason == c.want })
		if i < 0 {
			t.Errorf("%s: no %q in %+v", name, c.want, e.Reasons)
			continue
		}
		if got := e.Reasons[i]; got.File != c.file || got.Line != c.line || got.What == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// Where all is well, only the path is left to blame.
	f := enabled(debian()).boot(persisted)
	if e := Explain(f, &Measured{Target: "far", RTT: 0.05}, bbr); len(e.Reasons) != 0 {
		t.Errorf("%+v", e.Reasons)
	}
}
