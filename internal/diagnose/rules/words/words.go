package words

import (
	"fmt"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/unit"
)

func Rate(bps float64) string { return unit.HumanRate(bps) }

func Size(bytes float64) string { return unit.HumanSize(bytes) }

func Percent(r float64) string { return unit.Ratio(r).Human() }

func Duration(s float64) string { return unit.HumanTime(s) }

func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func Packets(n float64) string {
	if n == 1 {
		return "a packet"
	}
	return fmt.Sprintf("%g packets", n)
}

// CCName names the sender's congestion control and its host: the other
// direction's sender may run another.
func CCName(v *view.View) string {
	if v.CC == "" {
		return "the sender's congestion control"
	}
	if v.Sender() == "near" {
		return "this host's " + v.CC
	}
	return "the far host's " + v.CC
}
