package check

import (
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// headline is the verdict in words. Where too little was measured for one, it says that:
// nothing is known to be slow.
func (c Report) headline() string {
	lead, _ := c.leading()
	switch {
	case lead.Cause != finding.Unclear:
	case c.Interrupted:
		return "the check was interrupted before it could say"
	case c.Error != "":
		return "the check failed before it could say"
	case c.soonOver():
		return "too little was downloaded to say"
	}
	return finding.Of(lead.Cause).Title
}

// soonOver says that a download was over, by its file's end or at the most that it might
// receive, before several connections were tried.
func (c Report) soonOver() bool {
	if c.Fetch == nil || len(c.Fetch.Streams) != 1 {
		return false
	}
	end := c.Fetch.Streams[0].End
	return end == record.EndOfBody || end == record.EndOfBytes
}
