package report

import (
	"fmt"
	"strings"
)

// labSection is one part of the report in every form: words, tables and, in
// HTML, a plot that the page's script draws from the document.
type labSection struct {
	Title  string
	Words  []string
	Plot   string // its name in lab.js; empty for none
	Tables []labTable
	// Long marks a table that HTML folds away.
	Long bool
}

// labTable is a table with what it shows; the first Names columns say what
// each row is.
type labTable struct {
	Caption string
	Names   int
	Columns []column
}

// sections are the report's parts, those without data left out.
func (l Lab) sections() []labSection {
	var out []labSection
	for _, part := range []func(Lab) *labSection{
		Lab.guideSection, Lab.cliffSection, Lab.chaosSection, Lab.lossSection, Lab.ratioSection,
		Lab.profileSection, Lab.varyingSection, Lab.sharingSection, Lab.bufferSection, Lab.gapSection, Lab.mechanismSection, Lab.agreementSection, Lab.cellSection,
	} {
		if s := part(l); s != nil && (l.part == "" || l.part == anchor(s.Title)) {
			out = append(out, *s)
		}
	}
	return out
}

// headline names the study, setup what all of its runs have in common.
func (l Lab) headline() string {
	runs := fmt.Sprintf("%s in %s", plural(l.Runs, "run"), plural(len(l.Cells), "cell"))
	if l.Missing > 0 {
		runs += fmt.Sprintf(", %d more to come", l.Missing)
	}
	return l.Name + ": " + runs
}

func (l Lab) setup() string {
	var parts []string
	if l.Traffic != "" {
		parts = append(parts, capital(l.Traffic))
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
type tableOf struct{ columns []column }

func newTable(heads ...string) *tableOf {
	t := &tableOf{}
	for _, h := range heads {
		name, left := strings.CutPrefix(h, "<")
		t.columns = append(t.columns, column{Head: name, Left: left})
	}
	return t
}

func (t *tableOf) add(cells ...string) {
	for i := range t.columns {
		t.columns[i].Cells = append(t.columns[i].Cells, cells[i])
	}
}

func (t *tableOf) done(caption string, names int) labTable {
	out := labTable{Caption: caption, Names: names}
	for i, c := range t.columns {
		if strings.Join(c.Cells, "") != "" {
			out.Columns = append(out.Columns, c)
		} else if i < names {
			out.Names--
		}
	}
	return out
}
