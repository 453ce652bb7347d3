package amend

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// bufferOf is a remedy for the far host's buffer, on a path whose delay is known.
func bufferOf(v *view.View, a finding.Action) finding.Remedy {
	v.Capacity, v.Idle = 20e6, flow.Spread{N: 1, Mid: 0.1}
	return amended(v, a, "far")
}

func amended(v *view.View, a finding.Action, host string) finding.Remedy {
	v.One = &record.Transfer{}
	f := finding.Finding{Remedies: []finding.Remedy{finding.Remedy{What: "Do it.", Host: host}.By(a)}}
	return withHostValues(v, withSystems(v, f)).Remedies[0]
}

// No remedy lowers a buffer: neither below what a host has, nor below Linux's default where
// the host did not tell.
func TestNoBufferIsLowered(t *testing.T) {
	for name, c := range map[string]struct {
		far     *record.Host
		action  finding.Action
		starts  string
		command string
	}{
		"sends, not told": {
			nil, finding.RaiseSendBuffer(3 << 20),
			"tcp_wmem allows 4.00 MiB by default (sysctl net.ipv4.tcp_wmem tells what it is there), which is enough: it is less there, or a program set its own buffer. Do it.", "",
		},
		"sends just as much, not told": {nil, finding.RaiseSendBuffer(4 << 20), "tcp_wmem allows 4.00 MiB by default", ""},
		"sends more, not told": {
			nil, finding.RaiseSendBuffer(5 << 20),
			"tcp_wmem allows 4.00 MiB by default (sysctl net.ipv4.tcp_wmem tells what it is there); this path wants 5.00 MiB. Do it.",
			"sysctl -w net.ipv4.tcp_wmem='4096 16384 5242880'",
		},
		"receives, not told": {nil, finding.RaiseReceiveBuffer(5 << 20), "tcp_rmem allows 6.00 MiB by default", ""},
		"receives more, not told": {
			nil, finding.RaiseReceiveBuffer(7 << 20), "tcp_rmem allows 6.00 MiB by default",
			"sysctl -w net.ipv4.tcp_rmem='4096 131072 7340032'",
		},
		"told nothing of it": {&record.Host{OS: "linux"}, finding.RaiseReceiveBuffer(5 << 20), "tcp_rmem allows 6.00 MiB by default", ""},
		"told less": {
			&record.Host{OS: "linux", TCPWmem: [3]int64{4096, 16384, 1 << 20}}, finding.RaiseSendBuffer(3 << 20),
			"tcp_wmem allows 1.00 MiB there; this path wants 3.00 MiB. Do it.", "sysctl -w net.ipv4.tcp_wmem='4096 16384 3145728'",
		},
		"told more": {
			&record.Host{OS: "linux", TCPWmem: [3]int64{4096, 16384, 16 << 20}}, finding.RaiseSendBuffer(8 << 20),
			"tcp_wmem allows 16.0 MiB there, which is enough", "",
		},
	} {
		r := bufferOf(&view.View{Run: &record.Run{FarHost: c.far}}, c.action)
		if !strings.HasPrefix(r.What, c.starts) || r.Command != c.command || (r.Action == nil) != (c.command == "") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Where no echo was answered, nobody knows what the path wants: a buffer has no value then,
// and none is said to be enough.
func TestBufferOfUnknownPath(t *testing.T) {
	v := &view.View{Run: &record.Run{Near: record.Host{OS: "linux", TCPRmem: [3]int64{4096, 131072, 32 << 20}}}, Capacity: 100e6}
	for host, want := range map[string]string{
		"far":  "tcp_rmem allows 6.00 MiB by default (sysctl net.ipv4.tcp_rmem tells what it is there). Do it.",
		"near": "tcp_rmem allows 32.0 MiB here. Do it.",
	} {
		if r := amended(v, finding.RaiseReceiveBuffer(1<<20), host); r.What != want || r.Command != "" || r.Action != nil {
			t.Errorf("%s: %+v", host, r)
		}
	}
	if r := amended(v, finding.LimitRoute(1400), "far"); r.Action == nil {
		t.Errorf("a route's MTU is known without an echo: %+v", r)
	}
}
