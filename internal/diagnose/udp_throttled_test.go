package diagnose

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

func findings(all []finding.Finding, c finding.Cause) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return f.Cause != c })
}

// Where the stream does not suffer, the network's way with UDP is told behind
// the verdict; nothing of UDP's losses is taken for the path's.
func TestThrottledUDPIsNoCauseForTCP(t *testing.T) {
	for _, file := range []string{"testdata/healthy--udp-held-to-a-rate.json.gz", "testdata/healthy--udp-alone-loses.json.gz"} {
		run := load(t, file)
		all := Diagnose(run)
		aside := findings(all, finding.UDPThrottled)
		if len(aside) != 2 || aside[0].Severity != 0 || !strings.Contains(aside[0].Summary, "does not suffer") {
			t.Errorf("%s: %d findings about UDP: %+v", file, len(aside), aside)
		}
		if len(all) != 4 || len(findings(all, finding.Healthy)) != 2 {
			t.Errorf("%s: %d findings, of them healthy %d", file, len(all), len(findings(all, finding.Healthy)))
		}
		if p := MeasuredPath(run); p.Loss > 0.001 {
			t.Errorf("%s: the path loses %v", file, p.Loss)
		}
	}
}

// Both figures stand in the words and in the evidence, and the remedies suit
// what happens to UDP.
func TestThrottledTunnel(t *testing.T) {
	for file, want := range map[string]finding.Kind{
		"testdata/udp-throttled--policer-wireguard.json.gz": finding.KindShape,
		"testdata/udp-throttled--loss-wireguard.json.gz":    finding.KindCC,
	} {
		for _, f := range findings(Diagnose(load(t, file)), finding.UDPThrottled) {
			if f.Severity < 0.5 || !strings.Contains(f.Summary, "outside it one TCP stream carries 47.8 Mbit/s") {
				t.Errorf("%s: severity %.2f, %q", file, f.Severity, f.Summary)
			}
			if last := f.Remedies[len(f.Remedies)-1]; last.Action == nil || last.Action.Kind != want {
				t.Errorf("%s: the last remedy is %+v, want %s", file, last, want)
			}
		}
	}
}

// Neither one turn, nor one in which TCP loses as much, nor a stream that gains
// nothing outside is enough.
func TestWhatIsNoThrottle(t *testing.T) {
	const file = "testdata/udp-throttled--policer-wireguard.json.gz"
	turn := 0 // of UDP, from 1
	change := func(do func(*record.BesideTest) bool) *record.Run {
		run := load(t, file)
		run.Besides = slices.Clone(run.Besides)
		for i := range run.Besides {
			b := &run.Besides[i]
			var kept []record.BesideTest
			turn = 0
			for _, x := range b.Tests {
				if x.Protocol == record.UDP {
					turn++
				}
				if do(&x) {
					kept = append(kept, x)
				}
			}
			b.Tests = kept
		}
		return run
	}
	for name, run := range map[string]*record.Run{
		"UDP was asked once, and lost a share": change(func(x *record.BesideTest) bool {
			if x.Protocol == record.UDP {
				x.Lost = x.Packets / 20
			}
			return x.Protocol == record.TCP || turn == 1
		}),
		"UDP was asked once, and TCP not before it": change(func(x *record.BesideTest) bool {
			if x.Protocol == record.TCP && x.Offered == 0 {
				x.Delivered = 20e6
			}
			return x.Protocol == record.TCP || turn == 1
		}),
		"UDP lost nothing the second time": change(func(x *record.BesideTest) bool {
			if x.Protocol == record.UDP && turn == 2 {
				x.Lost = 0
			}
			return true
		}),
		"TCP lost as much": change(func(x *record.BesideTest) bool {
			if x.Protocol == record.TCP && x.Offered > 0 {
				x.Lost = x.Packets * 7 / 10
			}
			return true
		}),
		"TCP carried no more than UDP": change(func(x *record.BesideTest) bool {
			if x.Protocol == record.TCP && x.Offered > 0 {
				x.Delivered = 10e6
			}
			return true
		}),
		"nobody knows what TCP lost": change(func(x *record.BesideTest) bool {
			if x.Protocol == record.TCP {
				x.Lost = -1
			}
			return true
		}),
	} {
		if f := findings(Diagnose(run), finding.UDPThrottled); len(f) > 0 {
			t.Errorf("%s: %q", name, f[0].Summary)
		}
	}
	between := change(func(x *record.BesideTest) bool { return x.Protocol == record.TCP || turn == 1 })
	if got := finding.Verdict(Diagnose(between)); got != finding.UDPThrottled {
		t.Errorf("UDP that ends at a rate between TCP streams that do not: %s", got)
	}
	gainsNothing := change(func(x *record.BesideTest) bool {
		if x.Offered == 0 {
			x.Delivered = 10e6
		}
		return true
	})
	if got := finding.Verdict(Diagnose(gainsNothing)); got == finding.UDPThrottled {
		t.Error("a stream that gains nothing outside is udp-throttled")
	}
}

