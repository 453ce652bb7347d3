package seen

import (
	"slices"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/record"
)

// Behind CAKE a tunnel is one flow, and what our own flood made it drop, it goes on dropping
// of the streams that follow. Where the stream before the flood lost packets as well, or did
// not fill the path, or a later one had as much, nothing says so.
func TestSpoiled(t *testing.T) {
	load := func() *record.Run {
		return diagnosetest.Load(t, "../testdata/healthy--own-flood-behind-cake-in-wireguard.json.gz")
	}
	named := func(r *record.Run, name string) *record.Transfer {
		for i := range r.Transfers {
			if r.Transfers[i].Name == name {
				return &r.Transfers[i]
			}
		}
		t.Fatal("no ", name)
		return nil
	}
	if before, after := Spoiled(load(), record.Down); before == nil || before.Name != "down-1" || after.Name != "down-1-longer" {
		t.Fatal(before, after)
	}
	if before, _ := Spoiled(load(), record.Up); before != nil {
		t.Error("up, where nothing went wrong")
	}
	short := load() // no time was left for a longer stream
	short.Transfers = slices.DeleteFunc(short.Transfers, func(t record.Transfer) bool { return t.Name == "down-1-longer" })
	if before, after := Spoiled(short, record.Down); before == nil || before.Name != "down-1" || after.Streams != 8 {
		t.Error("eight streams alone after the flood:", before, after)
	}
	for what, change := range map[string]func(*record.Run){
		"no tunnel":                          func(r *record.Run) { r.Route.Tunnel = record.Tunnel{} },
		"a stream that lost before":          func(r *record.Run) { named(r, "down-1").Retransmits = 500 },
		"a stream that left some before":     func(r *record.Run) { named(r, "down-1").SteadyRate /= 2 },
		"a later stream that had as much":    func(r *record.Run) { named(r, "down-1-longer").SteadyRate = named(r, "down-1").SteadyRate },
		"a later stream that lost little":    func(r *record.Run) { named(r, "down-1-longer").Retransmits = 2 },
		"a queue beside the stream before":   func(r *record.Run) { slower(r.Echo("down-1"), 0.02) },
		"a flood beside which nothing waits": func(r *record.Run) { r.Echoes = r.Echoes[:3] },
		"an outage":                          func(r *record.Run) { silent(r.Echo("idle"), 0.3, 0.8) },
	} {
		r := load()
		change(r)
		if before, after := Spoiled(r, record.Down); before != nil || after != nil {
			t.Error(what)
		}
	}
}

// slower adds so many seconds to each answer of a series.
func slower(e *record.Echo, by float64) {
	for i := range e.Probes {
		e.Probes[i].RTT += by
	}
}

// silent takes the answers of a series away between two times.
func silent(e *record.Echo, from, to float64) {
	for i := range e.Probes {
		if at := e.Probes[i].At; at >= from && at < to {
			e.Probes[i].RTT = 0
		}
	}
}
