package amend

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// What a far host told of its sockets is seen.
func TestFarSocketIsSeen(t *testing.T) {
	one := &record.Transfer{Direction: record.Up, FarSide: &record.Transfer{UDPDrops: &record.UDPDrops{}}}
	v := &view.View{Run: &record.Run{FarHost: &record.Host{}, FarRoute: &record.Route{}}, Dir: record.Up, One: one}
	f := finding.Finding{Cause: finding.LossLimited, Confidence: 0.95}
	v.Run.Route.Tunnel.Carrier = record.Userspace
	if got := withUnseen(v, f); got.Confidence != 0.95 {
		t.Error("the far socket is said not to be seen")
	}
	v.One.FarSide = nil
	if got := withUnseen(v, f); got.Confidence != unseenMost {
		t.Error("a far socket that was not seen is forgotten")
	}
}

// Remedies for a host say what it has, and ask for nothing that it cannot do.
func TestHostValues(t *testing.T) {
	v := &view.View{Run: &record.Run{
		FarHost: &record.Host{
			CC: "cubic", Available: []string{"reno", "cubic", "vegas"}, Loadable: []string{"bbr"}, TCPWmem: [3]int64{8192, 65536, 4 << 20},
		},
		Near: record.Host{CC: "cubic", Available: []string{"reno", "cubic"}, TCPWmem: [3]int64{4096, 32768, 1 << 20}},
	}, Capacity: 100e6, Idle: flow.Spread{N: 1, Mid: 0.1}}
	remedy := func(a finding.Action, host string) finding.Remedy {
		f := finding.Finding{Remedies: []finding.Remedy{finding.Remedy{What: "Do it.", Host: host}.By(a)}}
		return withHostValues(v, f).Remedies[0]
	}
	for name, c := range map[string]struct {
		action          finding.Action
		host            string
		starts, command string
	}{
		"more":         {finding.RaiseSendBuffer(8 << 20), "far", "tcp_wmem allows 4.00 MiB there; this path wants 8.00 MiB.", "sysctl -w net.ipv4.tcp_wmem='8192 65536 8388608'"},
		"enough":       {finding.RaiseSendBuffer(2 << 20), "far", "tcp_wmem allows 4.00 MiB there, which is enough", ""},
		"not known":    {finding.RaiseReceiveBuffer(7 << 20), "far", "tcp_rmem allows 6.00 MiB by default (sysctl net.ipv4.tcp_rmem tells what it is there); this path wants 7.00 MiB.", "sysctl -w net.ipv4.tcp_rmem='4096 131072 7340032'"},
		"near":         {finding.RaiseSendBuffer(8 << 20), "near", "tcp_wmem allows 1.00 MiB here; this path wants 8.00 MiB.", "sysctl -w net.ipv4.tcp_wmem='4096 32768 8388608'"},
		"near, enough": {finding.RaiseSendBuffer(1 << 20), "near", "tcp_wmem allows 1.00 MiB here, which is enough", ""},
		"of both":      {finding.RaiseSendBuffer(8 << 20), "", "Do it.", "sysctl -w net.ipv4.tcp_wmem='4096 16384 8388608'"},
		"has it":       {finding.UseCC("vegas"), "far", "New connections there get cubic; its kernel has vegas.", "sysctl -w net.ipv4.tcp_congestion_control=vegas"},
		"a module":     {finding.UseCC("bbr"), "far", "New connections there get cubic; bbr is a module there (modprobe tcp_bbr).", "sysctl -w net.ipv4.tcp_congestion_control=bbr"},
		"not there":    {finding.UseCC("dctcp"), "far", "New connections there get cubic; its kernel has no dctcp, only reno, cubic, vegas.", ""},
		"here":         {finding.UseCC("reno"), "near", "Do it.", "sysctl -w net.ipv4.tcp_congestion_control=reno"},
		"not here":     {finding.UseCC("bbr"), "near", "New connections here get cubic; its kernel has no bbr, only reno, cubic.", ""},
	} {
		if r := remedy(c.action, c.host); !strings.HasPrefix(r.What, c.starts) || r.Command != c.command || (r.Action == nil) != (c.command == "") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Of a host whose kernel's algorithms are not known, nothing is said.
func TestUnknownAlgorithms(t *testing.T) {
	if said, can := congestionControl(&record.Host{CC: "cubic"}, "bbr", "there"); said != "" || !can {
		t.Errorf("%q, %v", said, can)
	}
}

// A shaper of the sending host that holds the stream back is named as the
// bottleneck, on whichever host it is.
func TestOwnQueue(t *testing.T) {
	shaper := record.QdiscUse{Device: "eth0", Kind: "tbf", Packets: 1000, Overlimits: 900, Drops: 5, Backlog: 30000}
	found := func(d record.Direction, near, far []record.QdiscUse) string {
		v := queued(d, record.Transfer{Egress: near, FarSide: &record.Transfer{Egress: far}})
		f := withEgress(v, finding.Finding{Cause: finding.ShallowBuffer, Confidence: 0.7, Summary: "A queue.", Remedies: []finding.Remedy{{Where: finding.Network}}})
		if len(f.Remedies) != 1 {
			t.Errorf("%+v", f.Remedies)
		}
		return f.Remedies[0].Host
	}
	here := []record.QdiscUse{shaper}
	if got := found(record.Down, nil, nil); got != "" {
		t.Errorf("no host has a queue, and %q is to change it", got)
	}
	if got := found(record.Down, nil, here); got != "far" {
		t.Errorf("the far host's queue is %q's", got)
	}
	if got := found(record.Up, nil, here); got != "" {
		t.Errorf("the receiver's queue holds back what the sender sends: %q", got)
	}
	if got := found(record.Up, here, here); got != "near" {
		t.Errorf("this host's queue is %q's", got)
	}
	shaper.Device = "eth1"
	if got := found(record.Up, []record.QdiscUse{shaper}, nil); got != "" {
		t.Errorf("a queue that the stream does not pass is %q's", got)
	}
}

// queued is a direction of 10 Mbit/s and 20 ms, whose stream waits for 240 ms more.
func queued(d record.Direction, one record.Transfer) *view.View {
	one.Name, one.Direction, one.Duration = "one", d, 4
	one.Intervals = []record.Interval{{At: 4, Bytes: 5e6, Rate: 10e6}}
	run := &record.Run{
		FarHost: &record.Host{}, FarRoute: &record.Route{Device: "eth0"}, Route: record.Route{Device: "eth0"},
		Transfers: []record.Transfer{one},
	}
	at := func(rtt float64) flow.Spread { return flow.Spread{N: 50, Low: rtt, Mid: rtt, High: rtt} }
	return &view.View{Run: run, Dir: d, One: &run.Transfers[0], Rate: 10e6, Capacity: 10e6, Idle: at(0.02), Loaded: at(0.26)}
}

// What is said of the queue at the bottleneck is said of a shaper of the sending host only
// where that did it: held as much, dropped, or let out others' packets.
func TestNotTheOwnQueue(t *testing.T) {
	cake := record.QdiscUse{Device: "eth0", Kind: "cake", Packets: 3500, Bytes: 5.3e6, Overlimits: 3062, Backlog: 3000}
	long, dropping, shared := cake, cake, cake
	long.Backlog, dropping.Drops, shared.Bytes = 200000, 5, 9e6
	for name, c := range map[string]struct {
		cause finding.Cause
		queue record.QdiscUse
		want  bool
	}{
		"two packets are no long queue":         {finding.Bufferbloat, cake, false},
		"a long queue":                          {finding.Bufferbloat, long, true},
		"a short queue that dropped nothing":    {finding.ShallowBuffer, cake, false},
		"a short queue that dropped":            {finding.ShallowBuffer, dropping, true},
		"nobody else's packets":                 {finding.Congested, cake, false},
		"others' packets":                       {finding.Congested, shared, true},
		"a policer, in which nothing waits":     {finding.Policed, long, false},
		"a queue that is not at the bottleneck": {finding.LossLimited, long, false},
	} {
		v := queued(record.Up, record.Transfer{Egress: []record.QdiscUse{c.queue}})
		f := withEgress(v, finding.Finding{Cause: c.cause, Confidence: 0.5, Remedies: []finding.Remedy{{Where: finding.Network}}})
		own := len(f.Remedies) == 1 && f.Remedies[0].Host == "near"
		if own != c.want || !own && f.Confidence != 0.5 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// A policer inside a tunnel over UDP may be UDP's alone where nobody looked outside.
func TestPolicedInsideIsAGuess(t *testing.T) {
	v := &view.View{Run: &record.Run{}, Dir: record.Down, One: &record.Transfer{Direction: record.Down}}
	f := finding.Finding{Cause: finding.Policed, Confidence: 0.95}
	if got := withOutside(v, f); got.Confidence != 0.95 {
		t.Errorf("without a tunnel: %v", got.Confidence)
	}
	v.Run.Route.Tunnel.Kind = "wireguard"
	if got := withOutside(v, f); got.Confidence != policedPerhaps {
		t.Errorf("in a tunnel over UDP: %v", got.Confidence)
	}
}
