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
		if x.Name == "policer" && base.rate() > slow*j.draw.Ceiling[way] {
			j.truth.Perhaps = append(j.truth.Perhaps, named("policer-ceiling", way, gain))
		}
		return nil
	}
	words, err := j.parts(ctx, x, part, way, base)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		cause.Words = words
	}
	j.count(cause)
	return nil
}

// part is a path without a part of an impairment, under the name of what was tried.
func part(p draw.Part) (string, draw.Scene) { return p.Name, p.Without }

// partAlone is the same where the impairment is the only one.
func partAlone(p draw.Part) (string, draw.Scene) { return p.Name + " alone", p.Alone }

// parts is the words of those parts of an impairment that help alone, tried on the
// paths that by gives against the one that base is of. Where none does, it is the words
// of those that help together.
func (j *judge) parts(ctx context.Context, x draw.Impairment, by func(draw.Part) (string, draw.Scene), way draw.Direction, base *series) ([]finding.Cause, error) {
	words, err := j.helping(ctx, x.Partly, by, way, base)
	if err != nil || len(words) > 0 {
		return words, err
	}
	return j.helping(ctx, x.Together, by, way, base)
}

func (j *judge) helping(ctx context.Context, parts []draw.Part, by func(draw.Part) (string, draw.Scene), way draw.Direction, base *series) ([]finding.Cause, error) {
	var words []finding.Cause
	for _, p := range parts {
		name, without := by(p)
		gain, err := j.gain(ctx, name, without, way, base)
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
// hides the other, and both are causes. Which part of one helps shows when the other
// is gone.
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
		cause := named(x.In(way), way, gain)
		words, err := j.partsAlone(ctx, x, way)
		if err != nil {
			return err
		}
		if len(words) > 0 {
			cause.Words = words
		}
		j.count(cause)
	}
	return nil
}

// partsAlone is the words of those parts of an impairment that help where it is the
// only one.
func (j *judge) partsAlone(ctx context.Context, x draw.Impairment, way draw.Direction) ([]finding.Cause, error) {
	if len(x.Partly) == 0 || x.Alone.Path == "" {
		return nil, nil
	}
	base, err := j.of(ctx, x.Alone, way, 1)
	if err != nil {
		return nil, err
	}
	return j.parts(ctx, x, partAlone, way, base)
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
