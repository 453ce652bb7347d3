package seen

import (
	"math"
	"slices"
	"testing"

	"unchoke/internal/record"
)

// probes are sent fifty times a second; those in the gaps get no answer.
func probes(seconds, rtt float64, gaps ...[2]float64) *record.Echo {
	e := &record.Echo{Name: "down-1"}
	for i := range int(50 * seconds) {
		p := record.Probe{At: float64(i) / 50, RTT: rtt}
		for _, g := range gaps {
			if p.At >= g[0] && p.At < g[1] {
				p.RTT = 0
			}
		}
		e.Probes = append(e.Probes, p)
	}
	return e
}

func TestSilences(t *testing.T) {
	for what, c := range map[string]struct {
		echo *record.Echo
		want []float64 // how long each outage lasts
	}{
		"nothing lost":             {probes(10, 0.03), nil},
		"two outages":              {probes(10, 0.03, [2]float64{2, 3}, [2]float64{7, 8}), []float64{1, 1}},
		"from the first probe on":  {probes(10, 0.03, [2]float64{0, 1}), []float64{1}},
		"a few probes":             {probes(10, 0.03, [2]float64{2, 2.2}), nil},
		"a queue that overflows":   {probes(10, 0.4, [2]float64{2, 2.6}), nil},
		"longer than its queue is": {probes(10, 0.4, [2]float64{2, 4}), []float64{2}},
		"the end of the series":    {probes(10, 0.3, [2]float64{9.45, 10}), nil},
	} {
		run := &record.Run{Echoes: []record.Echo{*c.echo}}
		all := OutagesOf(run, 0.03).All
		ok := len(all) == len(c.want)
		for i := range min(len(all), len(c.want)) {
			ok = ok && math.Abs(all[i].Duration-c.want[i]) < 0.03
		}
		if !ok {
			t.Errorf("%s: %+v, want %v", what, all, c.want)
		}
	}
}

// An outage may begin under one series and end under another, or while nobody watched.
// What a flood of UDP loses says nothing, unless nothing comes through at all.
func TestAcrossSeries(t *testing.T) {
	at := func(name string, started float64, e *record.Echo) record.Echo {
		e.Name, e.Started = name, started
		return *e
	}
	all := [2]float64{0, math.Inf(1)}
	rung := func(delivered float64) []record.Transfer {
		return []record.Transfer{{Name: "udp-up-1", Protocol: record.UDP, UDP: &record.Rung{Delivered: delivered}}}
	}
	for what, c := range map[string]struct {
		echoes    []record.Echo
		transfers []record.Transfer
		want      []Outage
	}{
		"from one into the next": {
			[]record.Echo{at("up-1", 0, probes(3, 0.03, [2]float64{2, 3})), at("rest-2", 3, probes(1, 0.03, [2]float64{0, 0.5}))},
			nil,
			[]Outage{{2, 1.5}},
		},
		"nobody watched its end": {
			[]record.Echo{at("up-1", 0, probes(3, 0.03, [2]float64{2, 3})), at("rest-2", 5, probes(1, 0.03))},
			nil,
			[]Outage{{2, 0.92 + unwatched}},
		},
		"all of a rung too": {
			[]record.Echo{at("rest-1", 0, probes(0.5, 0.03)), at("udp-up-1", 0.5, probes(0.7, 0.03, all)), at("rest-3", 1.2, probes(1, 0.03))},
			rung(0),
			[]Outage{{0.5, 0.7}},
		},
		"a flood": {
			[]record.Echo{at("rest-1", 0, probes(0.5, 0.03)), at("udp-up-1", 0.5, probes(0.7, 0.03, all)), at("rest-3", 1.2, probes(1, 0.03))},
			rung(2e6), nil,
		},
		"a rung without probes": {
			[]record.Echo{at("rest-1", 0, probes(0.5, 0.03)), at("udp-up-1", 0.5, probes(0, 0.03))},
			rung(0), nil,
		},
	} {
		got := OutagesOf(&record.Run{Echoes: c.echoes, Transfers: c.transfers}, 0.03).All
		same := func(a, b Outage) bool { return math.Abs(a.At-b.At) < 0.03 && math.Abs(a.Duration-b.Duration) < 0.03 }
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: %+v, want %+v", what, got, c.want)
		}
	}
}

// A host that answers ten probes a second leaves the others without an answer: a
// stream that runs on meanwhile shows that nothing is interrupted.
func TestFewAnswers(t *testing.T) {
	e := probes(10, 0.03)
	for i := range e.Probes {
		if i%50 >= 10 {
			e.Probes[i].RTT = 0
		}
	}
	run := &record.Run{Echoes: []record.Echo{*e}, Transfers: []record.Transfer{{Protocol: record.TCP, Duration: 10, SteadyRate: 8e6}}}
	stream := &run.Transfers[0]
	if o := OutagesOf(run, 0.03); len(o.All) == 0 {
		t.Error("no stream ran, and nothing is said of silences")
	}
	for i := range 100 {
		stream.Intervals = append(stream.Intervals, record.Interval{At: float64(i+1) / 10, Bytes: 1e5})
	}
	if o := OutagesOf(run, 0.03); len(o.All) != 0 {
		t.Errorf("a host that answers seldom is taken for a path that carries nothing: %+v", o)
	}
}

func TestPassed(t *testing.T) {
	stream := &record.Transfer{Started: 10, Duration: 10, SteadyRate: 8e6}
	for i := range 100 {
		stream.Intervals = append(stream.Intervals, record.Interval{At: float64(i+1) / 10, Bytes: 1e5})
	}
	if !passed(stream, Outage{At: 15, Duration: 1}, 0.03) {
		t.Error("the stream ran on, and that is not seen")
	}
	if passed(stream, Outage{At: 3, Duration: 1}, 0.03) || passed(stream, Outage{At: 19.5, Duration: 2}, 0.03) {
		t.Error("the stream did not run then")
	}
	if !passed(stream, Outage{At: 18, Duration: 2.2}, 0.03) {
		t.Error("the stream ran on until it ended, and that is not seen")
	}
	for i := range stream.Intervals {
		if at := stream.Intervals[i].At; at > 5.1 && at < 6 {
			stream.Intervals[i].Bytes = 0
		}
	}
	if passed(stream, Outage{At: 15, Duration: 1}, 0.03) {
		t.Error("the stream stood still")
	}
}

func TestAtOftenest(t *testing.T) {
	for what, c := range map[string]struct {
		all  []Outage
		want float64
	}{
		"none":                        {nil, 0},
		"one":                         {[]Outage{{2, 1}}, 0},
		"two of one second in ten":    {[]Outage{{2, 1}, {12, 1}}, 0.1},
		"one that nobody saw between": {[]Outage{{2, 1}, {7, 2}, {17, 3}}, 2.0 / 5},
	} {
		if got := (Outages{All: c.all}).AtOftenest(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}
