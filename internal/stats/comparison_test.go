package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func TestIntervalJSON(t *testing.T) {
	for _, c := range []struct {
		interval Interval
		text     string
	}{
		{Interval{1, 2.5}, "[1,2.5]"},
		{Interval{0, math.Inf(1)}, "[0,null]"},
		{Interval{math.Inf(-1), math.Inf(1)}, "[null,null]"},
	} {
		got, err := json.Marshal(c.interval)
		if err != nil || string(got) != c.text {
			t.Errorf("%v is %s, %v; want %s", c.interval, got, err, c.text)
		}
		var back Interval
		if err := json.Unmarshal(got, &back); err != nil || back != c.interval {
			t.Errorf("%s is %v, %v", got, back, err)
		}
	}
	for _, text := range []string{"[1]", "[1,2,3]", "{}", `["a","b"]`} {
		var i Interval
		if err := json.Unmarshal([]byte(text), &i); err == nil {
			t.Errorf("%s is an interval: %v", text, i)
		}
	}
}

// Of twenty values the bootstrap interval of the median covers about as often
// as it promises; the same seed gives the same interval.
func TestBootstrapMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const runs = 120
	covered := 0
	for range runs {
		xs := make([]float64, 20)
		for i := range xs {
			xs[i] = r.ExpFloat64()
		}
		i := BootstrapMedian(xs, 0.95, 1)
		if i != BootstrapMedian(xs, 0.95, 1) {
			t.Fatal("the same sample and seed give two intervals")
		}
		if i.Contains(math.Ln2) {
			covered++
		}
	}
	if share := float64(covered) / runs; share < 0.88 || share > 0.99 {
		t.Errorf("covers the median in %.3f of samples, want about 0.95", share)
	}
	if got := BootstrapMedian([]float64{7}, 0.95, 1); got != (Interval{7, 7}) {
		t.Errorf("of one value: %v", got)
	}
}

func TestTheilSen(t *testing.T) {
	xs := []float64{0, 1, 2, 3, 4, 5, 6}
	near(t, "slope with an outlier", TheilSen(xs, []float64{1, 3, 5, 700, 9, 11, 13}), 2, 1e-12)
	if got := TheilSen([]float64{1, 1}, []float64{2, 3}); !math.IsNaN(got) {
		t.Errorf("slope of a vertical line: %v", got)
	}
}

// Mann and Kendall's p against a count over all orders.
func TestMannKendall(t *testing.T) {
	score := func(ys []float64) (s int) {
		for i := range ys {
			for k := range i {
				switch {
				case ys[i] > ys[k]:
					s++
				case ys[i] < ys[k]:
					s--
				}
			}
		}
		return max(s, -s)
	}
	ys := []float64{3, 1, 4, 5, 9, 2, 6}
	atLeast, all := 0, 0
	permute(ys, func(order []float64) {
		all++
		if score(order) >= score(ys) {
			atLeast++
		}
	})
	near(t, "p", MannKendall(ys), float64(atLeast)/float64(all), 1e-12)
	near(t, "p of a rise of six", MannKendall([]float64{1, 2, 3, 4, 5, 6}), 2.0/720, 1e-15)
	near(t, "p of equal values", MannKendall([]float64{1, 1, 1, 1}), 1, 0)
	near(t, "p of nothing", MannKendall(nil), 1, 0)
}

func permute(xs []float64, visit func([]float64)) {
	var choose func(k int)
	order := append([]float64(nil), xs...)
	choose = func(k int) {
		if k == len(order) {
			visit(order)
			return
		}
		for i := k; i < len(order); i++ {
			order[k], order[i] = order[i], order[k]
			choose(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	choose(0)
}

func TestJain(t *testing.T) {
	near(t, "equal", Jain(3, 3, 3), 1, 1e-15)
	near(t, "one has all", Jain(5, 0, 0, 0), 0.25, 1e-15)
	near(t, "three to one", Jain(3, 1), 0.8, 1e-15)
	if got := Jain(0, 0); !math.IsNaN(got) {
		t.Errorf("of nothing: %v", got)
	}
}

// The share of samples of the given size that alarm at 5 %.
func alarms(size int, draw func(*rand.Rand) float64) float64 {
	r := rand.New(rand.NewPCG(5, 5))
	const samples = 100
	n := 0
	for range samples {
		xs := make([]float64, size)
		for i := range xs {
			xs[i] = draw(r)
		}
		if TwoModes(xs).P <= 0.05 {
			n++
		}
	}
	return float64(n) / samples
}

func TestTwoModes(t *testing.T) {
	normal := func(r *rand.Rand) float64 { return r.NormFloat64() }
	uniform := func(r *rand.Rand) float64 { return r.Float64() }
	skewed := func(r *rand.Rand) float64 { return r.ExpFloat64() }
	// CUBIC near the jitter cliff: runs at 283 and runs at 4128 KiB/s.
	modes := func(r *rand.Rand) float64 {
		return math.Log([]float64{283, 4128}[r.IntN(2)]) + 0.25*r.NormFloat64()
	}
	for _, c := range []struct {
		name       string
		size       int
		draw       func(*rand.Rand) float64
		least, max float64
	}{
		// Three standard deviations above a twentieth of the samples is 12 %.
		{"normal", 8, normal, 0, 0.06},
		{"normal", 20, normal, 0, 0.06},
		{"uniform", 12, uniform, 0, 0.12},
		{"skewed", 12, skewed, 0, 0.12},
		{"two modes", 8, modes, 0.8, 1},
		{"two modes", 12, modes, 0.95, 1},
		{"two modes", 30, modes, 1, 1},
	} {
		if got := alarms(c.size, c.draw); got < c.least || got > c.max {
			t.Errorf("%s, %d values: %.3f alarm, want %v to %v", c.name, c.size, got, c.least, c.max)
		}
	}
	m := TwoModes([]float64{1, 9, 1.1, 9.1, 0.9, 8.9, 1, 9})
	near(t, "Low", m.Low, 1, 1e-12)
	near(t, "High", m.High, 9, 1e-12)
	for _, xs := range [][]float64{nil, {1}, {1, 9, 1}, {4, 4, 4, 4, 4}, {1, 1, 1, 1, 1, 9}} {
		if p := TwoModes(xs).P; p <= 0.05 {
			t.Errorf("%v: p = %v", xs, p)
		}
	}
}
