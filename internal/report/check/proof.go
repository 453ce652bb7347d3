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
	if c.Fetch != nil {
		return c.fetchProof(arms)
	}
	if arms == nil {
		return ""
	}
	command := render.Comparison(c.Target, arms...)
	if lead.Direction == record.Down {
		command += " --direction down"
	}
	return command
}

// fetchProof is the comparison for a URL, of which a client chooses no more than
// how many connections it opens; empty where that is not the question, or where
// the URL holds what is not shown.
func (c Report) fetchProof(arms []string) string {
	if len(arms) == 0 || !strings.HasPrefix(arms[0], "streams=") || strings.Contains(c.Target, "=…") {
		return ""
	}
	return render.Comparison(c.Target, arms...)
}
