package compare

import (
	"cmp"
	"context"
	"fmt"

	"unchoke/internal/record"
)

// Run runs a comparison block by block until the rule stops it, and appends
// the trials to c. Told is every trial's Progress; tell may be nil.
//
// Where a trial fails or ctx ends, Run sets c.Error and returns the analysis
// of what is complete, Interrupted, with the error.
func Run(ctx context.Context, c *record.Comparison, run Runner, tell func(Progress)) (Analysis, error) {
	if tell == nil {
		tell = func(Progress) {}
	}
	rule := ruleOf(c)
	a := Analyse(c)
	expected := rule.expected(a)
	for block := 0; a.Stopped == ""; block++ {
		for place, arm := range Order(c.Config.Seed, len(c.Arms), block) {
			trial, err := runTrial(ctx, run, block, arm)
			if err != nil {
				err = fmt.Errorf("block %d, arm %s: %w", block+1, cmp.Or(c.Arms[arm].Name, FormatArm(c.Arms[arm]), "default"), err)
				c.Error = err.Error()
				return Analyse(c), err
			}
			c.Trials = append(c.Trials, trial)
			if place == len(c.Arms)-1 {
				a = Analyse(c)
				expected = rule.expected(a)
			}
			tell(Progress{Trial: trial, Complete: a.Blocks, Analysis: a, Expected: expected})
		}
	}
	return a, nil
}

func runTrial(ctx context.Context, run Runner, block, arm int) (record.Trial, error) {
	if err := ctx.Err(); err != nil {
		return record.Trial{}, context.Cause(ctx)
	}
	trial, err := run(ctx, block, arm)
	trial.Block, trial.Arm = block, arm
	return trial, err
}

// expected is how many blocks a comparison will probably take: as many as if
// the blocks so far came again in the same order.
func (r Rule) expected(a Analysis) int {
	if r.Blocks > 0 {
		return r.Blocks
	}
	if a.Stopped != "" {
		return a.Blocks
	}
	most := min(max(a.Blocks+1, r.first()), r.MaxBlocks)
	for _, contrast := range a.Contrasts {
		ratios := contrast.Ratios
		if len(ratios) == 0 || contrast.Answer.Firm() {
			continue
		}
		for n := range r.MaxBlocks - len(contrast.Ratios) {
			ratios = append(ratios[:len(ratios):len(ratios)], contrast.Ratios[n%len(contrast.Ratios)])
		}
		most = max(most, cmp.Or(r.FirmAt(ratios), r.MaxBlocks))
	}
	return most
}
