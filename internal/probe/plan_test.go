package probe

import "testing"

func TestSettled(t *testing.T) {
	linear := func(n int, step int64) (out []int64) {
		for i := range n {
			out = append(out, int64(i+1)*step)
		}
		return out
	}
	growing := make([]int64, 40)
	for i := range growing {
		growing[i] = int64(i * i * 1000)
	}
	for _, c := range []struct {
		name  string
		bytes []int64
		want  bool
	}{
		{"too short", linear(8, 1000), false},
		{"constant", linear(40, 1000), true},
		{"growing", growing, false},
		{"nothing moved", make([]int64, 40), false},
	} {
		if got := settled(c.bytes); got != c.want {
			t.Errorf("%s: settled = %v", c.name, got)
		}
	}
}

func TestRatesClimbOnce(t *testing.T) {
	for _, single := range []float64{0, 1e4, 5e6, 9e8, 5e9} {
		r := plan{}.rates(single)
		if len(r) == 0 {
			t.Fatalf("rates(%g) is empty", single)
		}
		for i, v := range r {
			if v < ladderFloor || v > ladderTop || i > 0 && v <= r[i-1] {
				t.Errorf("rates(%g) = %v", single, r)
			}
		}
	}
}
