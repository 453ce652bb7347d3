package check

import (
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// proof is the comparison that proves the verdict, as a command line; empty
// where none does.
func (c Report) proof() string {
	if c.Flow != nil {
		return "" // the far end of a connection is no iperf3 server
	}
	lead, _ := c.leading()
	cc := ""
	if t := c.transfer(lead.Direction, false); t != nil {
		cc = t.CC
	}
	arms := finding.Of(lead.Cause).Proof(cc)
	if arms == nil {
		return ""
	}
	words := []string{"unchoke ab", render.ShellWord(c.Target)}
	for _, arm := range arms {
		words = append(words, "--arm", render.ShellWord(arm))
	}
	if lead.Direction == record.Down {
		words = append(words, "--direction", "down")
	}
	return strings.Join(words, " ")
}
