package main

import (
	"testing"

	"unchoke/internal/lab/preset"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/twin"
)

func TestPredictedRows(t *testing.T) {
	p := preset.Preset{
		Name: "some", Direction: "down", Arms: []string{"cc=cubic", "cc=bbr,streams=4"},
		Claim: preset.Claim{Arms: []preset.Figure{
			{Rate: stats.Interval{Low: 2e6, High: 4e6}}, {Rate: stats.Interval{Low: 8e6, High: 8e6}},
		}},
	}
	said := twin.Prediction{Arms: []record.Predicted{
		{Arm: "cc=bbr,streams=4", Direction: record.Up, Rate: 1e6},
		{Arm: "cc=cubic", Direction: record.Down, Rate: 3e6, Low: 2e6, High: 4e6},
		{Arm: "cc=bbr,streams=4", Direction: record.Down, Rate: 9e6, Low: 8e6, High: 10e6},
	}}
	want := "| some | loss-limited | cubic | 2–4 Mbit/s | 3.00 Mbit/s \\[2.00–4.00\\] |  |  |\n" +
		"|  |  | bbr × 4 | 8 Mbit/s | 9.00 Mbit/s \\[8.00–10.00\\] | 2–4× | 3.00× |\n"
	if got := predictedRows(p, "loss-limited", said); got != want {
		t.Errorf("the rows are\n%swant\n%s", got, want)
	}
	want = "| some | congested | cubic | 2–4 Mbit/s | refused |  |  |\n|  |  | bbr × 4 | 8 Mbit/s | refused | 2–4× |  |\n"
	if got := predictedRows(p, "congested", twin.Prediction{}); got != want {
		t.Errorf("refused, the rows are\n%swant\n%s", got, want)
	}
}
