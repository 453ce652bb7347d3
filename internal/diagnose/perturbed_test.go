package diagnose

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// No lab path has all that a network or a firewall does. Checks are changed here as if they
// had met it: what is then said wrongly is not said surely.
func TestPerturbed(t *testing.T) {
	for name, perturb := range map[string]func(*record.Run) bool{
		"the RTT becomes shorter before anything is sent": becomesShorter,
		"nobody answers the first probes":                 leaveFirstUnanswered,
		"no UDP comes through":                            blockUDP,
		"each flow is held to a rate":                     holdEachFlow,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := 0
			for i, file := range diagnosetest.Glob(t, "testdata/*.json.gz") {
				if i%7 != 0 {
					continue
				}
				run := load(t, file)
				want, _, _ := strings.Cut(filepath.Base(file), "--")
				if run.Flow != nil || run.Fetch != nil || !perturb(run) {
					continue
				}
				run.Predicted = nil
				said++
				f := Diagnose(run)
				if len(f) == 0 || string(f[0].Cause) == want || f[0].Cause == finding.Bufferbloat { // whose queue was measured
					continue
				}
				if f[0].Confidence >= 0.9 {
					t.Errorf("%s: %s, %.2f sure: %s", filepath.Base(file), f[0].Cause, f[0].Confidence, f[0].Summary)
				}
			}
			t.Logf("%d checks", said)
			if said < 5 {
				t.Errorf("only %d checks", said)
			}
		})
	}
}

// becomesShorter makes the RTT of the first probes longer by 8 ms, where it hardly varies and
// probes between the tests tell that it is shorter since.
func becomesShorter(r *record.Run) bool {
	idle, rested := r.Echo("idle"), 0
	for _, e := range r.Echoes {
		if strings.HasPrefix(e.Name, "rest-") {
			rested += seen.Spread(&e).N
		}
	}
	if idle == nil || rested < 50 || seen.Spread(idle).Dev > 0.001 {
		return false
	}
	for i := range idle.Probes {
		if p := &idle.Probes[i]; p.RTT > 0 {
			p.RTT += 0.008
		}
	}
	return true
}

func leaveFirstUnanswered(r *record.Run) bool {
	idle := r.Echo("idle")
	if idle == nil || len(seen.RTTs(idle, 0, math.Inf(1))) == 0 {
		return false
	}
	for i := range idle.Probes {
		idle.Probes[i].RTT, idle.Probes[i].Order = 0, 0
	}
	return true
}

func blockUDP(r *record.Run) bool {
	sent := false
	for i := range r.Transfers {
		x := &r.Transfers[i]
		if u := x.UDP; u != nil {
			sent = true
			x.Rate = 0
			x.UDP = &record.Rung{Offered: u.Offered, Sent: u.Sent, Payload: u.Payload, Packets: u.Packets, Lost: u.Packets, Reordered: -1}
		}
	}
	r.Arrivals, r.Besides = nil, nil
	return sent
}

func holdEachFlow(r *record.Run) bool {
	held := false
	r.Arrivals = nil
	for i := range r.Transfers {
		eight := &r.Transfers[i]
		for _, one := range r.Transfers {
			if eight.Protocol == record.TCP && eight.Streams > 1 && one.Direction == eight.Direction && one.Protocol == record.TCP && one.Streams == 1 {
				held = true
				eight.Rate, eight.SteadyRate = 8*one.SteadyRate, 8*one.SteadyRate
			}
		}
	}
	return held
}
