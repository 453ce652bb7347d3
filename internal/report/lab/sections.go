package lab

import (
	"fmt"
	"strings"

	"unchoke/internal/report/render"
)

// section is one part of the report in every form: words, tables and, in
// HTML, a plot that the page's script draws from the document.
type section struct {
	Title  string
	Words  []string
	Plot   string // its name in page.js; empty for none
	Tables []table
	// Long marks a table that HTML folds away.
	Long bool
}

// table is a table with what it shows; the first Names columns say what
// each row is.
type table struct {
	Caption string
	Names   int
	Columns []render.Column
}

// sections are the report's parts, those without data left out.
func (l Report) sections() []section {
	var out []section
	for _, part := range []func(Report) *section{
		Report.guideSection, Report.cliffSection, Report.chaosSection, Report.lossSection, Report.ratioSection,
		Report.profileSection, Report.varyingSection, Report.sharingSection, Report.bufferSection, Report.gapSection, Report.mechanismSection, Report.agreementSection, Report.cellSection,
	} {
		if s := part(l); s != nil && (l.part == "" || l.part == anchor(s.Title)) {
			out = append(out, *s)
		}
	}
	return out
}

// headline names the study, setup what all of its runs have in common.
func (l Report) headline() string {
	runs := fmt.Sprintf("%s in %s", render.Plural(l.Runs, "run"), render.Plural(len(l.Cells), "cell"))
	if l.Missing > 0 {
		runs += fmt.Sprintf(", %d more to come", l.Missing)
	}
	failed := 0
	for _, c := range l.Cells {
		failed += c.Failed
	}
	if failed > 0 {
		runs += fmt.Sprintf("; %s failed: no connection, or a lost connection", render.Plural(failed, "run"))
	}
	return l.Name + ": " + runs
}

func (l Report) setup() string {
	var parts []string
	if l.Traffic != "" {
		parts = append(parts, render.Capital(l.Traffic))
	}
	if len(l.shared) > 0 {
		parts = append(parts, "Every path has "+strings.Join(l.shared, ","))
	}
	if l.Kernel != "" {
		parts = append(parts, "Linux "+l.Kernel+" in virtual time")
	}
	return strings.Join(parts, ". ")
}

// tableOf builds a table row by row: each call of add is one row, in the order
// of the heads. A head that begins with "<" is of a left-aligned column. A
// column in which every cell is empty is left out.
type tableOf struct{ columns []render.Column }

func newTable(heads ...string) *tableOf {
	t := &tableOf{}
	for _, h := range heads {
		name, left := strings.CutPrefix(h, "<")
		t.columns = append(t.columns, render.Column{Head: name, Left: left})
	}
	return t
}

func (t *tableOf) add(cells ...string) {
	for i := range t.columns {
		t.columns[i].Cells = append(t.columns[i].Cells, cells[i])
	}
}

func (t *tableOf) done(caption string, names int) table {
	out := table{Caption: caption, Names: names}
	for i, c := range t.columns {
		if strings.Join(c.Cells, "") != "" {
			out.Columns = append(out.Columns, c)
		} else if i < names {
			out.Names--
		}
	}
	return out
}
