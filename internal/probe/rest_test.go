package probe

import (
	"testing"
	"time"

	"unchoke/internal/record"
)

// A full queue drops the first packet of the next test's connection.
func TestNextTestWaitsForTheQueue(t *testing.T) {
	const ms = time.Millisecond
	probe := func(at, rtt float64) record.Probe { return record.Probe{At: at, RTT: rtt} }
	tests := map[string]struct {
		rest   rest
		probes []record.Probe
		now    time.Duration // since the check began; the series began at 1 s, the test ended at 3 s
		want   time.Duration
	}{
		"a queue of 200 ms at the end":      {rest{high: 25 * ms}, []record.Probe{probe(0.1, 0.025), probe(1.9, 0.225)}, 3 * time.Second, 200 * ms},
		"half of it has emptied":            {rest{high: 25 * ms}, []record.Probe{probe(1.9, 0.225)}, 3100 * ms, 100 * ms},
		"it has emptied":                    {rest{high: 25 * ms}, []record.Probe{probe(1.9, 0.225)}, 4 * time.Second, -800 * ms},
		"a probe after the end waited less": {rest{high: 25 * ms}, []record.Probe{probe(1.9, 0.225), probe(2.1, 0.125)}, 3100 * ms, 100 * ms},
		"the last one was lost":             {rest{high: 25 * ms}, []record.Probe{probe(1.9, 0.225), probe(1.95, 0)}, 3 * time.Second, 200 * ms},
		"no probe was answered":             {rest{high: 25 * ms}, []record.Probe{probe(1.9, 0)}, 3 * time.Second, -3 * time.Second},
		"a queue of a minute":               {rest{high: 25 * ms}, []record.Probe{probe(1.9, 60)}, 3 * time.Second, restLimit},
		"others fill it":                    {rest{high: 25 * ms, restless: true}, []record.Probe{probe(1.9, 0.225)}, 3 * time.Second, 0},
		"the path without load is unknown":  {rest{}, []record.Probe{probe(1.9, 0.225)}, 3 * time.Second, 0},
	}
	for name, test := range tests {
		c := checker{rest: test.rest}
		c.empty = c.rest.emptyAt(record.Echo{Started: 1, Probes: test.probes}, 2)
		if got := c.queued(test.now).Round(ms); got != test.want {
			t.Errorf("%s: waits %v, want %v", name, got, test.want)
		}
	}
}
