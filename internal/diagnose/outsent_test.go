package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// More through the same full queue of more that we send is others' rate. A line whose
// own rate changes empties that queue in other times; one that knows no others gives
// every flood the same.
func TestOutsent(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*view)
		found  bool
	}{
		{"as it was", func(*view) {}, true},
		{"every flood gets the same", func(v *view) { v.each(func(_ int, r *rung) { r.delivered = v.capacity }) }, false},
		{"more sent brought less", func(v *view) { v.each(func(_ int, r *rung) { r.delivered = 9e14 / r.sent }) }, false},
		{"queues of other lengths", func(v *view) { v.each(func(i int, r *rung) { r.own *= float64(i + 1) }) }, false},
		{"queues of no length", func(v *view) { v.each(func(_ int, r *rung) { r.own = 0.001 }) }, false},
		{"nothing is lost", func(v *view) { v.each(func(_ int, r *rung) { r.lost = 0 }) }, false},
		{"the stream has as much", func(v *view) { v.rate = 0.8 * v.capacity }, false},
	} {
		v := newView(load(t, "testdata/congested--cameras-send-at-one-rate.json.gz"), record.Down)
		c.change(v)
		if least, most, found := v.outsent(); found != c.found {
			t.Errorf("%s: %v (%g to %g bit/s)", c.what, found, least, most)
		}
	}
}

func (v *view) each(change func(int, *rung)) {
	for i := range v.rungs {
		change(i, &v.rungs[i])
	}
}
