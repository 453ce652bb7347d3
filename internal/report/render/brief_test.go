package render

import (
	"math"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

func TestBrief(t *testing.T) {
	for got, want := range map[string]string{
		BriefRate(0): "0", BriefRate(990): "990", BriefRate(999): "1.0k", BriefRate(12.3e6): "12M", BriefRate(1.23e6): "1.2M", BriefRate(999.6e3): "1.0M", BriefRate(0.4): "0.40",
		BriefSize(1536): "1.5k", BriefTime(0.05): "50ms", BriefTime(0.0004): "400µs", BriefTime(1.5): "1.5s", BriefTime(90): "1.5m", BriefTime(600): "10m", BriefTime(3 * 3600): "3.0h",
		BriefTime(5 * 86400): "5.0d", BriefShare(0): "0%", BriefShare(0.006): "0.60%", BriefShare(0.08): "8.0%", BriefShare(1): "100%", BriefShare(1e-7): "0.00%",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Brief figures fit in six columns, those of shares below 10 in five.
func TestBriefIsBrief(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100000 {
		v := math.Pow(10, 14*r.Float64()-6)
		for _, text := range []string{BriefRate(v), BriefSize(v), BriefTime(min(v, 1e9)), BriefShare(min(v, 9))} {
			if utf8.RuneCountInString(text) > 6 {
				t.Fatalf("%v is %s", v, text)
			}
		}
	}
}
