//go:build slim

package check

import "unchoke/internal/record"

// labPath is empty: the slim build has no lab.
func labPath(*record.Run) string { return "" }
