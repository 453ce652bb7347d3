package report

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
)

var (
	//go:embed lab.html.tmpl
	labPage string
	//go:embed lab.css
	labStyle string
	//go:embed lab.js
	labScript string
)

var labTemplate = template.Must(template.New("lab").Funcs(template.FuncMap{
	"printable": printable,
	"anchor":    anchor,
}).Parse(labPage))

// HTML writes the report as one file that needs no other and asks the network
// for nothing: the tables as they are elsewhere, and plots that the page's own
// script draws from the document.
func (l Lab) HTML(w io.Writer) error {
	page := struct {
		Lab             Lab
		Headline, Setup string
		Sections        []htmlSection
		Style           template.CSS
		Script          template.JS
	}{Lab: l, Headline: l.headline(), Setup: l.setup(), Style: template.CSS(labStyle), Script: template.JS(labScript)}
	for _, s := range l.sections() {
		part := htmlSection{labSection: s}
		for _, t := range s.Tables {
			// The page has a plot of what text draws into a column.
			columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c column) bool { return c.Head == drawnColumn })
			part.Grids = append(part.Grids, htmlTable{t.Caption, rowsOf(columns), len(columns[0].Cells) <= longTable})
		}
		page.Sections = append(page.Sections, part)
	}
	return labTemplate.Execute(w, page)
}

type htmlSection struct {
	labSection
	Grids []htmlTable
}

type htmlTable struct {
	Caption string
	Grid    grid
	Short   bool // enough to be unfolded
}
