package trial

import (
	"strings"
	"testing"
	"time"
)

func TestChoose(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, c := range []struct {
		name                  string
		duration, omit, pause time.Duration
		rtt                   time.Duration
		want                  Timing
	}{
		{"a LAN", Auto, Auto, Auto, ms, Timing{6 * s, 1 * s, 100 * ms}},
		{"across a country", Auto, Auto, Auto, 50 * ms, Timing{6 * s, 1 * s, 150 * ms}},
		{"across an ocean", Auto, Auto, Auto, 167 * ms, Timing{8 * s, 3 * s, 501 * ms}},
		{"by satellite", Auto, Auto, Auto, 600 * ms, Timing{28 * s, 10 * s, 1800 * ms}},
		{"no RTT known", Auto, Auto, Auto, 0, Timing{6 * s, 1 * s, 100 * ms}},
		{"all asked for", 10 * s, 2 * s, s, 50 * ms, Timing{10 * s, 2 * s, s}},
		{"half a second to omit", Auto, 500 * ms, Auto, ms, Timing{6 * s, 1 * s, 100 * ms}},
		{"nothing to omit", Auto, 0, 0, ms, Timing{5 * s, 0, 0}},
		{"short trials", 3 * s, Auto, Auto, 300 * ms, Timing{3 * s, 2 * s, 900 * ms}},
		{"two and a half", 2500 * ms, Auto, Auto, 300 * ms, Timing{2500 * ms, s, 900 * ms}},
		{"too short", s, Auto, Auto, ms, Timing{2 * s, 1 * s, 100 * ms}},
	} {
		if got := choose(Options{Duration: c.duration, Omit: c.omit, Pause: c.pause}, c.rtt); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Trials that take longer than was asked for say so.
func TestLonger(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		duration, omit time.Duration
		want           string
	}{
		{Auto, Auto, ""},
		{6 * s, Auto, ""},
		{2 * s, Auto, ""},
		{s, 0, ""},
		{s, Auto, "trials take 2s instead of 1s: 1s are dropped as slow start (--omit), and at least 1s counts"},
		{s / 2, 0, "trials take 1s instead of 500ms: 0s are dropped"},
		{2500 * time.Millisecond, 2 * s, "trials take 3s instead of 2.5s"},
	} {
		got := choose(Options{Duration: c.duration, Omit: c.omit, Pause: Auto}, time.Millisecond).longer(c.duration)
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v, of which %v are dropped: %q, want %q", c.duration, c.omit, got, c.want)
		}
	}
}
