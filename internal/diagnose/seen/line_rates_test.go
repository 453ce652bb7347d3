package seen

import "testing"

// The same 300 KB of queue take 126 ms at 19 Mbit/s and 28 at 87: the line's rate changes.
// Others leave the queue as long, and give more of the line to who sends more.
func TestLineRates(t *testing.T) {
	rung := func(delivered, waited float64, lost int64) Rung {
		return Rung{Delivered: delivered, Rise: waited, Risen: true, Lost: lost, Packets: 2000}
	}
	for name, c := range map[string]struct {
		rungs []Rung
		found bool
	}{
		"two rates":                 {[]Rung{rung(87e6, 0.028, 300), rung(12e6, 0, 0), rung(19e6, 0.126, 250)}, true},
		"one line, and others":      {[]Rung{rung(15e6, 0.055, 80), rung(28e6, 0.055, 300)}, false},
		"nearly one rate":           {[]Rung{rung(19e6, 0.126, 250), rung(21e6, 0.115, 250)}, false},
		"the slow one lost nothing": {[]Rung{rung(19e6, 0.126, 0), rung(87e6, 0.028, 300)}, false},
		"no rung":                   {nil, false},
	} {
		least, most, found := LineRates(c.rungs)
		if found != c.found || found && (least != 19e6 || most != 87e6) {
			t.Errorf("%s: %g to %g, %v", name, least, most, found)
		}
	}
}

// Of what was lost in runs, rungs that waited, that were as fast as the path, or that the
// far end received tell nothing.
func TestLostInRuns(t *testing.T) {
	rungs := []Rung{
		{Timed: true, Sent: 10e6, Lost: 70, Packets: 338, Runs: 1},
		{Timed: true, Sent: 11e6, Lost: 55, Packets: 1287, Runs: 1},
		{Timed: true, Sent: 11e6, Lost: 20, Packets: 300, Runs: 9, OwnMost: 0.03},
		{Timed: true, Sent: 66e6, Lost: 974, Packets: 1602, Runs: 394},
		{Sent: 5e6, Lost: 4, Packets: 100},
	}
	if runs, lost := LostInRuns(rungs, 15e6); runs != 2 || lost.K != 125 || lost.N != 1625 {
		t.Errorf("%d runs of %+v", runs, lost)
	}
}
