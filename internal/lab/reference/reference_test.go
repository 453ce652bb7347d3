package reference

import (
	"math"
	"strings"
	"testing"
)

// The article says how many runs each part has, and its text must follow from
// the runs where both are here.
func TestRuns(t *testing.T) {
	if n := len(Jitter()); n != 420 {
		t.Errorf("%d jitter runs", n)
	}
	if n := len(Loss()); n != 140 {
		t.Errorf("%d loss runs", n)
	}
	compared := 0
	for _, p := range Text() {
		sum, n := 0.0, 0
		for _, r := range Loss() {
			if r.Path == p.Path && r.CC == p.CC {
				sum += r.Throughput
				n++
			}
		}
		if n == 0 {
			continue
		}
		compared++
		if mean := sum / float64(n); math.Abs(mean-p.Throughput) > p.Resolution/2*1.001 {
			t.Errorf("%s %s: the runs' mean is %.3g bit/s, the article prints %.3g", p.Path, p.CC, mean, p.Throughput)
		}
	}
	if compared != 14 {
		t.Errorf("%d of the 14 published loss cells found among the runs", compared)
	}
}

func TestBadLines(t *testing.T) {
	const head = "a,b,c,d,e,f,g,h,i\n"
	for _, line := range []string{
		"12,0,0,cubic,5.0,10,x,0,0", "twelve,0,0,cubic,5,10,1,0,0", "12,0,0,cubic", "12,0,200,cubic,5,10,1,0,0",
	} {
		if _, err := readRuns(strings.NewReader(head + line)); err == nil {
			t.Errorf("%q: no error", line)
		}
	}
}

func FuzzRuns(f *testing.F) {
	f.Add(jitterCSV[:400])
	f.Add("\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		runs, err := readRuns(strings.NewReader(text))
		if err == nil && len(runs) > strings.Count(text, "\n") {
			t.Errorf("%d runs of %d lines", len(runs), strings.Count(text, "\n"))
		}
	})
}
