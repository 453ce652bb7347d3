//go:build !slim

package main

import (
	"fmt"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	comparereport "unchoke/internal/report/compare"
)

// reportComparison reports a record as ab would.
func (a *app) reportComparison(c *record.Comparison, f formFlags) error {
	show, err := view[comparereport.Report](a, f)
	if err != nil {
		return err
	}
	return show(comparereport.New(c, compare.Analyse(c)))
}

// showBlocks shows how far a comparison has come: a line for each block above
// the bar.
func (a *app) showBlocks(bar *progress) func(*record.Comparison, compare.Progress) {
	shown := 0
	return func(c *record.Comparison, p compare.Progress) {
		for ; shown < p.Complete; shown++ {
			bar.lines(comparereport.Block(c, shown, a.style()))
		}
		trials := p.Expected * len(c.Arms)
		bar.set(float64(len(c.Trials))/float64(max(trials, 1)), fmt.Sprintf("block %d of about %d", min(p.Complete+1, p.Expected), p.Expected))
	}
}
