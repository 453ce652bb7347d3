package main

import (
	"testing"

	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/twin"
)

func TestCompare(t *testing.T) {
	p, err := path.Parse("rtt=40ms,down.loss=1%,up.rate=10mbit,up.queue=50KiB,down.policer=20mbit:64KiB")
	if err != nil {
		t.Fatal(err)
	}
	up := twin.Way{
		Rate:  twin.Param{Value: 10.2e6, Low: 9.9e6, High: 10.5e6},
		Queue: twin.Queue{Wait: twin.Param{Value: 0.1, Low: 0.08, High: 0.2}},
	}
	down := twin.Way{
		Loss:    twin.Loss{Mean: twin.Param{Value: 0.02, Low: 0.015, High: 0.03}},
		Policer: twin.Policer{Sure: 1, Buckets: []twin.Bucket{{Rate: 19e6, Burst: 50e3}, {Rate: 21e6, Burst: 60e3}}},
	}
	got := map[string]bool{}
	for d, w := range map[record.Direction]twin.Way{record.Up: up, record.Down: down} {
		way := p.Up
		if d == record.Down {
			way = p.Down
		}
		for _, c := range direction(d, way, w) {
			got[c.parameter+" "+string(d)] = c.within()
		}
	}
	want := map[string]bool{
		"jitter up": true, "loss up": true, "rate up": true, "queue up": false,
		"jitter down": true, "loss down": false, "policer-rate down": true, "policer-burst down": false,
	}
	for name, within := range want {
		if have, there := got[name]; !there || have != within {
			t.Errorf("%s: within %v (there: %v), want %v", name, have, there, within)
		}
	}
	if len(got) != len(want) {
		t.Errorf("compared %v", got)
	}
}

func TestTally(t *testing.T) {
	var s tally
	s.add(comparison{parameter: rate, truth: 5, fit: twin.Param{Low: 4, High: 6}})
	s.add(comparison{parameter: rate, truth: 7, fit: twin.Param{Low: 4, High: 6}})
	if sum := s.sum(); sum != (count{1, 2}) {
		t.Errorf("sum %+v", sum)
	}
	if s.check(0.5) != nil || s.check(0.6) == nil {
		t.Error("half are within, and the gate says otherwise")
	}
}
