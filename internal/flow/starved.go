package flow

import (
	"fmt"
	"math"

	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// Unloaded are the echo probes of a run that were sent before its first stream began,
// whatever series they are of.
func Unloaded(r *record.Run) []record.Probe {
	first := math.Inf(1)
	for _, t := range r.Transfers {
		first = min(first, t.Started)
	}
	var out []record.Probe
	for _, e := range r.Echoes {
		for _, p := range e.Probes {
			if e.Started+p.At < first {
				out = append(out, p)
			}
		}
	}
	return out
}

// Starved says, in words, how echo probes on a path that nothing else is sent on show
// that TCP opens its connections there in vain: most of them get no answer, or the queue
// that they wait in fills for a second and more. A path that answers none may just not
// answer echo probes.
func Starved(unloaded []record.Probe) (how string, starved bool) {
	rtts := record.RTTs(unloaded)
	all, answered := len(unloaded), len(rtts)
	if all < fewestProbes || answered == 0 {
		return "", false
	}
	if lost := all - answered; float64(lost) >= mostLost*float64(all) {
		return fmt.Sprintf("%d of %d echo probes were lost", lost, all), true
	}
	q := stats.Quantiles(rtts, 0, 0.9)
	if least, high := q[0], q[1]; high-least >= longFilling && high >= fills*least {
		return fmt.Sprintf("the RTT of %d echo probes went from %s to %s", all, unit.HumanTime(least), unit.HumanTime(high)), true
	}
	return "", false
}

const (
	// fewestProbes tell a half from a fifth.
	fewestProbes = 20
	// mostLost: TCP that loses half of its packets opens connections in vain.
	mostLost = 0.5
	// longFilling, in seconds, is as long as the first timeout of a connection that
	// opens (RFC 6298 §2.1); no path doubles its RTT by so much with nothing in its queue.
	longFilling = 1.0
	fills       = 2.0 // times the least RTT
)
