package diagnose

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A relayed tunnel is not fixed by anything on this host, nor by a queue on
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

// Where nobody told whether a relay carries a tunnel that has relays, what one looks like is
// a guess, and the relay is named as what else it may be.
func TestWayNotLearned(t *testing.T) {
	for _, file := range []string{"clean", "lossy", "jittery", "eight-fill-it"} {
		run := load(t, "testdata/relayed--tailscale-"+file+".json.gz")
		for _, kind := range []string{"tailscale", "netbird", "zerotier", "nebula"} {
			run.Route.Tunnel = record.Tunnel{Kind: kind, Unknown: []string{"the way that the tunnel takes: no answer within 1s"}}
			for _, f := range Diagnose(run) {
				if f.Cause != finding.Unclear && (f.Confidence > share(0.5) || !strings.Contains(f.Summary, "whether a relay carries")) {
					t.Errorf("%s, %s: %s, %.2f: %s", file, kind, f.Cause, f.Confidence, f.Summary)
				}
			}
		}
	}
	run := load(t, "testdata/healthy--cake-before-a-tunnel.json.gz")
	before := Diagnose(run)[0]
	run.Route.Tunnel.Kind = "netbird" // which told that the way is direct
	if after := Diagnose(run)[0]; after.Cause != before.Cause || after.Confidence != before.Confidence {
		t.Errorf("directly: %s, %.2f, before %s, %.2f", after.Cause, after.Confidence, before.Cause, before.Confidence)
	}
}

// A stream that changed its path tells by its two parts what the relay costs.
func TestChangedUnderTheStream(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-clean.json.gz")
	one := view.Of(run, record.Down).One
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

// A relay that takes nothing from the stream is no fault.
func TestRelayedAndHealthy(t *testing.T) {
	run := load(t, "testdata/healthy--one-bdp-of-queue.json.gz")
	before := finding.Verdict(Diagnose(run))
	run.Route.Tunnel = record.Tunnel{Kind: "netbird", Relayed: true, Relay: &record.Relay{Name: "relay.example", Transport: "quic"}, Ways: []record.Way{{To: 60, Via: record.Relayed, Relay: "relay.example"}}}
	if got := finding.Verdict(Diagnose(run)); got != before {
		t.Errorf("verdict %s, want %s", got, before)
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

// One stream happened not to meet the end of what the relay takes, and filled
// what was seen of the path; eight streams did.
func TestEightFillTheRelay(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-eight-fill-it.json.gz")
	said := Diagnose(run)
	if got := finding.Verdict(said); got != finding.Relayed || said[0].Confidence > share(0.85) {
		t.Errorf("verdict %s, %.2f", got, said[0].Confidence)
	}
}

// What a TCP relay lets arrive is no measure of the path beneath.
func TestHealthyThroughARelay(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-eight-fill-it.json.gz")
	run.Route.Tunnel.Relay.TCP = nil
	for _, f := range Diagnose(run) {
		if f.Cause == finding.Healthy && f.Confidence > share(0.6) {
			t.Errorf("%.2f sure: %s", f.Confidence, f.Summary)
		}
	}
}
