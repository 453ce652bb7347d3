package finding

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/record"
)

// The contract's vocabulary, in the order of the documentation.
var vocabulary = []Cause{
	"healthy", "loss-limited", "reordering", "policed", "bufferbloat", "congested",
	"shallow-buffer", "ack-limited", "slow-start", "send-buffer", "receive-window",
	"app-limited", "relayed", "cpu-bound", "socket-drops", "mtu-blackhole",
	"udp-throttled", "no-sack", "unclear",
}

func TestEveryCauseHasItsEntry(t *testing.T) {
	if got := Causes(); !slices.Equal(got, vocabulary) {
		t.Errorf("the table has %q, want %q", got, vocabulary)
	}
	for _, c := range Causes() {
		e := Of(c)
		if e.Title == "" || e.Title == string(c) {
			t.Errorf("%s has no plain words", c)
		}
		if e.Host == "" {
			t.Errorf("%s belongs to no host", c)
		}
		either := e.Plan == KindSACK // the plan looks which host has it off
		if e.Plan != "" && ((e.Host == Network || e.Far == "") && !either || (Action{Kind: e.Plan}).Command() == "") {
			t.Errorf("%s: the plan's %q has no host, no words for the far one or no command", c, e.Plan)
		}
	}
	if e := Of("of a later version"); e.Title == "" || e.Plan != "" || e.Proof("cubic") != nil {
		t.Errorf("an unknown cause has the entry %+v", e)
	}
}

func TestProof(t *testing.T) {
	for _, c := range []struct {
		cause Cause
		cc    string
		want  string
	}{
		{LossLimited, "reno", "cc=reno cc=bbr"},
		{LossLimited, "", "cc=cubic cc=bbr"},
		{LossLimited, "bbr", ""},
		{SendBuffer, "bbr", "streams=1 streams=8"},
		{Healthy, "cubic", ""},
	} {
		if got := strings.Join(Of(c.cause).Proof(c.cc), " "); got != c.want {
			t.Errorf("%s with %q is proved by %q, want %q", c.cause, c.cc, got, c.want)
		}
	}
}

func TestHost(t *testing.T) {
	for _, c := range []struct {
		where Where
		d     record.Direction
		want  string
	}{
		{Sender, record.Up, "near"},
		{Sender, record.Down, "far"},
		{Receiver, record.Up, "far"},
		{Receiver, record.Down, "near"},
		{Network, record.Up, ""},
	} {
		if got := c.where.Host(c.d); got != c.want {
			t.Errorf("the %s of %s is %q, want %q", c.where, c.d, got, c.want)
		}
	}
}

// A remedy's command is its action's, with its parameters.
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		action Action
		want   string
	}{
		{UseCC("bbr"), "sysctl -w net.ipv4.tcp_congestion_control=bbr"},
		{RaiseSendBuffer(8 << 20), "sysctl -w net.ipv4.tcp_wmem='4096 16384 8388608'"},
		{RaiseReceiveBuffer(8 << 20), "sysctl -w net.ipv4.tcp_rmem='4096 131072 8388608'"},
		{Pace(19.4e6), "tc qdisc replace dev DEV root fq maxrate 19400kbit"},
		{Shape(19.4e6), "tc qdisc replace dev DEV root cake bandwidth 19400kbit"},
		{TolerateReordering(), "sysctl -w net.ipv4.tcp_reordering=30 net.ipv4.tcp_max_reordering=1000"},
		{ProbeMTU(), "sysctl -w net.ipv4.tcp_mtu_probing=1"},
		{TuneReceiveBuffers(), "sysctl -w net.ipv4.tcp_moderate_rcvbuf=1"},
		{ScaleWindows(), "sysctl -w net.ipv4.tcp_window_scaling=1"},
		{LiftCPULimit("/system.slice/tailscaled.service", 2, 2), "systemctl set-property tailscaled.service CPUQuota=200%"},
		{LiftCPULimit("/docker/0123456789abcdef0123", 1, 0.5), "docker update --cpus 0.5 0123456789ab"},
		{LiftCPULimit("/system.slice/docker-0123456789abcdef0123.scope", 2, 2), "docker update --cpus 2 0123456789ab"},
		{LiftCPULimit("/user.slice/user-1000.slice/user@1000.service/app.slice/vpn.service", 2, 2), "systemctl --user set-property vpn.service CPUQuota=200%"},
		{LiftCPULimit("/user.slice/user-1000.slice/user@1000.service", 2, 2), "systemctl set-property user@1000.service CPUQuota=200%"},
		{LiftCPULimit("/it's mine", 1, 2), `echo 100000 > '/sys/fs/cgroup/cpu/it'\''s mine/cpu.cfs_period_us' && echo 200000 > '/sys/fs/cgroup/cpu/it'\''s mine/cpu.cfs_quota_us'`},
		{LiftCPULimit("/vpn", 2, 2), "echo 200000 100000 > /sys/fs/cgroup/vpn/cpu.max"},
		{SwitchOn("eth0", "rx-gro"), "ethtool -K eth0 rx-gro on"},
		{SwitchOn("eth0", UDPGROForwarding), "ethtool -K eth0 rx-udp-gro-forwarding on rx-gro-list off"},
		{RaiseSocketBuffer(4 << 20), "sysctl -w net.core.rmem_max=4194304 net.core.rmem_default=4194304"},
	} {
		r := Remedy{What: "Do it.", Where: Sender}.By(c.action)
		if r.Command != c.want || *r.Action != c.action {
			t.Errorf("%+v: command %q, want %q", c.action, r.Command, c.want)
		}
	}
}
