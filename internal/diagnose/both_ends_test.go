package diagnose

import (
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// turned is the record of a check as the other host would have made it, had that
// one been told what this one saw: uploads become downloads whose sender is the
// far host.
func turned(r *record.Run) *record.Run {
	out := clone(r)
	near := out.Near
	out.FarHost, out.FarRoute, out.FarNICs = &near, &record.Route{Device: r.Route.Device, Tunnel: r.Route.Tunnel}, r.NICs
	out.Near, out.NICs, out.IdleCPU = record.Host{OS: "linux", Kernel: "6.12.1", CPUs: 1}, nil, nil
	out.Transfers = nil
	for i := range r.Transfers {
		t := r.Transfers[i]
		if t.Direction != record.Up {
			continue
		}
		far := t
		t.Direction, far.Direction = record.Down, record.Down
		if t.Protocol == record.TCP {
			t.FarSide, t.Counters, t.Egress, t.CPU, t.UDPDrops = &far, nil, nil, nil, nil
			t.Series = arrivals(t)
		}
		out.Transfers = append(out.Transfers, t)
	}
	return out
}

// arrivals is what the receiver of a sender's streams would have seen at least.
func arrivals(t record.Transfer) []record.Series {
	var out []record.Series
	for _, s := range t.Series {
		got := record.Series{Stream: s.Stream}
		for _, x := range s.Samples {
			got.Samples = append(got.Samples, record.Sample{At: x.At, Bytes: int64(flow.Arrived(s, x.At))})
		}
		out = append(out, got)
	}
	return out
}

// A download whose far sender told is judged as an upload with the same sender
// is: the verdict does not depend on who asks.
func TestTurnedIsTheSame(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.json.gz")
	const enough = 6
	compared := 0
	for _, file := range files {
		if compared == enough {
			return
		}
		run := load(t, file)
		up := newView(run, record.Up)
		if up == nil || len(run.Arrivals) > 0 || run.Route.Tunnel.There() || len(run.Predicted) > 0 || newView(run, record.Down) == nil {
			continue // what an upload alone is told, what depends on the way back
		}
		down := newView(turned(run), record.Down)
		if down == nil {
			t.Fatalf("%s: nothing is seen of it", file)
		}
		compared++
		if down.limits.inferred {
			t.Errorf("%s: the sender's limits are inferred", file)
		}
		if up.limits.Limits != down.limits.Limits || up.losses != down.losses || up.tcpRise != down.tcpRise {
			t.Errorf("%s:\nup   %v\ndown %v", file, up, down)
		}
	}
	if compared < enough {
		t.Errorf("%d compared", compared)
	}
}

// What a far host's processors, sockets and queues did is its own: the finding
// and the remedies are for it.
func TestFarHostIsTheCause(t *testing.T) {
	files, _ := filepath.Glob("testdata/cpu-bound--*.json.gz")
	for _, file := range files {
		run := load(t, file)
		f := Diagnose(run)[0]
		if f.Cause != finding.CPUBound || f.Direction != record.Up {
			continue
		}
		got := Diagnose(turned(run))
		if len(got) == 0 || got[0].Cause != finding.CPUBound || !strings.Contains(got[0].Summary, "the far host") {
			t.Errorf("%s: %+v", file, got)
			continue
		}
		for _, r := range got[0].Remedies {
			if r.Host != "far" {
				t.Errorf("%s: a remedy for the wrong host: %+v", file, r)
			}
		}
	}

	run := load(t, dropping) // here, of a download
	far := &record.Transfer{Series: nil, UDPDrops: nil}
	for i := range run.Transfers {
		x := &run.Transfers[i]
		if x.Direction == record.Down && x.Protocol == record.TCP && x.Streams == 1 {
			far.UDPDrops = x.UDPDrops
		}
	}
	if far.UDPDrops == nil {
		t.Fatal("the fixture has no drops")
	}
	v := &view{run: run, dir: record.Up, one: &record.Transfer{Direction: record.Up, FarSide: far}}
	run.FarHost, run.FarRoute = &record.Host{}, &run.Route
	at, s, ok := v.overflowing()
	if !ok || at.host != "far" || s.Drops == 0 {
		t.Errorf("the far socket's drops are not seen: %+v, %v", s, ok)
	}
	for _, r := range v.dropRemedies(at, s) {
		if r.Host != "far" {
			t.Errorf("a remedy for the wrong host: %+v", r)
		}
	}
	f := finding.Finding{Cause: finding.LossLimited, Confidence: 0.95}
	run.Route.Tunnel.Carrier = record.Userspace
	if got := v.withUnseen(f); got.Confidence != 0.95 {
		t.Error("the far socket is said not to be seen")
	}
	v.one.FarSide = nil
	if got := v.withUnseen(f); got.Confidence != unseenMost {
		t.Error("a far socket that was not seen is forgotten")
	}
}

// Remedies for the far host say what it has.
func TestFarValues(t *testing.T) {
	v := &view{run: &record.Run{FarHost: &record.Host{
		CC: "cubic", Available: []string{"reno", "cubic"}, Loadable: []string{"bbr"}, TCPWmem: [3]int64{8192, 65536, 4 << 20},
	}}}
	remedy := func(a finding.Action, host string) finding.Remedy {
		f := finding.Finding{Remedies: []finding.Remedy{finding.Remedy{What: "Do it.", Host: host}.By(a)}}
		return v.withFarValues(f).Remedies[0]
	}
	for name, c := range map[string]struct {
		action          finding.Action
		host            string
		starts, command string
	}{
		"more":      {finding.RaiseSendBuffer(8 << 20), "far", "tcp_wmem allows 4.00 MiB there; this path wants 8.00 MiB.", "sysctl -w net.ipv4.tcp_wmem='8192 65536 8388608'"},
		"enough":    {finding.RaiseSendBuffer(2 << 20), "far", "tcp_wmem allows 4.00 MiB there, which is enough", ""},
		"not known": {finding.RaiseReceiveBuffer(2 << 20), "far", "Do it.", "sysctl -w net.ipv4.tcp_rmem='4096 131072 2097152'"},
		"near":      {finding.RaiseSendBuffer(8 << 20), "near", "Do it.", "sysctl -w net.ipv4.tcp_wmem='4096 16384 8388608'"},
		"a module":  {finding.UseCC("bbr"), "far", "New connections there get cubic; bbr is a module there (modprobe tcp_bbr).", "sysctl -w net.ipv4.tcp_congestion_control=bbr"},
		"not there": {finding.UseCC("dctcp"), "far", "New connections there get cubic; its kernel has no dctcp, only reno, cubic.", "sysctl -w net.ipv4.tcp_congestion_control=dctcp"},
	} {
		if r := remedy(c.action, c.host); !strings.HasPrefix(r.What, c.starts) || r.Command != c.command || (r.Action == nil) != (c.command == "") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A shaper of the sending host that holds the stream back is named as the
// bottleneck, on whichever host it is.
func TestOwnQueue(t *testing.T) {
	shaper := record.QdiscUse{Device: "eth0", Kind: "tbf", Packets: 1000, Overlimits: 900, Drops: 5}
	one := &record.Transfer{FarSide: &record.Transfer{}}
	v := &view{run: &record.Run{FarHost: &record.Host{}, FarRoute: &record.Route{Device: "eth0"}, Route: record.Route{Device: "eth0"}}, one: one}
	found := func(d record.Direction) string {
		v.dir = d
		f := v.withEgress(finding.Finding{Cause: finding.Bufferbloat, Confidence: 0.7, Summary: "A queue.", Remedies: []finding.Remedy{{Where: finding.Network}}})
		if len(f.Remedies) != 1 {
			t.Errorf("%+v", f.Remedies)
		}
		return f.Remedies[0].Host
	}
	if got := found(record.Down); got != "" {
		t.Errorf("no host has a queue, and %q is to change it", got)
	}
	one.FarSide.Egress = []record.QdiscUse{shaper}
	if got := found(record.Down); got != "far" {
		t.Errorf("the far host's queue is %q's", got)
	}
	if got := found(record.Up); got != "" {
		t.Errorf("the receiver's queue holds back what the sender sends: %q", got)
	}
	one.Egress = []record.QdiscUse{shaper}
	if got := found(record.Up); got != "near" {
		t.Errorf("this host's queue is %q's", got)
	}
	one.Egress[0].Device = "eth1"
	if got := found(record.Up); got != "" {
		t.Errorf("a queue that the stream does not pass is %q's", got)
	}
}
