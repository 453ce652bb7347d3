package tui

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
	"unchoke/internal/live/table"
)

func TestChart(t *testing.T) {
	got := strings.Join(chart([]float64{nan, 0, 0.01, 4, 8, 16, 99}, 0, 16, 8, 2), "|")
	if want := "      ██|   ▁▄███"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := chart([]float64{1, 2, 3, 4}, 0, 4, 2, 1); got[0] != "▆█" {
		t.Errorf("a narrow chart shows %q", got)
	}
	if got := chart(nil, 0, 0, 3, 1); got[0] != "   " {
		t.Errorf("an empty chart shows %q", got)
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		fromZero  bool
		low, high float64
	}{
		{[]float64{12.3e6, 4e6}, true, 0, 13e6},
		{[]float64{0.0502, 0.0534}, true, 0, 0.054},
		{[]float64{0.0502, 0.0534}, false, 0.049, 0.054},
		{[]float64{0.01, 0.0534}, false, 0, 0.054},
		{[]float64{nan, nan}, false, 0, 0},
		{nil, true, 0, 0},
		{[]float64{10, 10}, true, 0, 10},
	} {
		low, high := scale(c.values, c.fromZero)
		if math.Abs(low-c.low) > 1e-9*c.high || math.Abs(high-c.high) > 1e-9*c.high {
			t.Errorf("scale(%v, %v) = %v to %v, want %v to %v", c.values, c.fromZero, low, high, c.low, c.high)
		}
	}
}

func TestStacked(t *testing.T) {
	for _, c := range []struct {
		shares []float64
		want   []int
	}{
		{[]float64{0.1, 0, 0, 0.9}, []int{1, 0, 0, 9}},
		{[]float64{0.001, 0, 0.5, 0}, []int{1, 0, 4, 0}},
		{[]float64{1, 1, 0, 0}, []int{5, 5, 0, 0}},
		{[]float64{0, 0, 0, 0}, []int{0, 0, 0, 0}},
		{[]float64{nan, -1, 0, 0.5}, []int{0, 0, 0, 5}},
	} {
		if got := stacked(c.shares, 10); !slices.Equal(got, c.want) {
			t.Errorf("stacked(%v) = %v, want %v", c.shares, got, c.want)
		}
	}
}

// history makes points of looks at seconds after the start.
func history(rates map[float64]float64) ([]table.Point, time.Time) {
	k := table.NewKeeper(table.Keep{})
	var end time.Time
	var at []float64
	for s := range rates {
		at = append(at, s)
	}
	slices.Sort(at)
	resent := uint64(0)
	for _, s := range at {
		if rates[s] > 0 {
			resent += 2
		}
		end = livetest.Start.Add(time.Duration(s * float64(time.Second)))
		k.Observe(&live.Snapshot{Time: end, Interval: 1, Flows: []live.Flow{{ID: "1", SentRate: rates[s], Retransmits: resent}}})
	}
	return k.Series("1").Points(), end
}

func TestWindow(t *testing.T) {
	sent := func(p table.Point) float64 { return float64(p.Sent) }
	// Looks come a little late; the flow rests from the fourth second on.
	points, _ := history(map[float64]float64{1: 10, 2.02: 20, 3.1: 30, 4.1: 0, 5: 0, 6: 0, 7: 0, 8: 40})
	end := livetest.Start.Add(8 * time.Second)
	w := newWindow(points, end, time.Second, 10, false)
	if got, want := w.mean(sent, 0), []float64{nan, nan, 10, 20, 20, 30, 0, 0, 0, 40}; !same(got, want) {
		t.Errorf("a column a second: %v, want %v", got, want)
	}
	sum := 0.0
	for _, v := range w.retransmits() {
		sum += v
	}
	if sum != 6 { // those before the first look are not of its interval
		t.Errorf("%v retransmits are drawn of 6", sum)
	}
	// Of a recording that was wound on, nothing is told of what was left out.
	wound, _ := history(map[float64]float64{1: 10, 2: 10, 60: 10, 61: 10})
	resent := newWindow(withoutJumps(wound, time.Second), livetest.Start.Add(61*time.Second), time.Second, 61, false).retransmits()
	if resent[1] != 2 || resent[59] != 0 || resent[60] != 2 {
		t.Errorf("wound on, %v retransmits", resent)
	}
	w = newWindow(points, end, time.Second, 4, true)
	if w.each != 2*time.Second || !same(w.mean(sent, 0), []float64{10, 25, 0, 20}) {
		t.Errorf("the whole: %v a column, %v", w.each, w.mean(sent, 0))
	}
	w = newWindow(nil, end, time.Second, 3, true)
	if !same(w.mean(sent, 0), []float64{nan, nan, nan}) {
		t.Errorf("of nothing: %v", w.mean(sent, 0))
	}
}

func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// Every column of the table has its place, each rank is there once, and the
// usual ones fit 80 columns.
func TestPlaces(t *testing.T) {
	var keys []string
	ranks := map[int]bool{}
	for _, p := range places {
		keys = append(keys, p.key)
		ranks[p.rank] = true
	}
	want := table.Keys()
	slices.Sort(keys)
	slices.Sort(want)
	if !slices.Equal(keys, want) || len(ranks) != len(places) {
		t.Errorf("places %v, columns %v, %d ranks", keys, want, len(ranks))
	}
	for width := leastWidth; width < 300; width++ {
		for _, sorted := range table.Keys() {
			used, shown := flagColumns-gap, map[string]bool{}
			for _, c := range choose(width, sorted) {
				used += c.width + gap
				shown[c.Key] = true
			}
			if used > width {
				t.Fatalf("at %d columns, sorted by %s, the table takes %d", width, sorted, used)
			}
			if width >= 80 && (!shown[sorted] || sorted == "rate" && !(shown["limit"] && shown["jitter-ratio"])) {
				t.Fatalf("at %d columns, sorted by %s, there are %v", width, sorted, shown)
			}
		}
	}
}
