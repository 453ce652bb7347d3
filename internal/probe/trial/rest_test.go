package trial

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"unchoke/internal/record"
)

// probesOf are probes 20 ms apart with these round trips in ms; 0 is none.
func probesOf(rtts ...float64) []record.Probe {
	var all []record.Probe
	for i, rtt := range rtts {
		all = append(all, record.Probe{At: 0.02 * float64(i), RTT: rtt / 1000})
	}
	return all
}

func TestRecent(t *testing.T) {
	idle := calm{median: 20 * time.Millisecond, high: 22 * time.Millisecond}
	for _, c := range []struct {
		name   string
		probes []record.Probe
		want   float64 // ms
	}{
		{"none sent", nil, 0},
		{"none due", probesOf(0, 0), 0},
		{"two of five", probesOf(20, 0, 0, 0, 21, 0, 0), 0},
		{"the last two are still on their way", probesOf(90, 80, 70, 60, 50, 0, 0), 70},
		{"drained", probesOf(900, 900, 20, 21, 20, 20, 500, 0, 0), 20},
		{"one lost", probesOf(20, 0, 21, 23, 20, 0, 0), 20.5},
	} {
		if got := recent(c.probes, idle).Seconds() * 1000; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %g ms, want %g", c.name, got, c.want)
		}
	}
}

// What a try left in a queue is no part of the calm.
func TestSettle(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name  string
		highs []time.Duration // of the windows, one after the other
		want  time.Duration
		looks int
	}{
		{"calm", []time.Duration{20 * ms, 21 * ms}, 20 * ms, 2},
		{"a queue that drains", []time.Duration{900 * ms, 400 * ms, 21 * ms, 20 * ms}, 20 * ms, 4},
		{"others who come", []time.Duration{20 * ms, 300 * ms}, 20 * ms, 2},
		{"no answers", []time.Duration{0}, 0, 1},
		{"no more answers", []time.Duration{20 * ms, 0}, 20 * ms, 2},
	} {
		looks := 0
		got, err := settle(func() (calm, error) {
			looks++
			return calm{c.highs[looks-1], c.highs[looks-1]}, nil
		})
		if err != nil || got.high != c.want || looks != c.looks {
			t.Errorf("%s: %v after %d looks, %v; want %v after %d", c.name, got.high, looks, err, c.want, c.looks)
		}
	}
	why := errors.New("enough")
	if _, err := settle(func() (calm, error) { return calm{}, why }); !errors.Is(err, why) {
		t.Errorf("interrupted: %v", err)
	}
}

// Without probes, and without a known calm, only the pause passes.
func TestAwaitWithoutProbes(t *testing.T) {
	start := time.Now()
	restless, err := (&probes{}).await(context.Background(), calm{}, 10*time.Millisecond)
	if took := time.Since(start); err != nil || restless != "" || took < 10*time.Millisecond || took > restLimit/2 {
		t.Errorf("%q, %v after %v", restless, err, took)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, err := (&probes{}).await(ctx, calm{}, time.Minute); !errors.Is(err, why) {
		t.Errorf("interrupted: %v", err)
	}
}