// A stream that loses inside the tunnel what one outside does not is held back, though no
// time was left for turns; not where the one outside lost as much.
func TestLosesInside(t *testing.T) {
	run := load(t, "testdata/udp-throttled--losses-that-the-free-stream-tells.json.gz")
	for i := range run.Besides {
		b := &run.Besides[i]
		b.Tests = slices.DeleteFunc(b.Tests, func(x record.BesideTest) bool { return x.Protocol != record.TCP || x.Offered > 0 })
	}
	if f := findings(Diagnose(run), finding.UDPThrottled); len(f) != 1 || f[0].Direction != record.Down || f[0].Confidence != share(0.7) {
		t.Errorf("%+v", f)
	}
	for i := range run.Besides {
		for j := range run.Besides[i].Tests {
			x := &run.Besides[i].Tests[j]
			x.Lost = x.Packets / 100
		}
	}
	if f := findings(Diagnose(run), finding.UDPThrottled); len(f) > 0 {
		t.Errorf("the stream outside lost as much: %q", f[0].Summary)
	}
}

// No other fixture's network treats UDP worse.
func TestNoThrottleElsewhere(t *testing.T) {
	tried := 0
	for _, file := range diagnosetest.Glob(t, "testdata/*.json.gz") {
		if strings.Contains(file, "udp-throttled") || strings.Contains(file, "healthy--udp") {
			continue
		}
		tried++
		if f := findings(Diagnose(load(t, file)), finding.UDPThrottled); len(f) > 0 {
			t.Errorf("%s: %s", file, f[0].Summary)
		}
	}
	if tried == 0 {
		t.Error("no record was tried")
	}
}

// Where the check had time to look outside the tunnel one way only, what UDP met
// the other way is no firm ground for a finding.
func TestThrottledOneWay(t *testing.T) {
	run := load(t, "testdata/udp-throttled--loss-wireguard.json.gz")
	run.Besides = slices.DeleteFunc(run.Besides, func(b record.Beside) bool { return b.Direction == record.Up })
	all := Diagnose(run)
	lossy := findings(all, finding.LossLimited)
	if finding.Verdict(all) != finding.UDPThrottled || len(lossy) != 1 || lossy[0].Direction != record.Up || lossy[0].Confidence > share(0.6) || !strings.Contains(lossy[0].Summary, "that is not known") {
		t.Errorf("the verdict is %s, and of the other way %+v", finding.Verdict(all), lossy)
	}
}

// Loss inside a tunnel over UDP may be UDP's alone: who did not ask outside is
// less sure. A GRE tunnel's packets are no UDP.
func TestOutsideNotAsked(t *testing.T) {
	run := load(t, "testdata/loss-limited--wireguard-up.json.gz")
	run.Besides = nil
	notAsked := share(0.85)
	for kind, most := range map[string]float64{"wireguard": notAsked, "gre": 1} {
		run.Route.Tunnel.Kind = kind
		sure := 0.0
		for _, f := range Diagnose(run) {
			if f.Cause == finding.LossLimited {
				sure = max(sure, f.Confidence)
			}
		}
		if sure == 0 || sure > most || most == 1 && sure <= notAsked {
			t.Errorf("%s: loss-limited, %.2f sure", kind, sure)
		}
	}
}

// A short test outside a tunnel may count more in its seconds than the line carries, as
// what waits behind a lost packet arrives at once. That is no tunnel held to a rate.
func TestBurstsOutsideAreNoThrottle(t *testing.T) {
	if all := findings(Diagnose(load(t, "testdata/ack-limited--outside-in-bursts-in-wireguard.json.gz")), finding.UDPThrottled); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

// Where the target may be behind the tunnel's peer, what one stream carries to the peer
// proves nothing; that UDP fares worse than TCP on the way there does.
func TestThrottledOnTheWayToAHub(t *testing.T) {
	for _, name := range []string{"tcp-outgrew-udps-loss", "losses-that-a-stream-outside-does-not-share", "where-even-udp-passes"} {
		run := load(t, "testdata/udp-throttled--"+name+".json.gz")
		run.Route.Tunnel.Target = record.PerhapsBehind
		if got := findings(Diagnose(run), finding.UDPThrottled); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	run := load(t, "testdata/udp-throttled--policer-wireguard.json.gz")
	run.Route.Tunnel.Target = record.PerhapsBehind
	if got := finding.Verdict(Diagnose(run)); got != finding.UDPThrottled {
		t.Errorf("turns prove it, and yet %s", got)
	}
}

// A fast hub does not make the path to a host behind it less healthy.
func TestHealthyBehindAFastHub(t *testing.T) {
	run := load(t, "testdata/healthy--cake-before-a-tunnel.json.gz")
	run.Besides = nil
	before := Diagnose(run)
	for _, d := range record.Directions {
		run.Besides = append(run.Besides, record.Beside{Direction: d, Outside: true, Tests: []record.BesideTest{
			{Protocol: record.TCP, Duration: 1.2, Delivered: 900e6, Packets: 90000},
			{Protocol: record.UDP, Duration: 0.8, Offered: 40e6, Delivered: 40e6, Packets: 3000},
		}})
	}
	for _, position := range []record.Position{record.AtPeer, record.PerhapsBehind} {
		run.Route.Tunnel.Target = position
		all := Diagnose(run)
		same := finding.Verdict(all) == finding.Verdict(before) && all[0].Confidence == before[0].Confidence
		if same != (position == record.PerhapsBehind) {
			t.Errorf("%s: %s, %.2f sure, before %s, %.2f", position, finding.Verdict(all), all[0].Confidence, finding.Verdict(before), before[0].Confidence)
		}
	}
}
