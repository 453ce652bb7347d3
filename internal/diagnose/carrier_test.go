package diagnose

import (
	"math"
	"strings"
	"testing"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// streamOf carries one rate after the other, a second each.
func streamOf(started float64, rates ...float64) *record.Transfer {
	t := &record.Transfer{Started: started, Duration: float64(len(rates))}
	for i, rate := range rates {
		t.Intervals = append(t.Intervals, record.Interval{At: float64(i + 1), Bytes: int64(rate / 8), Rate: rate})
	}
	return t
}

func TestCarrier(t *testing.T) {
	flips := record.Tunnel{Ways: []record.Way{
		{From: 0, To: 1, Via: record.Idle},
		{From: 2, To: 11, Via: record.Relayed, Relay: "nyc"},
		{From: 13, To: 30, Via: record.Direct, Endpoint: "192.0.2.7:41641"},
		{From: 31, To: 31, Via: record.Idle},
	}}
	for name, c := range map[string]struct {
		stream *record.Transfer
		tunnel record.Tunnel
		want   carrier
	}{
		"no tunnel":            {streamOf(2, 8, 8), record.Tunnel{}, carrier{}},
		"relayed":              {streamOf(4, 8, 8, 8), flips, carrier{relayed: 1}},
		"direct":               {streamOf(20, 8, 8, 8), flips, carrier{}},
		"changed in the midst": {streamOf(10, 80, 80, 800, 800), flips, carrier{relayed: 0.5, relay: 80, direct: 800}},
		"idle again":           {streamOf(40, 8), flips, carrier{}},
		"without intervals":    {&record.Transfer{Started: 4, Duration: 5}, flips, carrier{relayed: 1}},
		"without a duration":   {&record.Transfer{Started: 4}, flips, carrier{}},
	} {
		got := carrierOf(c.stream, c.tunnel)
		if math.Abs(got.relayed-c.want.relayed) > 1e-9 || got.relay != c.want.relay || got.direct != c.want.direct {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// A relayed tunnel is not mended by anything on this host, nor by a queue on
// its router: whatever the verdict, no such remedy is offered.
func TestNoHostRemedyForRelays(t *testing.T) {
	for _, file := range []string{"relayed--tailscale-clean", "relayed--tailscale-lossy"} {
		run := load(t, "testdata/"+file+".json.gz")
		for _, hide := range []bool{false, true} {
			if hide { // without the outer connection the relay is not proved guilty
				run.Route.Tunnel.Relay.TCP = nil
			}
			for _, f := range Diagnose(run) {
				for _, r := range f.Remedies {
					text := strings.ToLower(r.What + r.Command)
					if strings.Contains(text, "bbr") || strings.Contains(text, "cake") {
						t.Errorf("%s: %s: %q %q", file, f.Cause, r.What, r.Command)
					}
				}
			}
		}
	}
}

// The same record without its tunnel's ways is what it was before anybody
// asked: the misdiagnosis that this rule is there for.
func TestRelayedRestsOnTheWays(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-clean.json.gz")
	run.Route.Tunnel.Ways = nil
	if got := finding.Verdict(Diagnose(run)); got == finding.Relayed {
		t.Errorf("nothing says that the path was relayed, and yet the verdict is %s", got)
	}
}

// A stream that changed its path tells by its two parts what the relay costs.
func TestChangedUnderTheStream(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-clean.json.gz")
	one := newView(run, record.Down).one
	middle := one.Started + one.Duration/2
	run.Route.Tunnel.Ways = []record.Way{
		{From: 0, To: middle, Via: record.Relayed, Relay: "lab"},
		{From: middle, To: 100, Via: record.Direct, Endpoint: "10.0.0.2:41641"},
	}
	for i := range one.Intervals {
		one.Intervals[i].Bytes = 1e5
		if one.Intervals[i].At > one.Duration/2 {
			one.Intervals[i].Bytes = 1e6
		}
	}
	for _, f := range Diagnose(run) {
		if f.Direction == record.Down {
			if f.Cause != finding.Relayed || !strings.Contains(f.Summary, "changed under the stream") {
				t.Errorf("%s: %s", f.Cause, f.Summary)
			}
			return
		}
	}
	t.Error("no finding")
}

// What was measured over a relay says nothing of the direct path that the
// stream had before: neither its ladder nor its eight streams count, and these
// tell what the relay costs.
func TestChangedAfterTheStream(t *testing.T) {
	run := load(t, "testdata/loss-limited--wireguard-up.json.gz")
	before := newView(run, record.Up)
	ends := before.one.Started + before.one.Duration
	run.Route.Tunnel = record.Tunnel{
		Kind: "tailscale", Relayed: true, Relay: &record.Relay{Name: "nyc", Transport: "tcp"},
		Ways: []record.Way{
			{From: 0, To: ends, Via: record.Direct, Endpoint: "192.0.2.7:41641"},
			{From: ends, To: 100, Via: record.Relayed, Relay: "nyc"},
		},
	}
	after := newView(run, record.Up)
	if before.eight == nil || len(before.rungs) == 0 || after.eight != nil || len(after.rungs) != 0 {
		t.Errorf("of another way: eight streams %v, %d rungs", after.eight != nil, len(after.rungs))
	}
	if f := relayed(after); f != nil {
		t.Errorf("eight streams carried more than the one, and yet %s", f.Summary)
	}
	before.eight.SteadyRate = before.one.SteadyRate / 2
	f := relayed(newView(run, record.Up))
	if f == nil || !strings.Contains(f.Summary, "changed during the test") {
		t.Errorf("%+v", f)
	}
}

// A relay that takes nothing from the stream is no fault.
func TestRelayedAndHealthy(t *testing.T) {
	run := load(t, "testdata/healthy--one-bdp-of-queue.json.gz")
	before := finding.Verdict(Diagnose(run))
	run.Route.Tunnel = record.Tunnel{Kind: "netbird", Relayed: true, Relay: &record.Relay{Name: "relay.example", Transport: "quic"}, Ways: []record.Way{{To: 60, Via: record.Relayed, Relay: "relay.example"}}}
	if got := finding.Verdict(Diagnose(run)); got != before {
		t.Errorf("verdict %s, want %s", got, before)
	}
}

func TestOuter(t *testing.T) {
	sample := func(at float64, sent, resent, received, overtaken uint32, rtt float64) record.Sample {
		return record.Sample{At: at, Info: tcpinfo.Info{
			DataSegsOut: sent, TotalRetrans: resent, DataSegsIn: received, RcvOOOPack: overtaken,
			RTT: seconds(rtt), MinRTT: seconds(0.03),
		}}
	}
	relay := &record.Relay{TCP: &record.Series{Sender: true, Samples: []record.Sample{
		sample(0, 0, 0, 0, 0, 0.03), sample(5, 1000, 10, 100, 1, 0.031), sample(10, 2000, 20, 200, 3, 0.031), sample(20, 3000, 20, 200, 3, 0.03),
	}}}
	stream := flow.Span{From: 5, To: 10}
	o := outerOf(stream, relay, 5)
	if up, ok := o.loses(record.Up); !ok || math.Abs(up-0.01) > 1e-9 {
		t.Errorf("up %v, %v", up, ok)
	}
	if down, ok := o.loses(record.Down); !ok || math.Abs(down-0.02) > 1e-9 {
		t.Errorf("down %v, %v", down, ok)
	}
	for i := range relay.TCP.Samples {
		relay.TCP.Samples[i].Info.RTT = seconds(0.045) // delay varies: the least was luck
	}
	if _, ok := outerOf(stream, relay, 5).loses(record.Up); !ok {
		t.Error("a delay that varies is taken for a queue")
	}
	for i := range relay.TCP.Samples[1:] {
		relay.TCP.Samples[1+i].Info.RTT = seconds(0.1) // a queue of its own making
	}
	if _, ok := outerOf(stream, relay, 5).loses(record.Up); ok {
		t.Error("what overflowed its own queue is taken for loss on the path")
	}
	if outerOf(stream, nil, 5).known || outerOf(flow.Span{From: 50, To: 51}, relay, 5).known {
		t.Error("known, though nobody looked")
	}
}

func TestNoDirect(t *testing.T) {
	yes, no := true, false
	for want, d := range map[string]*record.DirectCheck{
		"":                     {},
		"from this host to":    {UDP: &no, PeerUDP: &yes},
		"from the far host to": {UDP: &yes, PeerUDP: &no},
		"both hosts are":       {UDP: &yes, HardNAT: &yes, PeerHardNAT: &yes},
		"this host is behind":  {HardNAT: &yes, PeerHardNAT: &no},
		"the far host is":      {PeerHardNAT: &yes},
		"between them":         {UDP: &yes, PeerUDP: &yes},
		"ICE chose":            {Local: "relay", Remote: "relay"},
	} {
		if got := noDirect(d); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
	}
	if got := noDirect(nil); got != "" {
		t.Errorf("%q", got)
	}
}

// Where a program ends the connections, no setting of its host is offered, and
// what does help is.
func TestUserspaceTCP(t *testing.T) {
	for _, d := range record.Directions {
		run := load(t, "testdata/loss-limited--wireguard-up.json.gz")
		run.Route.Tunnel = record.Tunnel{Kind: "tailscale", NearTCP: record.Userspace, FarTCP: record.Userspace}
		for _, f := range Diagnose(run) {
			if f.Direction != d || !f.Cause.Fault() {
				continue
			}
			if strings.Contains(f.Summary, "cubic") {
				t.Errorf("the kernel's algorithm is blamed: %s", f.Summary)
			}
			told := false
			for _, r := range f.Remedies {
				if r.Action != nil && r.Host != "" {
					t.Errorf("%s %s: %s", f.Cause, d, r.Command)
				}
				told = told || strings.Contains(r.What, "TUN device")
			}
			if !told {
				t.Errorf("%s %s: what helps is not said: %+v", f.Cause, d, f.Remedies)
			}
		}
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// A relay's round trip is longer than the direct one: where the path opens after the
// idle probes, nobody's queue has drained.
func TestIdleThroughTheRelay(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-direct-later.json.gz")
	for i := range run.Echo("idle").Probes {
		run.Echo("idle").Probes[i].RTT += 0.2
	}
	run.Route.Tunnel.Ways = []record.Way{{To: 30, Via: record.Relayed, Relay: "lab"}}
	if v := newView(run, record.Up); v.idleElsewhere() || !v.drains() {
		t.Fatalf("idle through the same relay: %v", v)
	}
	run.Route.Tunnel.Ways = []record.Way{{To: 5, Via: record.Relayed, Relay: "lab"}, {From: 6, To: 30, Via: record.Direct, Endpoint: "10.0.0.2:41641"}}
	v := newView(run, record.Up)
	if !v.idleElsewhere() || v.drains() || v.idle.Mid > 0.1 {
		t.Errorf("idle through a relay: %v", v)
	}
}
