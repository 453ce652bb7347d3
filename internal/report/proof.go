package report

import (
	"unchoke/internal/diagnose"
	"unchoke/internal/record"
)

// proof is the comparison that proves the verdict, as a command line; empty
// where none does.
func (c Check) proof() string {
	lead, _ := c.leading()
	var arms string
	switch lead.Cause {
	case diagnose.LossLimited, diagnose.Reordering, diagnose.Policed:
		cc := "cubic"
		if t := c.transfer(lead.Direction, false); t != nil && t.CC != "" {
			cc = t.CC
		}
		if cc == "bbr" {
			return ""
		}
		arms = " --arm " + shellWord("cc="+cc) + " --arm cc=bbr"
	case diagnose.SendBuffer, diagnose.ReceiveWindow:
		// Each stream has buffers of its own: many carry what one cannot.
		arms = " --arm streams=1 --arm streams=8"
	default:
		return ""
	}
	if lead.Direction == record.Down {
		arms += " --direction down"
	}
	return "unchoke ab " + shellWord(c.Target) + arms
}
