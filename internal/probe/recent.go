package probe

import (
	"slices"
	"time"

	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// recent looks at the last n probes that had time to come back, and tells the
// share that did not and how far the others' median stood above the idle RTT.
// An answer that is late counts as lost: it stands in a queue or is gone, and
// either way the path is full.
func (r *running) recent(n int, idle time.Duration) (lost float64, rise time.Duration) {
	due := due(r.series.Snapshot(), 1.5*idle.Seconds())
	due = due[max(len(due)-n, 0):]
	return shareLost(due), riseOf(due, idle)
}

// due are the probes that had so many seconds to come back.
func due(probes []record.Probe, wait float64) []record.Probe {
	if len(probes) == 0 {
		return nil
	}
	now := probes[len(probes)-1].At
	for len(probes) > 0 && probes[len(probes)-1].At > now-wait {
		probes = probes[:len(probes)-1]
	}
	return probes
}

// rising says that the delay of the last quarter of so long a time stands
// above that of the quarter before it: a queue is still filling.
func (r *running) rising(elapsed time.Duration) bool {
	if r == nil {
		return false
	}
	probes := r.series.Snapshot()
	now := probes[len(probes)-1].At
	from := func(share float64) int {
		return slices.IndexFunc(probes, func(p record.Probe) bool { return p.At >= now-share*elapsed.Seconds() })
	}
	return rising(probes[from(0.5):from(0.25)], probes[from(0.25):])
}

func rising(before, after []record.Probe) bool {
	a, b := riseOf(before, 0), riseOf(after, 0)
	return a > 0 && b > a+max(a/20, time.Millisecond)
}

func shareLost(probes []record.Probe) float64 {
	if len(probes) == 0 {
		return 0
	}
	missing := 0
	for _, p := range probes {
		if p.RTT == 0 {
			missing++
		}
	}
	return float64(missing) / float64(len(probes))
}

func riseOf(probes []record.Probe, idle time.Duration) time.Duration {
	rtts := record.RTTs(probes)
	if len(rtts) == 0 {
		return 0
	}
	return time.Duration(stats.Median(rtts)*float64(time.Second)) - idle
}
