package lab

import (
	_ "embed"
	"html/template"
	"io"
	"slices"

	"unchoke/internal/report/render"
)

var (
	//go:embed page.html.tmpl
	pageTemplate string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

var labPage = template.Must(template.New("lab").Funcs(template.FuncMap{
	"anchor": anchor,
}).Parse(pageTemplate))

// HTML writes the report as one file that needs no other and asks the network
// for nothing: the tables as they are elsewhere, and plots that the page's own
// script draws from the document.
func (l Report) HTML(w io.Writer) error {
	page := struct {
		Lab             Report
		Headline, Setup string
		Sections        []htmlSection
		Style           template.CSS
		Script          template.JS
	}{Lab: l, Headline: l.headline(), Setup: l.setup(), Style: template.CSS(pageStyle), Script: template.JS(pageScript)}
	for _, s := range l.sections() {
		part := htmlSection{section: s}
		for _, t := range s.Tables {
			// The page has a plot of what text draws into a column.
			columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c render.Column) bool { return c.Head == drawnColumn })
			part.Grids = append(part.Grids, htmlTable{t.Caption, render.RowsOf(columns), len(columns[0].Cells) <= longTable})
		}
		page.Sections = append(page.Sections, part)
	}
	return render.HTML(w, labPage, page)
}

// Policy is the content security policy that the page needs.
func (l Report) Policy() string { return render.Policy(pageStyle, pageScript) }

type htmlSection struct {
	section
	Grids []htmlTable
}

type htmlTable struct {
	Caption string
	Grid    render.Grid
	Short   bool // enough to be unfolded
}
