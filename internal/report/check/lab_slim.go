//go:build slim

package check

import (
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// labPath is empty: the slim build has no lab.
func labPath(*record.Run) string { return "" }

// belowRemedies writes nothing: the slim build neither predicts nor tunes.
func belowRemedies(Report, *render.Screen) {}
