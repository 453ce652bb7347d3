package report

import (
	"fmt"
	"io"

	"unchoke/internal/tune"
)

// ExplanationText writes why an algorithm that was enabled changed nothing.
func ExplanationText(w io.Writer, e tune.Explanation, s Style) error {
	t := planText{style: s, width: min(max(s.Width, 40), maxTextWidth)}
	head := e.Wanted + " is what new connections get"
	switch {
	case e.Default == "":
		head = "what new connections get is not known"
	case e.Default != e.Wanted:
		head = fmt.Sprintf("new connections get %s, not %s", e.Default, e.Wanted)
	}
	t.line(head, bold)
	if e.For != nil {
		t.line(measuredLine(e.For), dim)
	}
	if len(e.Reasons) == 0 {
		t.line("", "")
		t.line("nothing was found that would keep it from acting", green)
	}
	for i, r := range e.Reasons {
		t.line("", "")
		t.wrapped(fmt.Sprintf("%d. %s  ", i+1, s.paint(yellow, r.Reason)), "   ", r.What)
		if r.Next != "" {
			t.wrapped("   next: ", "   ", r.Next)
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}
