package truth

import (
	"context"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/tools/diagnosis/draw"
)

// impairment tries the path without one of its impairments, and where that
// helps, what of it does.
func (j *judge) impairment(ctx context.Context, x draw.Impairment, way draw.Direction, base *series) error {
	gain, err := j.gain(ctx, x.Name, x.Without, way, base)
	if err != nil {
		return err
	}
	cause := named(x.In(way), way, gain)
	if gain < Unsure {
		if x.Name == "policer" && base.rate(len(base.runs)) > slow*j.draw.Ceiling[way] {
			j.truth.Perhaps = append(j.truth.Perhaps, named("policer-ceiling", way, gain))
		}
		return nil
	}
	words, err := j.parts(ctx, x, way, base)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		cause.Words = words
	}
	j.count(cause)
	return nil
}

// parts is the words of those parts of an impairment that help alone.
func (j *judge) parts(ctx context.Context, x draw.Impairment, way draw.Direction, base *series) ([]finding.Cause, error) {
	var words []finding.Cause
	for _, p := range x.Partly {
		gain, err := j.gain(ctx, p.Name, p.Without, way, base)
		if err != nil {
			return nil, err
		}
		if gain < Matters {
			continue
		}
		for _, w := range draw.Words[p.Name].Causes {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
		if gain >= clearly {
			break // this is it; what else helps is not asked
		}
	}
	return words, nil
}

// together tries the path without any impairment, where there are two of which
// neither surely helps alone. Where that gains clearly more than either, each
// hides the other, and both are causes.
func (j *judge) together(ctx context.Context, way draw.Direction, base *series, before int) error {
	slowing := j.draw.Slowing(way)
	if len(slowing) < 2 || len(j.truth.Causes) > before {
		return nil
	}
	alone := j.bestGain(way)
	gain, err := j.gain(ctx, "both", j.draw.Clean, way, base)
	if err != nil || gain < Unsure*alone {
		return err
	}
	for _, x := range slowing {
		j.count(named(x.In(way), way, gain))
	}
	return nil
}

// bestGain is what the best counterfactual so far gained in a direction, at least 1.
func (j *judge) bestGain(way draw.Direction) float64 {
	gain := 1.0
	for _, t := range j.truth.Tried {
		if t.Direction == way {
			gain = max(gain, t.Gain)
		}
	}
	return gain
}
