package plan

import (
	"fmt"
	"io"

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
		t.Line(render.Dim.Of(measuredLine(e.For)))
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
	return t.Flush(w)
}
