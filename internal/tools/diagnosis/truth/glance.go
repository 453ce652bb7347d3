package truth

import (
	"context"

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
	for _, x := range j.draw.Slowing(way) {
		if x.Name == "deep-queue" || x.Name == "sqm" || x.Name == "thin-return" {
			return false
		}
	}
	return !j.draw.Scheduled
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
		p := j.plan(way)
		p.Count = glanceSeconds
		run, err := j.runner.Run(ctx, s, j.draw.Lab, way, p)
		if err != nil {
			return nil, err
		}
		x.runs = append(x.runs, run)
	}
	j.glanced[k] = x
	return x, nil
}

// base is the path as it is: a glance where that settles it.
func (j *judge) base(ctx context.Context, way draw.Direction) (*series, error) {
	glance, err := j.glance(ctx, j.draw.Scene, way)
	if err != nil {
		return nil, err
	}
	if len(glance.runs) > 0 && j.bound(way, glance) < glanceBound && isBloat(glance) == no {
		return glance, nil
	}
	return j.of(ctx, j.draw.Scene, way, 1)
}
