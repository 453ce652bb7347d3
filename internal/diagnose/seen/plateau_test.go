package seen

import (
	"testing"

	"unchoke/internal/record"
)

// A window of the hosts brings as much in each round trip, whatever was lost; a congestion
// window grows, and what never came is no window's.
func TestPlateau(t *testing.T) {
	const rtt, mss = 0.1, 1000
	stream := func(segments func(trip int) int) *record.Transfer {
		s := record.Series{Stream: 1}
		bytes := 0
		for i := range 500 { // ten samples a round trip: what comes in it comes at once
			if i%10 == 5 {
				bytes += segments(i/10) * mss
			}
			s.Samples = append(s.Samples, record.Sample{At: float64(i) / 100, Bytes: int64(bytes)})
		}
		return &record.Transfer{Duration: 5, Series: []record.Series{s}}
	}
	for name, c := range map[string]struct {
		segments    func(trip int) int
		least, most float64
	}{
		"a full window":                     {func(int) int { return 50 }, 0.95, 1},
		"one that a loss broke for a while": {func(n int) int { return map[bool]int{true: 20, false: 50}[n >= 40 && n < 45] }, 0.75, 0.85},
		"a congestion window":               {func(n int) int { return 50 + n/2 }, 0, 0.2},
		"one too large to tell":             {func(int) int { return 1000 }, 0, 0},
		"CUBIC near where it lost":          {func(n int) int { return 100 - max(20-n, 0) }, 0, 0},
		"nothing":                           {func(int) int { return 0 }, 0, 0},
	} {
		if got := Plateau(stream(c.segments), rtt, mss); got < c.least || got > c.most {
			t.Errorf("%s: %.2f, want %.2f to %.2f", name, got, c.least, c.most)
		}
	}
	if got := Plateau(&record.Transfer{Duration: 5, Series: []record.Series{{Samples: []record.Sample{{At: 1}}}}}, rtt, mss); got != 0 {
		t.Errorf("one sample: %.2f", got)
	}
}
