package analysis

import (
	"testing"
	"time"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// bulkRows are runs of one cell with these throughputs and their neighbors'.
func bulkRows(cell int, p string, spec traffic.Spec, arm grid.Arm, rates ...[2]float64) []grid.Row {
	parsed, err := path.Parse(p)
	if err != nil {
		panic(err)
	}
	spec.Kind, spec.Duration = traffic.Bulk, 10*time.Second
	var rows []grid.Row
	for i, r := range rates {
		rows = append(rows, grid.Row{
			Cell: cell, Repetition: i, Seed: uint64(i), Path: parsed, Traffic: spec, Arm: arm,
			Result: traffic.Result{Throughput: r[0], NeighborThroughput: r[1], CC: arm.CC},
		})
	}
	return rows
}

func TestSharing(t *testing.T) {
	const p = "rtt=40ms,rate=50mbit"
	beside := func(cc, neighbor string, streams int) grid.Arm {
		return grid.Arm{CC: cc, Neighbor: neighbor, Streams: streams}
	}
	var s Study
	for i, c := range []struct {
		arm   grid.Arm
		rates [][2]float64
	}{
		{beside("cubic", "", 0), [][2]float64{{50e6, 0}, {49e6, 0}}},
		{beside("bbr", "cubic", 0), [][2]float64{{40e6, 10e6}, {41e6, 9e6}, {39e6, 11e6}}},
		{beside("cubic", "bbr", 0), [][2]float64{{10e6, 40e6}, {11e6, 39e6}, {9e6, 41e6}}},
		{beside("cubic", "cubic", 0), [][2]float64{{20e6, 30e6}, {30e6, 20e6}, {25e6, 25e6}}},
		{beside("cubic", "reno", 0), [][2]float64{{30e6, 20e6}, {30e6, 20e6}}},     // the same run again
		{beside("reno", "cubic", 3), [][2]float64{{30.1e6, 20e6}, {29.9e6, 20e6}}}, // of three streams' 75 %
		{beside("reno", "bbr", 0), [][2]float64{{0, 0}}},                           // nobody got anything
	} {
		s.Rows = append(s.Rows, bulkRows(i, p, traffic.Spec{}, c.arm, c.rates...)...)
	}
	got := Analyse(s).Sharing
	want := []struct {
		cell  int
		share float64
		equal float64
		takes Takes
	}{{1, 0.8, 0.5, More}, {2, 0.2, 0.5, Less}, {3, 0.5, 0.5, NotTold}, {4, 0.6, 0.5, NotTold}, {5, 0.6, 0.75, Less}}
	if len(got) != len(want) {
		t.Fatalf("%d cells share, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		g := got[i]
		if g.Cell != w.cell || g.Share < w.share-1e-3 || g.Share > w.share+1e-3 || g.Equal != w.equal || g.Takes != w.takes {
			t.Errorf("%+v, want %+v", g, w)
		}
		if (g.Interval == nil) != (w.cell == 4) {
			t.Errorf("cell %d: interval %v", g.Cell, g.Interval)
		}
	}
	if got[0].Rate != 10e6 || got[0].Neighbor != "cubic" {
		t.Errorf("the neighbor: %+v", got[0])
	}
}

func TestBufferCurves(t *testing.T) {
	var s Study
	add := func(p string, spec traffic.Spec, cc string, rate float64) {
		s.Rows = append(s.Rows, bulkRows(len(s.Rows), p, spec, grid.Arm{CC: cc}, [2]float64{rate, 0})...)
	}
	const near, far = "rtt=20ms,rate=100mbit", "rtt=200ms,rate=100mbit"
	receive := func(kib unit.Size) traffic.Spec { return traffic.Spec{ReceiveBuffer: kib * unit.KiB} }
	send := func(kib unit.Size) traffic.Spec { return traffic.Spec{SendBuffer: kib * unit.KiB} }
	for _, c := range []struct {
		kib  unit.Size
		rate float64
	}{{512, 95e6}, {64, 20e6}, {128, 91e6}, {256, 93e6}} { // in no order
		add(near, receive(c.kib), "cubic", c.rate)
	}
	add(near, traffic.Spec{}, "cubic", 96e6) // autotuned
	add(far, receive(64), "cubic", 2e6)      // 128 KiB would do, but not 256
	add(far, receive(128), "cubic", 90e6)
	add(far, receive(256), "cubic", 50e6)
	add(near, send(64), "bbr", 10e6)
	add(near, send(128), "bbr", 20e6)
	add(far, send(64), "bbr", 1e6) // alone
	got := Analyse(s).Buffers
	want := []struct {
		side      Side
		label     string
		sizes     int
		autotuned int
		enough    int64
	}{
		{Receive, "cubic, 20ms, 100 Mbit/s", 4, 4, 128 << 10},
		{Receive, "cubic, 200ms, 100 Mbit/s", 3, -1, 0},
		{Send, "bbr, 20ms, 100 Mbit/s", 2, -1, 128 << 10},
	}
	if len(got) != len(want) {
		t.Fatalf("%d curves, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		g := got[i]
		if g.Side != w.side || g.Label != w.label || len(g.Levels) != w.sizes || g.Autotuned != w.autotuned || g.Enough != w.enough {
			t.Errorf("%+v, want %+v", g, w)
		}
		for k := 1; k < len(g.Levels); k++ {
			if g.Levels[k].Bytes <= g.Levels[k-1].Bytes {
				t.Errorf("sizes are not in order: %+v", g.Levels)
			}
		}
	}
}
