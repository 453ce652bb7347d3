package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// A bucket is used up where packets are dropped that had come through before, and
// none waits.
func TestEmptiedBucket(t *testing.T) {
	const file = "testdata/policed--a-bucket-of-megabytes.json.gz"
	for what, c := range map[string]struct {
		change func(*rung)
		want   bool
	}{
		"as it was":             {func(*rung) {}, true},
		"a queue stood":         {func(r *rung) { r.rise = 0.02 }, false},
		"the packets waited":    {func(r *rung) { r.own = 0.02 }, false},
		"nobody knows":          {func(r *rung) { r.risen = false }, false},
		"few were lost":         {func(r *rung) { r.lost = r.packets / 10 }, false},
		"nothing ran before it": {func(r *rung) { r.start = 0 }, false},
	} {
		v := newView(load(t, file), record.Down)
		v.eight = nil // as little as they carry would tell as well
		for i := range v.rungs {
			if r := &v.rungs[i]; r.loss() > usedUp {
				c.change(r)
			}
		}
		if whole, dropped, found := v.emptiedBucket(); found != c.want {
			t.Errorf("%s: %v, %+v, %+v", what, found, whole, dropped)
		}
	}
}

// Where eight streams have no more than one, a rung that lost a little and a faster one
// that lost nothing tell of a bucket, whichever came first, and not of random loss.
// Where eight have several times as much, each is held by loss of its own.
func TestEmptiedAlike(t *testing.T) {
	v := newView(load(t, "testdata/policed--a-bucket-that-fills-up-again.json.gz"), record.Down)
	_, _, emptied := v.emptiedBucket()
	if _, held := v.lossHolds(); !v.alike() || !emptied || held {
		t.Fatal(v)
	}
	v.eight.SteadyRate *= 1.9
	_, _, emptied = v.emptiedBucket()
	if _, held := v.lossHolds(); v.alike() || emptied || !held {
		t.Error("eight streams have twice as much", v)
	}
}
