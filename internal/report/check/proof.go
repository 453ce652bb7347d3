package check

import (
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
