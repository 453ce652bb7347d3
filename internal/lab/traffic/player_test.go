package traffic

import (
	"testing"
	"time"
)

func TestPlayer(t *testing.T) {
	const s = time.Second
	p := player{chunk: 4 * s}
	for _, c := range []struct{ at, ask, stalled time.Duration }{
		{2 * s, 2 * s, 0},       // plays 2…6 s; room for two more
		{3 * s, 3 * s, 0},       // …10 s
		{4 * s, 6 * s, 0},       // …14 s: three chunks, so not before the first is played
		{17 * s, 17 * s, 3 * s}, // out at 14 s, back at 17 s
		{22 * s, 22 * s, 4 * s}, // out at 21 s
		{23 * s, 23 * s, 4 * s}, // …30 s
		{24 * s, 26 * s, 4 * s}, // …34 s
	} {
		if ask := p.take(c.at); ask != c.ask || p.stalled != c.stalled {
			t.Errorf("a chunk at %v: asks at %v, stalled for %v; want %v and %v", c.at, ask, p.stalled, c.ask, c.stalled)
		}
	}
	for end, want := range map[time.Duration]time.Duration{30 * s: 4 * s, 34 * s: 4 * s, 36 * s: 6 * s} {
		if got := p.stalledUntil(end); got != want {
			t.Errorf("until %v: stalled for %v, want %v", end, got, want)
		}
	}
	if got := (&player{chunk: 4 * s}).stalledUntil(9 * s); got != 0 {
		t.Errorf("before the first chunk: stalled for %v; the start is left out", got)
	}
}
