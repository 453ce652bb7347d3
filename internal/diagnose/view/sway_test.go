package view

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// Both RTTs move slowly: the one by others' queues, the other by itself.
func TestWhatMovesTheRTT(t *testing.T) {
	others := Of(load(t, "testdata/congested--beside-a-deep-queue-in-wireguard.json.gz"), record.Up)
	if !others.Moves() || others.Jittery() || !others.stirs() {
		t.Errorf("others' queues: moves %v, jittery %v, stirs %v", others.Moves(), others.Jittery(), others.stirs())
	}
	cubic := Of(load(t, "testdata/congested--one-cubic-that-creeps-by-an-eighth.json.gz"), record.Down)
	if !cubic.Creeps() || !cubic.stirred() || cubic.Idle.Dev < JitterOfRTT*cubic.Idle.Mid {
		t.Errorf("one CUBIC stream of others: creeps %v, stirred %v, ±%.3g s of %.3g", cubic.Creeps(), cubic.stirred(), cubic.Idle.Dev, cubic.Idle.Mid)
	}
	for i := range cubic.Run.Echo("idle").Probes[:20] { // a handover on a path that is as slow to change
		cubic.Run.Echo("idle").Probes[i].RTT += 0.1
	}
	if jumps := Of(cubic.Run, record.Down); jumps.Creeps() {
		t.Error("a jump of the delay creeps")
	}
	jitter := Of(load(t, "testdata/shallow-buffer--jitter-that-moves-as-a-queue.json.gz"), record.Down)
	if !jitter.Moves() || !jitter.Jittery() || jitter.stirs() || jitter.sways() || jitter.Creeps() {
		t.Errorf("jitter: moves %v, jittery %v, stirs %v, sways %v", jitter.Moves(), jitter.Jittery(), jitter.stirs(), jitter.sways())
	}
}

// No jitter that keeps the order moves an RTT as slowly as a queue creeps, in either
// direction or in both: at most one in two hundred series of 76 probes does.
func TestJitterDoesNotCreep(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	kinds := map[string]func(sigma float64) float64{
		"normal":  func(sigma float64) float64 { return max(0, sigma*(3+r.NormFloat64())) },
		"uniform": func(sigma float64) float64 { return sigma * math.Sqrt(12) * r.Float64() },
		"pareto":  func(sigma float64) float64 { return sigma * math.Pow(1-r.Float64(), -1.0/3) },
	}
	const probes, series = 76, 600
	for kind, delay := range kinds {
		for _, sigma := range []float64{0.05, 0.2, 0.5, 1, 2, 3, 5, 12} { // in distances of two probes
			slow := 0
			for i := range series {
				all := make([]record.Probe, probes)
				for range 1 + i%2 { // one direction's delay varies, or that of both
					last := 0.0
					for j := range all {
						last = max(last, float64(j)+delay(sigma))
						all[j].At, all[j].RTT = float64(j), all[j].RTT+last-float64(j)
					}
				}
				rtt := make([]float64, probes)
				for j, p := range all {
					rtt[j] = p.RTT
				}
				if creeps(all, flow.SpreadOf(rtt), stats.VonNeumann(rtt)) {
					slow++
				}
			}
			if slow > series/200 {
				t.Errorf("%s, σ of %v distances: %d of %d series creep", kind, sigma, slow, series)
			}
		}
	}
}

// A queue that empties at once where others pause, and fills again by small steps, is a
// queue; a step that stays is a handover.
func TestEmptiesAtOnce(t *testing.T) {
	saw, step := make([]record.Probe, 76), make([]record.Probe, 76)
	for i := range saw {
		at := 0.02 * float64(i)
		saw[i] = record.Probe{At: at, RTT: 0.05 + 0.0005*float64(i%38)}
		step[i] = record.Probe{At: at, RTT: 0.05 + 0.015*float64(i/38)}
	}
	for _, c := range []struct {
		name   string
		series []record.Probe
		want   bool
	}{{"sawtooth", saw, true}, {"step up", step, false}, {"step down", reversed(step), false}} {
		rtt := make([]float64, len(c.series))
		for i, p := range c.series {
			rtt[i] = p.RTT
		}
		if got := creeps(c.series, flow.SpreadOf(rtt), stats.VonNeumann(rtt)); got != c.want {
			t.Errorf("%s: creeps %v", c.name, got)
		}
	}
}

// reversed is a series with its RTTs in the opposite order.
func reversed(all []record.Probe) []record.Probe {
	out := slices.Clone(all)
	for i := range out {
		out[i].RTT = all[len(all)-1-i].RTT
	}
	return out
}
