//go:build !slim

package view

import (
	"testing"

	"unchoke/internal/flow/packets"
	"unchoke/internal/live"
	"unchoke/internal/record"
)

// What takes the packets shows in how long the one before a lost one waited, and how
// much was on its way.
func TestLostTo(t *testing.T) {
	for name, c := range map[string]struct {
		p    live.Packets
		want LostTo
	}{
		"a queue that the stream fills":   {live.Packets{Waited: 0.95, Filled: 0.9, Before: 0.01}, LostToItself},
		"a queue that others fill":        {live.Packets{Waited: 0.95, Filled: 0.4, Before: 0.01}, LostToOthers},
		"others' packets before its own":  {live.Packets{Waited: 0.6, Filled: 0.7, Before: 0.01, Foreign: 0.6}, LostToOthers},
		"a line that is slower at times":  {live.Packets{Waited: 0.95, Filled: 0.95, Before: 0.01, Foreign: 0.6}, LostToItself},
		"chance":                          {live.Packets{Waited: 0.5, Filled: 0.5}, LostToChance},
		"a policer's bucket":              {live.Packets{Waited: 0.5, Filled: 0.95}, LostUnknown},
		"a bucket that bursts empty":      {live.Packets{Waited: 0.5, Filled: 0.6, Burst: 0.95}, LostUnknown},
		"full, but nothing waited":        {live.Packets{Waited: 0.95, Filled: 0.9, Before: 0.0005}, LostUnknown},
		"full, as far as the delay sways": {live.Packets{Waited: 0.95, Filled: 0.9, Before: 0.01, Sway: 0.02}, LostUnknown},
		"a queue that always stands":      {live.Packets{Waited: 0.5, Filled: 0.5, Before: 0.01}, LostUnknown},
	} {
		h := Headers{Packets: c.p, Lost: make([]packets.Occasion, 12)}
		h.Least = 0.05
		if got := h.lostTo(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	few := Headers{Packets: live.Packets{Waited: 0.95, Filled: 0.4, Before: 0.01, Least: 0.05}, Lost: make([]packets.Occasion, 4)}
	if got := few.lostTo(); got != LostUnknown {
		t.Errorf("four ranks come out like that by chance: %d", got)
	}
}

// What a handover loses is lost within a second; where others fill the queue, losses go on.
func TestInSpells(t *testing.T) {
	for name, c := range map[string]struct {
		at   []float64
		want bool
	}{
		"a handover":             {[]float64{4.1, 4.3, 4.6}, true},
		"two of them":            {[]float64{23, 4.1, 4.3, 4.6, 23.4}, true},
		"others":                 {[]float64{4.1, 4.5, 4.8, 5.2, 5.6}, false},
		"others that are slower": {[]float64{1, 2, 3, 4}, false},
	} {
		var h Headers
		for _, at := range c.at {
			h.Lost = append(h.Lost, packets.Occasion{At: at})
		}
		if got := h.inSpells(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What is lost beside nothing is counted one by one.
func TestLostBesideNothing(t *testing.T) {
	h := Headers{Packets: live.Packets{Least: 0.05}, Segments: 1000, Lost: []packets.Occasion{{Wait: 0}, {Wait: 0.002}, {Wait: 0.01}}}
	if got := h.lostBesideNothing(); got.K != 2 || got.N != 1000 {
		t.Errorf("%v", got)
	}
	h.Sway = 0.02
	if got := h.lostBesideNothing(); got.K != 3 {
		t.Errorf("no queue is longer than the delay sways: %v", got)
	}
}

// Where the delay varies and keeps the order, what was lost behind a packet that waited was
// not lost in others' queue: that packet was held back.
func TestLostBesideJitter(t *testing.T) {
	for _, c := range []struct {
		file string
		dir  record.Direction
		want LostTo
	}{
		{"shallow-buffer--jitter-that-moves-as-a-queue", record.Down, LostUnknown},
		{"congested--beside-a-deep-queue-in-wireguard", record.Up, LostToOthers},
	} {
		v := Of(load(t, "testdata/"+c.file+".json.gz"), c.dir)
		v.headers = &Headers{Packets: live.Packets{Passes: 2 * v.Rate, Waited: 0.95, Filled: 0.4, Before: 0.01, Least: 0.05}}
		for i := range 12 {
			v.headers.Lost = append(v.headers.Lost, packets.Occasion{At: float64(i)})
		}
		if got, _ := v.LostTo(); got != c.want {
			t.Errorf("%s: %d, want %d", c.file, got, c.want)
		}
	}
}
