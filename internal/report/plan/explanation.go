package plan

import (
	"fmt"
	"io"
	"strings"

	"unchoke/internal/report/render"
	"unchoke/internal/tune"
)

// ExplanationText writes why an algorithm that was enabled changed nothing.
func ExplanationText(w io.Writer, e tune.Explanation, style render.Style) error {
	t := render.NewScreen(style)
	head := e.Wanted + " is what new connections use"
	switch {
	case e.Default == "":
		head = "it is unknown what new connections use"
	case e.Default != e.Wanted:
		head = fmt.Sprintf("new connections use %s, not %s", e.Default, e.Wanted)
	}
	t.Line(render.Bold.Of(head))
	if e.For != nil {
		t.Hang(0, render.Dim, measuredLine(e.For))
	}
	if len(e.Reasons) == 0 {
		t.Text("")
		t.Line(render.Green.Of("found nothing that keeps it from taking effect"))
	}
	for i, r := range e.Reasons {
		t.Text("")
		t.Hang(3, render.Plain, r.What, render.Plain.Of(fmt.Sprintf("%d. ", i+1)), render.Yellow.Of(r.Reason), render.Plain.Of("  "))
		if r.Next != "" {
			t.Hang(3, render.Plain, r.Next, render.Plain.Of("   next: "))
		}
	}
	if command := measurement(e); command != "" {
		t.Text("")
		t.Hang(0, render.Plain, "To measure what "+e.Wanted+" changes on this path:")
		t.Block(2, render.Bold, command)
	}
	return t.Flush(w)
}

// measurement is the comparison that shows what the algorithm changes where this
// host sends; empty where none can: without a path, for an image, without the
// algorithm, towards a server that nobody uploads to.
func measurement(e tune.Explanation) string {
	if e.For == nil || e.For.Target == "" || e.Default == "" {
		return ""
	}
	if scheme, _, is := strings.Cut(e.For.Target, "://"); is && scheme != "ssh" {
		return ""
	}
	for _, r := range e.Reasons {
		if r.Reason == string(tune.OldKernel) || r.Reason == string(tune.NoModule) {
			return ""
		}
	}
	other := e.Default
	if other == e.Wanted {
		other = "cubic"
	}
	if other == e.Wanted {
		other = "reno"
	}
	return render.Comparison(e.For.Target, "cc="+other, "cc="+e.Wanted)
}
