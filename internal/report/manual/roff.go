package manual

import (
	"fmt"
	"strings"
	"time"
)

// Edition is what every page of a manual tells about it.
type Edition struct {
	Version string
	Date    time.Time // of the version; in UTC
}

// Roff is the page for man(1), in the macros of man(7).
func (p Page) Roff(e Edition) string {
	var w roff
	w.macro("TH", strings.ToUpper(p.Name()), "1", e.Date.UTC().Format(time.DateOnly), "unchoke "+e.Version, "unchoke")
	w.macro("SH", "NAME")
	w.text(p.Name() + " - " + p.Short)
	w.macro("SH", "SYNOPSIS")
	w.line(`\fB` + escaped(p.Command) + `\fR` + escaped(strings.TrimPrefix(p.Usage, p.Command)))
	if p.Long != "" {
		w.macro("SH", "DESCRIPTION")
		w.blocks(p.Long)
	}
	if len(p.Commands) > 0 {
		w.macro("SH", "COMMANDS")
		for _, c := range p.Commands {
			w.item(reference(c.Command), c.Short)
		}
	}
	if len(p.Flags) > 0 {
		w.macro("SH", "OPTIONS")
		for _, f := range p.Flags {
			w.item(`\fB`+escaped(f.spelled())+`\fR`, f.told())
		}
	}
	if p.Examples != "" {
		w.macro("SH", "EXAMPLES")
		w.blocks(p.Examples)
	}
	for _, s := range p.Sections {
		w.macro("SH", strings.ToUpper(s.Title))
		for _, i := range s.Items {
			w.item(`\fB`+escaped(i.Name)+`\fR`, i.Text)
		}
	}
	if len(p.See) > 0 {
		w.macro("SH", "SEE ALSO")
		for i, c := range p.See {
			end := ","
			if i == len(p.See)-1 {
				end = ""
			}
			w.line(reference(c.Command) + end)
		}
	}
	return w.String()
}

func reference(command string) string { return `\fB` + escaped(name(command)) + `\fR(1)` }

// roff is a page that is being written.
type roff struct{ strings.Builder }

func (w *roff) line(text string) { fmt.Fprintln(w, text) }

// macro writes a request; its arguments are quoted.
func (w *roff) macro(name string, args ...string) {
	w.WriteString("." + name)
	for _, a := range args {
		w.WriteString(` "` + strings.ReplaceAll(escaped(a), `"`, `\(dq`) + `"`)
	}
	w.WriteByte('\n')
}

// text writes one line of text, which must not be taken for a request.
func (w *roff) text(line string) {
	line = escaped(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	w.line(line)
}

// item writes a term, which is roff already, and what it is.
func (w *roff) item(term, text string) {
	w.line(".TP")
	w.line(term)
	w.text(text)
}

func (w *roff) blocks(text string) {
	for _, b := range blocks(text) {
		w.line(".PP")
		if b.literal {
			w.line(".nf")
		}
		for _, line := range b.lines {
			w.text(line)
		}
		if b.literal {
			w.line(".fi")
		}
	}
}

// escaped is text whose characters all stand for themselves: a hyphen would
// otherwise be set as one that no shell takes for a minus.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`).Replace(text)
}
