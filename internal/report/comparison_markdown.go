package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the comparison for an issue or a forum: the verdict first,
// then the table.
func (c Comparison) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s: %s\n\n", codeSpan(c.Target), markdown(c.headline()))
	fmt.Fprintf(&b, "**%s.** %s (%s)\n\n", capital(string(c.Verdict)), markdown(c.Sentence), c.blockWords())
	for _, also := range c.otherSentences() {
		fmt.Fprintf(&b, "- %s\n", markdown(also))
	}
	if len(c.otherSentences()) > 0 {
		fmt.Fprintln(&b)
	}
	columns := c.table()
	for _, col := range columns {
		fmt.Fprintf(&b, "| %s ", markdown(col.Head))
	}
	fmt.Fprintln(&b, "|")
	for _, col := range columns {
		if col.Left {
			fmt.Fprint(&b, "|---")
		} else {
			fmt.Fprint(&b, "|---:")
		}
	}
	fmt.Fprintln(&b, "|")
	for arm := range c.Arms {
		for _, col := range columns {
			fmt.Fprintf(&b, "| %s ", markdown(col.Cells[arm]))
		}
		fmt.Fprintln(&b, "|")
	}
	fmt.Fprintln(&b)
	for _, line := range []string{c.hosts(), c.trialWords()} {
		if line != "" {
			fmt.Fprintf(&b, "%s.\n", capital(markdown(line)))
		}
	}
	for _, n := range c.notes() {
		switch n.Label {
		case "seed":
		case "record":
			fmt.Fprintf(&b, "\n%s, record %s\n", when(c.Started), codeSpan(c.Record))
		default:
			fmt.Fprintf(&b, "\n> %s: %s\n", n.Label, markdown(n.Text))
		}
	}
	fmt.Fprintf(&b, "\nThe same trials in the same order: %s\n", codeSpan(c.Command))
	_, err := io.WriteString(w, b.String())
	return err
}
