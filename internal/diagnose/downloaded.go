//go:build !slim

package diagnose

import (
	"unchoke/internal/diagnose/amend"
	"unchoke/internal/diagnose/fetched"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// downloaded are the findings of a check of a URL.
func downloaded(r *record.Run) []finding.Finding {
	all := fetched.Diagnose(r)
	for i, f := range all {
		all[i] = amend.Elsewhere(r, f)
	}
	return all
}

// Unknown lists what cannot be known from this end, whatever was found; nil
// where both ends were measured.
func Unknown(r *record.Run) []string { return fetched.Unknown(r) }
