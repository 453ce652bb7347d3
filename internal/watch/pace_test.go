package watch

import (
	"testing"
	"time"
)

// The pace gives way to looks that take long, and comes back.
func TestPace(t *testing.T) {
	const ms = time.Millisecond
	p := pace{asked: 100 * ms, now: 100 * ms}
	for k, c := range []struct{ took, want time.Duration }{
		{60 * ms, 100 * ms},
		{10 * ms, 100 * ms},
		{60 * ms, 100 * ms},
		{60 * ms, 100 * ms}, // held up now and then
		{60 * ms, 200 * ms}, // three in a row
		{60 * ms, 200 * ms},
		{150 * ms, 200 * ms},
		{150 * ms, 200 * ms},
		{150 * ms, 400 * ms},
		{20 * ms, 400 * ms},
		{20 * ms, 400 * ms},
		{20 * ms, 100 * ms},
		{time.Minute, 100 * ms},
		{time.Minute, 100 * ms},
		{time.Minute, Longest},
		{time.Minute, Longest},
	} {
		p.took(c.took)
		if p.now != c.want {
			t.Errorf("after look %d, %v: every %v, want %v", k, c.took, p.now, c.want)
		}
		if (p.note() != "") != (p.now > p.asked) {
			t.Errorf("after look %d: note %q", k, p.note())
		}
	}
}
