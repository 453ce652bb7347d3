//go:build slim

package check

import "unchoke/internal/record"

// labPath is empty: the slim build has no lab.
func labPath(*record.Run) string { return "" }

// belowRemedies is what stands below the remedies. The slim build does not tune.
var belowRemedies = Report.predictedLines
