//go:build !slim

package check

import (
	"fmt"

	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// predictedLines say what each remedy would carry, one a line.
func (c Report) predictedLines(s *render.Screen) {
	for i, line := range c.predicted() {
		if i == 0 {
			s.Text("")
		}
		s.Hang(4, render.Green, line, render.Plain.Of("  "))
	}
}

// predicted are the sentences of the remedies, in their order.
func (c Report) predicted() []string {
	var out []string
	for _, p := range c.Predicted {
		one := c.transfer(p.Direction, false)
		if p.Arm == record.Now || one == nil {
			continue
		}
		line := fmt.Sprintf("predicted with %s, %s: %s [%s–%s], now %s",
			p.Arm, p.Direction.Word(), render.Rate(p.Rate), render.Rate(p.Low), render.Rate(p.High), render.Rate(c.carried(one)))
		now, ok := record.NowOf(c.Predicted, p.Direction)
		if ok && max(now.Rate, c.carried(one)) > copiesDiffer*min(now.Rate, c.carried(one)) {
			line += fmt.Sprintf(", %s in copies of the path", render.Rate(now.Rate))
		}
		if ok && p.Shortens(now) {
			line += fmt.Sprintf("; RTT under load %s, now %s", render.Time(p.RTT), render.Time(now.RTT))
		}
		out = append(out, line)
	}
	return out
}

// copiesDiffer: where copies carry so many times what was measured, or so much less, what
// they carry with a remedy is to be held against what they carry without.
const copiesDiffer = 1.2
