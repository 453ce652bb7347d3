package view

import (
	"math"
	"slices"
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// A rung that came through whole and waited for nothing, faster than what the path is
// taken to carry, tells of a rate that changes.
func TestPassedFaster(t *testing.T) {
	v := Of(load(t, "testdata/healthy--one-bdp-of-queue.json.gz"), record.Up)
	if v.PassedFaster() != 0 {
		t.Fatal(v.PassedFaster())
	}
	gentle := &v.Rungs[0]
	gentle.Delivered = 1.3 * v.Capacity
	if v.PassedFaster() != gentle.Delivered {
		t.Error("a faster rung is not seen")
	}
	gentle.Rise = v.Idle.Mid
	if v.PassedFaster() != 0 {
		t.Error("what stands in a queue has not come through")
	}
}

// Where others stand in the queue eight streams may get more than a flood of UDP does:
// the path carries that much. Where nobody does, what eight streams had for a moment
// is no rate.
func TestCapacityBesideOthers(t *testing.T) {
	v := Of(load(t, "testdata/congested--eight-streams-get-more-than-udp.json.gz"), record.Up)
	top, _ := v.Ceiling()
	v.Eight.Rate, v.Eight.SteadyRate = 1.1*fairGain*top, 1.1*fairGain*top
	if v.pathCapacity() != v.Eight.SteadyRate {
		t.Fatal(v)
	}
	v.smoothness = 2
	if v.pathCapacity() != top {
		t.Error("without others", v.pathCapacity())
	}
}

// A rung that brought less than half of what one stream had met drops of its own, as of
// an AQM that a flood provoked: the others tell what the path carries. Where none
// brought more, they are what it carries.
func TestCeilingWithoutOutliers(t *testing.T) {
	v := Of(load(t, "testdata/healthy--one-bdp-of-queue.json.gz"), record.Up)
	over := v.Overloads()
	top, _ := v.Ceiling()
	if len(over) < 2 || top < v.Rate/2 {
		t.Fatal(len(over), top, v.Rate)
	}
	v.each(func(_ int, r *seen.Rung) {
		if r.Sent == over[0].Sent {
			r.Duration, r.Delivered = 2*r.Duration, v.Rate/10
		}
	})
	if got, found := v.Ceiling(); !found || got < v.Rate/2 {
		t.Errorf("%v of %v", got, top)
	}
	v.each(func(_ int, r *seen.Rung) { r.Delivered = min(r.Delivered, v.Rate/10) })
	if got, found := v.Ceiling(); !found || got != v.Rate/10 {
		t.Errorf("%v, found %v", got, found)
	}
}

// Of a lone overload up, whose packets are counted whenever they come, the queue that it
// left behind brought a part. Of several the first filled the queue for all.
func TestCeilingOfALoneOverload(t *testing.T) {
	v := Of(load(t, "testdata/healthy--one-bdp-of-queue.json.gz"), record.Up)
	over := v.Overloads()
	lone := over[len(over)-1]
	lone.Rise, lone.Risen = lone.Duration/4, true
	gentle := v.Rungs[:len(v.Rungs)-len(over)]
	v.Rungs = append(slices.Clone(gentle), lone)
	if top, found := v.Ceiling(); !found || math.Abs(top-0.8*lone.Delivered) > 1 {
		t.Errorf("%g of %g, found %v", top, lone.Delivered, found)
	}
	v.Rungs = append(slices.Clone(gentle), lone, lone)
	if top, _ := v.Ceiling(); top != lone.Delivered {
		t.Errorf("of two %g, not %g", top, lone.Delivered)
	}
}

// Runs of losses are those of the rungs below the ceiling, however many of a short one are
// lost in a long burst.
func TestBaseRuns(t *testing.T) {
	below := seen.Rung{Sent: 2e6, Delivered: 2e6, Packets: 1000, Lost: 8, InRuns: 8, Runs: 2}
	long := seen.Rung{Sent: 1e6, Delivered: 0.86e6, Packets: 100, Lost: 14, InRuns: 14, Runs: 1}
	above := seen.Rung{Sent: 10.5e6, Delivered: 9.8e6, Packets: 1000, Lost: 60, InRuns: 60, Runs: 55}
	own := below
	own.OwnDrops = 8
	for name, c := range map[string]struct {
		rungs      []seen.Rung
		lost, runs int64
	}{
		"below the ceiling":      {[]seen.Rung{below}, 8, 2},
		"just above it":          {[]seen.Rung{below, above}, 8, 2},
		"one burst of many":      {[]seen.Rung{long}, 14, 1},
		"by the own queue":       {[]seen.Rung{own}, 0, 0},
		"nothing was sent so":    {[]seen.Rung{above}, 0, 0},
		"nobody saw their order": {[]seen.Rung{{Sent: 2e6, Delivered: 2e6, Packets: 1000, Lost: 8}}, 0, 0},
	} {
		v := &View{Capacity: 10e6, Rungs: c.rungs}
		if lost, runs := v.BaseRuns(); lost != c.lost || runs != c.runs {
			t.Errorf("%s: %d lost in %d runs, want %d in %d", name, lost, runs, c.lost, c.runs)
		}
	}
}
