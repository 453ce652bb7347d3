//go:build !slim

package vantage

import (
	_ "embed"
	"html/template"
	"io"

	"unchoke/internal/report/render"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	ownStyle  string
	pageStyle = render.PageStyle(ownStyle)
)

// pageTemplate parses the page where one is wanted: a package that did so for
// every program would bring templates into the slim build.
func pageTemplate() *template.Template {
	return template.Must(template.New("vantage").Funcs(template.FuncMap{"when": render.When}).Parse(pageText))
}

// HTML writes the comparison as one file that needs no other.
func (r Report) HTML(w io.Writer) error {
	p := page{Report: r, Style: template.CSS(pageStyle), Subtitle: r.subtitle(), Table: render.RowsOf(r.table()), Nothing: r.nothing(), Notes: r.notes()}
	for _, section := range r.sections() {
		s := pageSection{Title: section.Title}
		for _, x := range section.Insights {
			place, rest := where(x)
			kind := "good"
			if x.Fault() {
				kind = "fault"
			}
			s.Insights = append(s.Insights, pageInsight{kind, render.Capital(place), rest, x.Summary, reasons(x)})
		}
		p.Sections = append(p.Sections, s)
	}
	return render.HTML(w, pageTemplate(), p)
}

// Policy is the content security policy that the page needs.
func (r Report) Policy() string { return render.Policy(pageStyle, "") }

// page is what the template is filled with.
type page struct {
	Report
	Style             template.CSS
	Subtitle, Nothing string
	Table             render.Grid
	Sections          []pageSection
	Notes             []note
}

type pageSection struct {
	Title    string
	Insights []pageInsight
}

type pageInsight struct {
	Kind, Place, Rest, Summary string
	Why                        []string
}
