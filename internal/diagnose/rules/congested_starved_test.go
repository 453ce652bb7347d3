package rules

import (
	"testing"

	"unchoke/internal/record"
)

// Where no test came up, most echo probes lost before anything was sent are others'
// traffic; fewer are not, nor are all of them, nor is a path on which a stream ran. A
// stream that stood still says no more than none.
func TestStarved(t *testing.T) {
	const nothing = "testdata/congested--nothing-came-up.json.gz"
	run := load(t, nothing)
	if f := Starved(run, record.Up); f == nil || f.Confidence != starvedSure {
		t.Fatalf("%+v", f)
	}
	for _, answers := range []bool{true, false} {
		run := load(t, nothing)
		for _, e := range run.Echoes {
			for i := range e.Probes {
				e.Probes[i].RTT = 0
				if answers {
					e.Probes[i].RTT = 0.1
				}
			}
		}
		if f := Starved(run, record.Up); f != nil {
			t.Errorf("all answered %v: %s", answers, f.Summary)
		}
	}
	run.Transfers = load(t, "testdata/congested--four-cubics.json.gz").Transfers
	if f := Starved(run, record.Up); f != nil {
		t.Errorf("with streams: %s", f.Summary)
	}
	run.Transfers = []record.Transfer{{Direction: record.Up, Protocol: record.TCP, Streams: 1, Started: 5, Duration: 4, Series: []record.Series{{Sender: true, Samples: []record.Sample{{At: 4}}}}}}
	if f := Starved(run, record.Up); f == nil {
		t.Error("nothing of a stream that stood still")
	}
	if f := Starved(run, record.Down); f != nil {
		t.Errorf("of the other way: %s", f.Summary)
	}
}
