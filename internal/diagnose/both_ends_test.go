package diagnose

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// turned is the record of a check as the other host would have made it, had that
// one been told what this one saw: uploads become downloads whose sender is the
// far host.
func turned(r *record.Run) *record.Run {
	out := diagnosetest.Clone(r)
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
	const enough = 6
	compared := 0
	for _, file := range diagnosetest.Glob(t, "testdata/*.json.gz") {
		if compared == enough {
			return
		}
		run := load(t, file)
		up := view.Of(run, record.Up)
		if up == nil || len(run.Arrivals) > 0 || run.Route.Tunnel.There() || len(run.Predicted) > 0 || view.Of(run, record.Down) == nil {
			continue // what an upload alone is told, what depends on the way back
		}
		down := view.Of(turned(run), record.Down)
		if down == nil {
			t.Fatalf("%s: nothing is seen of it", file)
		}
		compared++
		if down.Limits.Inferred {
			t.Errorf("%s: the sender's limits are inferred", file)
		}
		waitsUp, _, _ := up.Wait()
		waitsDown, _, _ := down.Wait()
		if up.Limits.Limits != down.Limits.Limits || up.Losses != down.Losses || waitsUp != waitsDown {
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
	turnedRound := 0
	for _, file := range diagnosetest.Glob(t, "testdata/cpu-bound--*.json.gz") {
		run := load(t, file)
		if !slices.ContainsFunc(Diagnose(run), func(f finding.Finding) bool {
			return f.Cause == finding.CPUBound && f.Direction == record.Up
		}) {
			continue
		}
		turnedRound++
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
	if turnedRound == 0 {
		t.Error("no record has an upload that a processor limits")
	}
}

// A stream that fills this host's own shaper is healthy, and what to do if the line is
// faster is said: one that was set for a slower line cannot be told from a right one.
func TestFillsTheOwnShaper(t *testing.T) {
	for _, f := range Diagnose(load(t, "testdata/healthy--htb-fq-codel-on-the-own-egress.json.gz")) {
		told := strings.Contains(f.Summary, "raise the shaper's rate there (tc qdisc show dev eth0)")
		if f.Cause != finding.Healthy || told != (f.Direction == record.Up) {
			t.Errorf("%s %s: %s", f.Cause, f.Direction, f.Summary)
		}
	}
}
