package manual

import (
	"strings"
	"testing"
	"time"
)

var page = Page{
	Command: "unchoke lab", Short: "emulate paths", Usage: "unchoke lab COMMAND [FLAGS]",
	Long: "Lab does it.\n'Quoted' first.\n.hidden too\n\n  KEY  a\\b\n\n  OTHER  *c*\n\nThe <end>.",
	Commands: []Entry{
		{"unchoke lab exec", "run a|b"},
	},
	Flags:    []Flag{{Name: "out", Short: "o", Argument: "FILE", Text: "write FILE", Default: "x.json"}, {Name: "quiet", Text: "be quiet"}},
	Examples: "  unchoke lab exec -- a-b",
	Sections: []Section{{"Files", []Item{{"/etc/x", "is one"}}}},
	See:      []Entry{{"unchoke", "all"}, {"unchoke lab exec", "run"}},
}

func TestRoff(t *testing.T) {
	got := page.Roff(Edition{"1.2.3", time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC)})
	want := `.TH "UNCHOKE\-LAB" "1" "2026\-01\-02" "unchoke 1.2.3" "unchoke"
.SH "NAME"
unchoke\-lab \- emulate paths
.SH "SYNOPSIS"
\fBunchoke lab\fR COMMAND [FLAGS]
.SH "DESCRIPTION"
.PP
Lab does it.
\(aqQuoted\(aq first.
\&.hidden too
.PP
.nf
  KEY  a\eb

  OTHER  *c*
.fi
.PP
The <end>.
.SH "COMMANDS"
.TP
\fBunchoke\-lab\-exec\fR(1)
run a|b
.SH "OPTIONS"
.TP
\fB\-o, \-\-out FILE\fR
write FILE (default x.json)
.TP
\fB\-\-quiet\fR
be quiet
.SH "EXAMPLES"
.PP
.nf
  unchoke lab exec \-\- a\-b
.fi
.SH "FILES"
.TP
\fB/etc/x\fR
is one
.SH "SEE ALSO"
\fBunchoke\fR(1),
\fBunchoke\-lab\-exec\fR(1)
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	got := page.Markdown()
	for _, want := range []string{
		"# unchoke lab\n\nEmulate paths.\n", "```\n  KEY  a\\b\n\n  OTHER  *c*\n```", "The &lt;end&gt;.",
		"| [`unchoke lab exec`](unchoke-lab-exec.md) | run a\\|b |", "| `-o, --out FILE` | write FILE (default x.json) |",
		"- [unchoke](unchoke.md): all",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
