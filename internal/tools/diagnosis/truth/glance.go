package truth

import (
	"context"
	"slices"

	"unchoke/internal/tools/diagnosis/draw"
)

// A glance is a run of which a few seconds count. It is enough where a stream
// soon carries what the path can, or twice what it did with the impairment: a
// longer run would only be faster. A stream at the path's rate is what costs
// the lab most.
const glanceSeconds = 6

// glanceBound: so near the path's rate a glance settles that nothing gains.
const glanceBound = 0.95 * Unsure

// glances says whether a few seconds can show what is wrong in a direction:
// not where it comes and goes, and not a queue that takes long to fill.
func (j *judge) glances(way draw.Direction) bool {
	return !j.draw.Scheduled && !j.slowedBy(way, "deep-queue", "sqm", "thin-return")
}

// slowedBy says that one of the impairments by name slows a direction down.
func (j *judge) slowedBy(way draw.Direction, names ...string) bool {
	return slices.ContainsFunc(j.draw.Slowing(way), func(x draw.Impairment) bool { return slices.Contains(names, x.Name) })
}

// glance is a series of one short run, or of none where that would not show
// anything.
func (j *judge) glance(ctx context.Context, s draw.Scene, way draw.Direction) (*series, error) {
	k := key{s.Command(0, ""), way}
	if x := j.glanced[k]; x != nil {
		return x, nil
	}
	x := &series{scene: s, way: way}
	if j.glances(way) {
		run, err := j.look(ctx, s, j.draw.Lab, way)
		if err != nil {
			return nil, err
		}
		x.runs = append(x.runs, run)
	}
	j.glanced[k] = x
	return x, nil
}

// look is a short run.
func (j *judge) look(ctx context.Context, s draw.Scene, seed uint64, way draw.Direction) (Run, error) {
	p := j.plan(way)
	p.Count = glanceSeconds
	return j.runner.Run(ctx, s, seed, way, p)
}

// base is the path as it is: a glance where that settles it. Where chance decides, one
// run may have been lucky, or the only slow one: a second glance must settle it as well,
// and a figure is the median of several.
func (j *judge) base(ctx context.Context, way draw.Direction) (*series, error) {
	glance, err := j.glance(ctx, j.draw.Scene, way)
	if err != nil {
		return nil, err
	}
	chance := j.byChance(way)
	if len(glance.runs) > 0 && j.filled(way, glance) {
		if !chance {
			return glance, nil
		}
		second, err := j.look(ctx, j.draw.Scene, j.draw.Lab+seedStep, way)
		if err != nil {
			return nil, err
		}
		if j.filled(way, &series{runs: []Run{second}}) {
			return glance, nil
		}
	}
	if chance {
		return j.of(ctx, j.draw.Scene, way, Seeds)
	}
	return j.of(ctx, j.draw.Scene, way, 1)
}

// filled says that a run of the path as it is settles that nothing slows it down.
func (j *judge) filled(way draw.Direction, base *series) bool {
	return j.bound(way, base) < glanceBound && isBloat(base) == no
}

// byChance says that what slows a direction down meets a stream by chance: runs differ
// from seed to seed, on some paths by four times.
func (j *judge) byChance(way draw.Direction) bool {
	return j.slowedBy(way, "random-loss", "burst-loss", "varying-delay", "cross")
}
