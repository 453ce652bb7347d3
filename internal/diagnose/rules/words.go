package rules

import (
	"fmt"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/unit"
)

func rate(bps float64) string { return unit.HumanRate(bps) }

func size(bytes float64) string { return unit.HumanSize(bytes) }

func percent(r float64) string { return unit.Ratio(r).Human() }

func duration(s float64) string { return unit.HumanTime(s) }

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func packets(n float64) string {
	if n == 1 {
		return "a packet"
	}
	return fmt.Sprintf("%g packets", n)
}

// ccName names the sender's congestion control and its host: the other
// direction's sender may run another.
func ccName(v *view.View) string {
	if v.CC == "" {
		return "the sender's congestion control"
	}
	if v.Sender() == "near" {
		return "this host's " + v.CC
	}
	return "the far host's " + v.CC
}
