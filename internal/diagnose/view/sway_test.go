package view

import (
	"math"
	"math/rand/v2"
	"testing"

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

// No jitter that keeps the order moves an RTT as slowly as a queue creeps: of series of
// 76 probes whose standard deviation is below creepingProbes distances of two, at most
// one in a hundred has a ratio as small.
func TestJitterDoesNotCreep(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	kinds := map[string]func(sigma float64) float64{
		"normal":  func(sigma float64) float64 { return max(0, sigma*(3+r.NormFloat64())) },
		"uniform": func(sigma float64) float64 { return sigma * math.Sqrt(12) * r.Float64() },
		"pareto":  func(sigma float64) float64 { return sigma * math.Pow(1-r.Float64(), -1.0/3) },
	}
	const probes, series = 76, 500
	for kind, delay := range kinds {
		for _, sigma := range []float64{0.5, 1, 2, 3, 5} { // in distances of two probes
			few, slow := 0, 0
			for range series {
				all, last := make([]float64, probes), 0.0
				for i := range all {
					last = max(last, float64(i)+delay(sigma))
					all[i] = last - float64(i)
				}
				if stats.SD(all) > creepingProbes {
					continue
				}
				few++
				if stats.VonNeumann(all) < creeping {
					slow++
				}
			}
			if float64(slow) > 0.01*float64(max(few, 100)) {
				t.Errorf("%s, σ of %v distances: %d of %d series creep", kind, sigma, slow, few)
			}
		}
	}
}
