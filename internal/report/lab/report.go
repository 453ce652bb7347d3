// Package lab shows what a sweep of lab paths found: text, markdown, HTML and
// JSON of the same values.
package lab

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/report/render"
)

// Schema names this version of the document.
const Schema = "unchoke.lab.report/1"

// Report is what `unchoke lab report` says of a sweep, and its JSON document.
type Report struct {
	Schema  string `json:"schema"`
	Version string `json:"version"` // of unchoke that made the report
	Kernel  string `json:"kernel"`  // that ran the sweep; empty unknown
	// Missing is how many runs of the sweep are not there yet.
	Missing int `json:"missing_runs"`
	analysis.Figures
	// Rules say how figures that need a choice were derived.
	Rules map[string]string `json:"rules"`

	part   string   // the only section to show; empty for all
	shared []string // see sharedPath
}

// New analyses a study and puts it together with what is known of its
// making.
func New(study analysis.Study, version, kernel string, missing int) Report {
	l := Report{
		Schema: Schema, Version: version, Kernel: kernel, Missing: missing,
		Figures: analysis.Analyse(study),
		Rules:   map[string]string{"cliff": analysis.CliffRule, "guide": analysis.GuideRule, "buffers": analysis.BufferRule},
	}
	l.shared = sharedPath(l.Cells)
	return l
}

// Only is the report with one of its parts, named by its title as it stands in
// an address: the-jitter-cliff. The document is whole all the same.
func (l Report) Only(part string) (Report, error) {
	names := Parts(l)
	if !slices.Contains(names, part) {
		return l, fmt.Errorf("the report has no part %q; it has %s", part, strings.Join(names, ", "))
	}
	l.part = part
	return l, nil
}

// Parts are the names that a report's Only takes.
func Parts(l Report) []string {
	var names []string
	for _, s := range l.sections() {
		names = append(names, anchor(s.Title))
	}
	return names
}

// anchor is a title in an address.
func anchor(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "-") }

// JSON writes the document.
func (l Report) JSON(w io.Writer) error { return render.JSON(w, l) }
