package check

import (
	"fmt"
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// problemWords are what the user should know of the server's answers.
func (c Report) problemWords() []string {
	if c.Fetch == nil {
		return nil
	}
	var out []string
	for _, p := range c.Fetch.Problems {
		words := p.What
		if p.Hint != "" {
			words += ". " + render.Capital(p.Hint)
		}
		out = append(out, words)
	}
	return out
}

// unknownWords say what this end does not see; empty where it sees all.
func (c Report) unknownWords() string { return strings.Join(c.Unknown, "; ") }

// connectionWords name a transfer's connections in the column of streams.
func connectionWords(t *record.Transfer) string {
	return fmt.Sprintf("%d conn.", t.Streams)
}
