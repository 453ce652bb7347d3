//go:build !slim

package app

import (
	"testing"
	"time"

	"unchoke/internal/record"
	"unchoke/internal/state"
)

func predictedBBR(gain float64) []record.Predicted {
	return []record.Predicted{
		{Arm: record.Now, Direction: record.Up, Gain: 1},
		{Arm: "cc=bbr", Direction: record.Up, Gain: gain, GainLow: gain / 1.2, GainHigh: gain * 1.2},
		{Arm: "without random loss", Direction: record.Up, Without: []string{"loss-limited"}, Gain: 50},
	}
}

func arm(name, cc string) record.Arm { return record.Arm{Name: name, CC: cc, Direction: record.Up} }

// A prediction belongs to a comparison that tries what it was about, soon after.
func TestForetold(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	run := record.New("far:5201", "", now.Add(-time.Hour))
	run.Transfers = []record.Transfer{{Direction: record.Up, Protocol: record.TCP, Streams: 1, CC: "cubic"}}
	run.Predicted = predictedBBR(40)
	cubic, bbr := arm("cc=cubic", "cubic"), arm("cc=bbr", "bbr")
	down := bbr
	down.Direction = record.Down
	for name, c := range map[string]struct {
		run  *record.Run
		arms []record.Arm
		at   time.Time
		want int
	}{
		"as predicted":              {run, []record.Arm{cubic, bbr}, now, 1},
		"the sender's own baseline": {run, []record.Arm{arm("now", ""), bbr}, now, 1},
		"no check":                  {nil, []record.Arm{cubic, bbr}, now, 0},
		"days later":                {run, []record.Arm{cubic, bbr}, now.Add(48 * time.Hour), 0},
		"against another baseline":  {run, []record.Arm{arm("cc=reno", "reno"), bbr}, now, 0},
		"another arm":               {run, []record.Arm{cubic, arm("cc=reno", "reno")}, now, 0},
		"the other direction":       {run, []record.Arm{cubic, down}, now, 0},
		"against eight streams":     {run, []record.Arm{{Name: "streams=8", Streams: 8, Direction: record.Up}, bbr}, now, 0},
	} {
		if got := foretold(c.run, c.arms, c.at); len(got) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A comparison is kept with what was predicted for it, and holds the prediction
// to what it measured.
func TestCalibration(t *testing.T) {
	store := state.Store{Dir: t.TempDir()}
	for i, predicted := range []float64{2, 4} {
		c := record.NewComparison("far:5201", "", time.Date(2026, 11, 22, 12, i, 0, 0, time.UTC))
		c.ID = state.NewID(c.Started)
		c.Arms = []record.Arm{arm("cc=cubic", "cubic"), arm("cc=bbr", "bbr")}
		c.Predicted = predictedBBR(predicted)
		for block := range 6 {
			for a, rate := range []float64{1e6, 2.1e6} {
				c.Trials = append(c.Trials, record.Trial{Block: block, Arm: a, Rate: rate * (1 + 0.01*float64(block))})
			}
		}
		if err := store.Save(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Save(record.New("far:5201", "", time.Now())); err != nil {
		t.Fatal(err)
	}
	all, unread, err := Calibration(store)
	if err != nil || len(unread) != 0 || len(all) != 2 {
		t.Fatalf("%+v, %v, %v", all, unread, err)
	}
	for i, want := range []struct {
		predicted float64
		held      bool
	}{{4, false}, {2, true}} { // the newest first
		got := all[i]
		if got.Predicted != want.predicted || got.Held != want.held || got.Arm != "cc=bbr" || got.Measured < 2.09 || got.Measured > 2.11 || got.Blocks != 6 {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
