package diagnose

import (
	"fmt"
	"time"

	"unchoke/internal/unit"
)

func rate(bps float64) string  { return unit.BitRate(bps).Human() }
func size(b float64) string    { return unit.Size(b).Human() }
func percent(r float64) string { return unit.Ratio(r).Human() }
func duration(s float64) string {
	switch d := time.Duration(s * float64(time.Second)); {
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", s*1e3)
	default:
		return fmt.Sprintf("%.1f ms", s*1e3)
	}
}
