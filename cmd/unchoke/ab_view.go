//go:build !slim

package main

import (
	"fmt"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	comparereport "unchoke/internal/report/compare"
)

// view is how the report is shown.
func (f abFlags) view(a *app) (func(comparereport.Report) error, error) {
	format := f.format
	if f.json {
		format = "json"
	}
	show, known := a.comparisonViews()[format]
	if !known {
		return nil, usagef("unknown format %q: use text, markdown, html or json", f.format)
	}
	return show, nil
}

// reportComparison reports a record as ab would.
func (a *app) reportComparison(c *record.Comparison, format string) error {
	view, known := a.comparisonViews()[format]
	if !known || format == "json" {
		return withHint(usagef("unknown format %q", format), "text, markdown or html")
	}
	return view(comparereport.New(c, compare.Analyse(c)))
}

func (a *app) comparisonViews() map[string]func(comparereport.Report) error {
	return map[string]func(comparereport.Report) error{
		"text":     func(c comparereport.Report) error { return c.Text(a.stdout, a.style()) },
		"markdown": func(c comparereport.Report) error { return c.Markdown(a.stdout) },
		"html":     func(c comparereport.Report) error { return c.HTML(a.stdout) },
		"json":     func(c comparereport.Report) error { return c.JSON(a.stdout) },
	}
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
