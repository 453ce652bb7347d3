package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/record"
)

// A real Tailscale network: coordination server, relay and two daemons in the
// lab. Direct, relayed for want of UDP and by Tailscale's own choice, changing
// in the midst of the check, far without a TUN device.
func TestRealNetworks(t *testing.T) {
	labtest.NeedKernel(t)
	l, err := newLab(labtest.NeedProgram(t), true, "")
	if errors.Is(err, errNoTailnet) {
		t.Skip("needs Tailscale: make tailnet")
	}
	if err != nil {
		t.Fatal(err)
	}
	// Each packet takes the machine many system calls: a path is no faster than shows
	// that its stream is slow, and one that changes need not show that. `make
	// bench-tailscale` has every way with every condition.
	for _, c := range []testCase{
		{way: direct, condition: lossy, path: "rtt=30ms,rate=20mbit,loss=0.5%", rate: 20},
		{way: direct, condition: lossy, path: "rtt=30ms,rate=20mbit,loss=0.5%", rate: 20, userspace: true},
		{way: relayed, condition: clean, path: "rtt=30ms,rate=50mbit", rate: 50},
		{way: relayed, condition: policed, path: "rtt=20ms,rate=50mbit,policer=15mbit:64KiB", rate: 15, byChoice: true},
		{way: opens, condition: clean, path: "rtt=30ms,rate=10mbit", rate: 10, flip: 3 * time.Second},
		{way: closes, condition: clean, path: "rtt=30ms,rate=10mbit", rate: 10, flip: 3 * time.Second},
	} {
		t.Run(c.String(), func(t *testing.T) {
			o, err := l.run(t.Context(), "", c)
			if err != nil {
				t.Fatal(err)
			}
			for _, wrong := range o.objections() {
				t.Errorf("%s (%+v)", wrong, o.said.Path.Tunnel)
			}
			if !c.userspace && !o.right() { // gVisor's Reno is no loss-based sender that the rules know
				t.Errorf("verdict %s, want one of %v (iperf3: up %.3g, down %.3g Mbit/s)", o.said.Verdict, o.truth(), o.up, o.down)
			}
		})
	}
}

// said is a check that got a direct path right.
func right() outcome {
	o := outcome{testCase: testCase{way: direct, condition: lossy, rate: 50}, up: 8, down: 9}
	o.said.Verdict = finding.LossLimited
	o.said.Path.Tunnel = record.Tunnel{
		Kind: "tailscale", FarTCP: record.Kernel,
		Ways: []record.Way{{Via: record.Idle}, {Via: record.Direct, Endpoint: endpoint}, {Via: record.Idle}},
	}
	return o
}

func TestObjections(t *testing.T) {
	if wrong := right().objections(); len(wrong) != 0 {
		t.Errorf("what is right is called wrong: %q", wrong)
	}
	for what, spoil := range map[string]func(*outcome){
		"kind":     func(o *outcome) { o.said.Path.Tunnel.Kind = "tun" },
		"endpoint": func(o *outcome) { o.said.Path.Tunnel.Ways[1].Endpoint = "10.0.0.9:1" },
		"ways":     func(o *outcome) { o.way = opens },
		"relay fra": func(o *outcome) {
			o.way = relayed
			o.said.Path.Tunnel.Relayed = true
			o.said.Path.Tunnel.Ways[1] = record.Way{Via: record.Relayed, Relay: "fra"}
		},
		"relayed true": func(o *outcome) { o.said.Path.Tunnel.Relayed = true },
		"unknown":      func(o *outcome) { o.said.Path.Tunnel.Unknown = []string{"all"} },
		"far TCP":      func(o *outcome) { o.userspace = true },
		"remedy": func(o *outcome) {
			o.way = relayed
			o.said.Findings = []finding.Finding{{Remedies: []finding.Remedy{finding.Remedy{}.By(finding.UseCC("bbr"))}}}
		},
	} {
		o := right()
		spoil(&o)
		if wrong := o.objections(); !slices.ContainsFunc(wrong, func(s string) bool { return strings.HasPrefix(s, what) }) {
			t.Errorf("%s: %q", what, wrong)
		}
	}
}

func TestTruth(t *testing.T) {
	for _, c := range []struct {
		way       way
		condition condition
		rate      float64 // that stock iperf3 carries of 50 Mbit/s
		want      string
	}{
		{direct, clean, 45, "healthy"},
		{direct, lossy, 8, "loss-limited"},
		{direct, lossy, 45, "healthy"},
		{direct, jittery, 8, "reordering"},
		{direct, policed, 45, "policed"},
		{relayed, clean, 8, "relayed"},
		{relayed, policed, 45, "relayed healthy"},
		{opens, lossy, 8, "relayed loss-limited"},
		{opens, jittery, 45, "relayed healthy"},
		{closes, policed, 45, "relayed policed"},
	} {
		o := outcome{testCase: testCase{way: c.way, condition: c.condition, rate: 50}, up: c.rate, down: c.rate}
		var got []string
		for _, x := range o.truth() {
			got = append(got, string(x))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s at %v: %v, want %s", c.way, c.condition, c.rate, got, c.want)
		}
	}
}

func TestSum(t *testing.T) {
	var all tally
	for range 19 {
		all.add(io.Discard, right())
	}
	if err := all.sum(io.Discard, 0.95); err != nil {
		t.Error(err)
	}
	o := right()
	o.said.Verdict = finding.Bufferbloat
	all.add(io.Discard, o)
	if err := all.sum(io.Discard, 0.95); err != nil {
		t.Errorf("19 of 20: %v", err)
	}
	all.add(io.Discard, o)
	if err := all.sum(io.Discard, 0.95); err == nil {
		t.Error("19 of 21 suffice")
	}
	var none tally
	none.failed(io.Discard, o.testCase, errors.New("no answer"))
	if err := none.sum(io.Discard, 0.5); err == nil {
		t.Error("a check that failed suffices")
	}
	o = right()
	o.said.Path.Tunnel.Kind = "tun"
	var one tally
	one.add(io.Discard, o)
	if err := one.sum(io.Discard, 0); err == nil {
		t.Error("a wrong kind suffices")
	}
}

func TestDraw(t *testing.T) {
	cases := draw(1, 40)
	seen := map[way]map[condition]int{}
	for i, c := range cases {
		if seen[c.way] == nil {
			seen[c.way] = map[condition]int{}
		}
		seen[c.way][c.condition]++
		if c != draw(1, 40)[i] {
			t.Error("the same seed draws other paths")
		}
	}
	for _, w := range []way{direct, relayed, opens, closes} {
		if len(seen[w]) != 4 {
			t.Errorf("%s: %v", w, seen[w])
		}
	}
}
