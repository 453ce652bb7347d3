package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// More through the same full queue of more that we send is others' rate. A line whose
// own rate changes empties that queue in other times; one that knows no others gives
// every flood the same.
func TestOutsent(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*View)
		found  bool
	}{
		{"as it was", func(*View) {}, true},
		{"every flood gets the same", func(v *View) { v.each(func(_ int, r *seen.Rung) { r.Delivered = v.Capacity }) }, false},
		{"more sent brought less", func(v *View) { v.each(func(_ int, r *seen.Rung) { r.Delivered = 9e14 / r.Sent }) }, false},
		{"queues of other lengths", func(v *View) {
			v.each(func(i int, r *seen.Rung) { r.Own *= float64(i + 1); r.OwnMost *= float64(i + 1) })
		}, false},
		{"queues of no length", func(v *View) { v.each(func(_ int, r *seen.Rung) { r.Own, r.OwnMost = 0.0001, 0.0001 }) }, false},
		{"nothing is lost", func(v *View) { v.each(func(_ int, r *seen.Rung) { r.Lost = 0 }) }, false},
		{"delays that move a rung's ends", func(v *View) { v.Idle.Dev = 0.4 * v.Rungs[len(v.Rungs)-1].Duration }, false},
		{"what came of the fastest came after its end", func(v *View) {
			v.each(func(_ int, r *seen.Rung) { r.Timed, r.Risen, r.Rise = false, true, r.Filled() })
			v.Rungs[len(v.Rungs)-1].Duration = v.Rungs[len(v.Rungs)-1].Filled()
		}, false},
		{"packets overtake each other", func(v *View) { v.Strays, v.Losses.ReordSeen = seen.Proportion{K: 5, N: 500}, 9 }, false},
		{"the stream has as much", func(v *View) { v.Rate = 0.8 * v.Capacity }, false},
	} {
		v := Of(load(t, "testdata/congested--cameras-send-at-one-rate.json.gz"), record.Down)
		c.change(v)
		if least, most, found := v.outsent(); found != c.found {
			t.Errorf("%s: %v (%g to %g bit/s)", c.what, found, least, most)
		}
	}
}

func (v *View) each(change func(int, *seen.Rung)) {
	for i := range v.Rungs {
		change(i, &v.Rungs[i])
	}
}

// Where this host times the packets and the delay is constant, a few hundredths more
// tell as much. A queue that takes as much less time is a faster line's.
func TestOutsentByLittle(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*View)
		found  bool
	}{
		{"as it was", func(*View) {}, true},
		{"a delay that varies", func(v *View) { v.Idle.Dev = 0.02 * v.Idle.Mid }, false},
		{"a line as much faster", func(v *View) { v.each(func(_ int, r *seen.Rung) { r.Own *= 33e6 / r.Delivered }) }, false},
		{"packets that nobody timed", func(v *View) { v.each(func(_ int, r *seen.Rung) { r.Timed = false }) }, false},
	} {
		v := Of(load(t, "testdata/congested--udp-at-one-rate-beside-outages.json.gz"), record.Down)
		c.change(v)
		if least, most, found := v.outsent(); found != c.found {
			t.Errorf("%s: %v (%g to %g bit/s)", c.what, found, least, most)
		}
	}
}
