package truth

import (
	"context"
	"math"

	"unchoke/internal/tools/diagnosis/draw"
)

// Seeds are how many runs a figure that is not clear at once is the median of.
const Seeds = 3

// Gains of a single run below or above these are clear at once: seeds move a
// rate by a fifth.
const (
	clearlyNot = 1.05
	clearly    = 2.0
)

// seedStep is between the lab's seeds of two runs.
const seedStep = 1_000_000

// instantStep is between the instants of a path's schedule at which two runs begin, in
// seconds: near a third of what a handover takes to come again, 4 to 6 s, and no divisor
// of the whole seconds that schedules repeat after.
const instantStep = 1.7

// goodput is the largest share of a link's rate that can be payload: a full
// frame of 1514 bytes has at most 1448 of it.
const goodput = 0.96

// judge finds out about one path.
type judge struct {
	runner  Runner
	most    int // seconds that count of a run
	draw    draw.Draw
	series  map[key]*series
	glanced map[key]*series
	truth   Truth
}

type key struct {
	scene string
	way   draw.Direction
}

// series is the runs of a scene in a direction, one a seed.
type series struct {
	scene draw.Scene
	way   draw.Direction
	runs  []Run
}

// Find runs what must be run to know the truth of a draw's path. Of a run at
// most so many seconds count.
func Find(ctx context.Context, r Runner, seconds int, d draw.Draw) (Truth, error) {
	return FindIn(ctx, r, seconds, d, draw.Both)
}

// FindIn is Find in these directions alone.
func FindIn(ctx context.Context, r Runner, seconds int, d draw.Draw, ways []draw.Direction) (Truth, error) {
	j := &judge{runner: r, most: seconds, draw: d, series: map[key]*series{}, glanced: map[key]*series{}, truth: Truth{Seen: map[draw.Direction]Seen{}}}
	for _, way := range ways {
		if err := j.direction(ctx, way); err != nil {
			return Truth{}, err
		}
	}
	return j.truth, nil
}

// bound is what no change of the path can exceed as a gain.
func (j *judge) bound(way draw.Direction, base *series) float64 {
	return j.draw.Capacity[way] * goodput / max(base.rate(), 1)
}

// of is the series of a scene with at least n runs. On a path that changes with time
// the instant at which a run begins may decide: there it has all of them.
func (j *judge) of(ctx context.Context, s draw.Scene, way draw.Direction, n int) (*series, error) {
	k := key{s.Command(0, ""), way}
	if j.series[k] == nil {
		j.series[k] = &series{scene: s, way: way}
	}
	x := j.series[k]
	if j.draw.Scheduled {
		n = Seeds
	}
	for len(x.runs) < n {
		seed, p := begins(j.draw, len(x.runs), j.plan(way))
		run, err := j.runner.Run(ctx, s, seed, way, p)
		if err != nil {
			return nil, err
		}
		x.runs = append(x.runs, run)
	}
	return x, nil
}

// begins is with which seed of the lab the i-th run on a draw's path begins, and when: on
// a path that changes with time at another instant each.
func begins(d draw.Draw, i int, p Seconds) (seed uint64, at Seconds) {
	if d.Scheduled {
		p.Wait = float64(i) * instantStep
	}
	return d.Lab + uint64(i)*seedStep, p
}

// plan is how long the runs of a direction take. The first seconds, a dozen
// round trips, are for slow start. Then CUBIC takes K = ∛(W·(1-β)/C) seconds to
// grow back to the window W that fills the path (RFC 9438 §4.2), and four of
// those are counted, at least twelve seconds. What comes and goes at fixed
// times is given all there is, what nothing slows down a look.
func (j *judge) plan(way draw.Direction) Seconds {
	segments := j.draw.Capacity[way] / 8 * j.draw.RTT / 1448
	count := min(max(int(math.Ceil(4*math.Cbrt(segments*0.3/0.4))), 12), j.most)
	switch {
	case j.draw.Scheduled:
		count = j.most
	case len(j.draw.Slowing(way)) == 0 && j.draw.RTT < 0.1:
		count = 6
	}
	return Seconds{Omit: min(max(int(math.Ceil(12*j.draw.RTT)), 2), 8), Count: count}
}

// rate is the median of all runs.
func (s *series) rate() float64 { return Rate(s.runs) }

func (s *series) median(of func(Run) float64) float64 {
	values := make([]float64, len(s.runs))
	for i, r := range s.runs {
		values[i] = of(r)
	}
	return Median(values)
}

// direction finds out what slows one direction's streams down.
func (j *judge) direction(ctx context.Context, way draw.Direction) error {
	base, err := j.base(ctx, way)
	if err != nil {
		return err
	}
	if isBloat(base) == perhaps {
		if _, err := j.of(ctx, j.draw.Scene, way, Seeds); err != nil {
			return err
		}
	}
	before := len(j.truth.Causes)
	for _, x := range j.draw.Slowing(way) {
		if err := j.impairment(ctx, x, way, base); err != nil {
			return err
		}
	}
	if err := j.together(ctx, way, base, before); err != nil {
		return err
	}
	if err := j.hosts(ctx, way, base); err != nil {
		return err
	}
	j.see(way, base, before)
	return nil
}

// gain tries a scene against another one, which is the path as it is, or one without
// most of what impairs it.
func (j *judge) gain(ctx context.Context, name string, s draw.Scene, way draw.Direction, base *series) (float64, error) {
	if bound := j.bound(way, base); bound < Unsure {
		j.truth.Tried = append(j.truth.Tried, Tried{Name: name, Direction: way, Gain: bound, Bound: true})
		return bound, nil
	}
	if glance, err := j.glance(ctx, s, way); err != nil {
		return 0, err
	} else if gain := ratio(glance.rate(), base.rate()); len(glance.runs) > 0 && gain >= clearly {
		j.truth.Tried = append(j.truth.Tried, Tried{Name: name, Direction: way, Gain: gain, Runs: glance.runs})
		return gain, nil
	}
	without, err := j.of(ctx, s, way, 1)
	if err != nil {
		return 0, err
	}
	gain := ratio(without.rate(), base.rate())
	if gain > clearlyNot && gain < clearly {
		if _, err = j.of(ctx, base.scene, way, Seeds); err != nil {
			return 0, err
		}
		if _, err = j.of(ctx, s, way, Seeds); err != nil {
			return 0, err
		}
		gain = ratio(without.rate(), base.rate())
	}
	j.truth.Tried = append(j.truth.Tried, Tried{Name: name, Direction: way, Gain: gain, Runs: without.runs})
	return gain, nil
}

// mostGain stands for whatever is more, as where the path carried nothing.
const mostGain = 1000

func ratio(without, base float64) float64 {
	if without == 0 {
		return 1
	}
	return min(without/max(base, 1), mostGain)
}

// count puts a cause where its gain belongs.
func (j *judge) count(c Cause) {
	switch {
	case c.Gain >= Sure:
		j.truth.Causes = append(j.truth.Causes, c)
	case c.Gain >= Unsure:
		j.truth.Perhaps = append(j.truth.Perhaps, c)
	}
}
