package main

import (
	"fmt"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/report"
)

// view is how the report is shown.
func (f abFlags) view(a *app) (func(report.Comparison) error, error) {
	format := f.format
	if f.json {
		format = "json"
	}
	show, known := a.comparisonViews()[format]
	if !known {
		return nil, usagef("format %q is none of text, markdown, html, json", f.format)
	}
	return show, nil
}

func (a *app) comparisonViews() map[string]func(report.Comparison) error {
	return map[string]func(report.Comparison) error{
		"text":     func(c report.Comparison) error { return c.Text(a.stdout, a.style()) },
		"markdown": func(c report.Comparison) error { return c.Markdown(a.stdout) },
		"html":     func(c report.Comparison) error { return c.HTML(a.stdout) },
		"json":     func(c report.Comparison) error { return c.JSON(a.stdout) },
	}
}

func (a *app) style() report.Style {
	return report.Style{Width: a.terminal.width, Colour: a.terminal.colour}
}

// showBlocks shows how far a comparison has come: a line for each block above
// the bar.
func (a *app) showBlocks(bar *progress, c *record.Comparison) func(compare.Progress) {
	shown := 0
	return func(p compare.Progress) {
		for ; shown < p.Complete; shown++ {
			bar.line(report.Block(c, shown, a.style()))
		}
		trials := p.Expected * len(c.Arms)
		bar.set(float64(len(c.Trials))/float64(max(trials, 1)), fmt.Sprintf("block %d of about %d", min(p.Complete+1, p.Expected), p.Expected))
	}
}
