package fetched

import (
	"fmt"

	"unchoke/internal/unit"
)

func rate(bps float64) string   { return unit.HumanRate(bps) }
func size(bytes float64) string { return unit.HumanSize(bytes) }
func percent(r float64) string  { return unit.Ratio(r).Human() }
func duration(s float64) string { return unit.HumanTime(s) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
