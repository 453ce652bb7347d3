package diagnose

import (
	"testing"

	"unchoke/internal/finding"
)

// A cause that two rules find is named once, by the first of them.
func TestOnce(t *testing.T) {
	all := once([]finding.Finding{
		{Cause: finding.LossLimited, Confidence: 0.8}, {Cause: finding.Congested}, {Cause: finding.LossLimited, Confidence: 0.5},
	})
	if len(all) != 2 || all[0].Confidence != 0.8 || all[1].Cause != finding.Congested {
		t.Error(all)
	}
}
