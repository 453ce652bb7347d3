//go:build slim

package diagnose

import (
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// downloaded has no rules for a check of a URL, which the whole build makes.
func downloaded(*record.Run) []finding.Finding {
	return []finding.Finding{{
		Cause: finding.Unclear, Direction: record.Down,
		Summary:  "This is the slim build: the rules for checks of a URL are in the whole one, which reads this record too.",
		Evidence: []finding.Evidence{}, Remedies: []finding.Remedy{},
	}}
}

// Unknown is nil: this build measures no URLs.
func Unknown(*record.Run) []string { return nil }
