//go:build !slim

package measurecmd

import (
	"fmt"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/compare"
	"unchoke/internal/record"
	comparereport "unchoke/internal/report/compare"
)

// reportComparison reports a record as ab would.
func reportComparison(a *cli.App, c *record.Comparison, f cli.FormFlags) error {
	show, err := cli.View[comparereport.Report](a, f)
	if err != nil {
		return err
	}
	return show(comparereport.New(c, compare.Analyse(c)))
}

// showBlocks shows how far a comparison has come: a line for each block above
// the bar.
func showBlocks(a *cli.App, bar *cli.Progress) func(*record.Comparison, compare.Progress) {
	shown := 0
	return func(c *record.Comparison, p compare.Progress) {
		for ; shown < p.Complete; shown++ {
			bar.Lines(comparereport.Block(c, shown, a.ErrStyle()))
		}
		trials := p.Expected * len(c.Arms)
		bar.Set(float64(len(c.Trials))/float64(max(trials, 1)), fmt.Sprintf("block %d of about %d", min(p.Complete+1, p.Expected), p.Expected))
	}
}
