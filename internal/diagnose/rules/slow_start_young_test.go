package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// A stream that loses again after slow start is not only young, nor is one
// whose packets come evenly.
func TestYoung(t *testing.T) {
	run := load(t, "testdata/slow-start--geostationary.json.gz")
	f := Young(view.Of(run, record.Down))
	if f == nil || f.Confidence > overshootSure {
		t.Fatalf("%+v", f)
	}
	for what, change := range map[string]func(*record.Transfer){
		"losses at the end": func(one *record.Transfer) { one.Far[len(one.Far)-1].Retransmits = 3 },
		"an even rate": func(one *record.Transfer) {
			one.Series = nil
			for i := range one.Intervals {
				one.Intervals[i].Rate = one.SteadyRate
			}
		},
		"BBR": func(one *record.Transfer) { one.CC = "bbr" },
	} {
		run := load(t, "testdata/slow-start--geostationary.json.gz")
		for i := range run.Transfers {
			one := &run.Transfers[i]
			one.Far, one.Intervals = append([]record.FarInterval{}, one.Far...), append([]record.Interval{}, one.Intervals...)
			if one.Direction == record.Down {
				change(one)
			}
		}
		if f := Young(view.Of(run, record.Down)); f != nil {
			t.Errorf("%s: %s", what, f.Summary)
		}
	}
}

// What a packet or two of loss did to slow start is a guess.
func TestYoungByFewLosses(t *testing.T) {
	v := view.Of(load(t, "testdata/slow-start--one-loss-by-satellite.json.gz"), record.Down)
	if f := Young(v); f == nil || f.Confidence > 0.5 {
		t.Fatalf("%+v", f)
	}
	v.One.Far[len(v.One.Far)-1].Retransmits = 1
	if f := Young(v); f != nil {
		t.Errorf("it lost again: %s", f.Summary)
	}
}
