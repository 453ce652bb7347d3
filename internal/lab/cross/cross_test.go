package cross

import (
	"slices"
	"testing"
	"time"

	"unchoke/internal/path"
)

func mustParse(t *testing.T, spec string) path.Path {
	t.Helper()
	p, err := path.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWarmUp(t *testing.T) {
	for spec, want := range map[string]time.Duration{
		"rtt=50ms,rate=9mbit":                                       0,
		"rtt=50ms,rate=9mbit,down.cross=1xbbr":                      3500 * time.Millisecond,
		"rtt=50ms,rate=9mbit,schedule=at 9s cross=1xbbr":            0, // not there yet
		"rtt=50ms,rate=9mbit,schedule=at 0s for 1s cross=1xbbr":     3500 * time.Millisecond,
		"rtt=50ms,rate=9mbit,cross=1xbbr,schedule=at 0s cross=none": 0,
		"rtt=50ms,rate=9mbit,cross=1xbbr,schedule=at 0s rtt=+50ms":  5 * time.Second,
		"rtt=50ms,rate=9mbit,up.cross=5mbit,schedule=at 9s loss=1%": 3500 * time.Millisecond,
	} {
		if got := WarmUp(mustParse(t, spec)); got != want {
			t.Errorf("%s: warms up for %v, want %v", spec, got, want)
		}
	}
}

func TestThreads(t *testing.T) {
	for spec, least := range map[string]int{
		"rtt=50ms":                          0,
		"rate=9mbit,up.cross=4xcubic+5mbit": 2*4 + 1,
		"rate=9mbit,cross=1xbbr,schedule=at 1s down.cross=3xcubic": 2*2 + 2*3,
	} {
		if got := Threads(mustParse(t, spec)); got < least {
			t.Errorf("%s: %d threads, at least %d are wanted", spec, got, least)
		}
	}
}

// What runs and is still wanted goes on; no more ends or begins than must.
func TestChange(t *testing.T) {
	loads := func(text string) []path.Load {
		p := mustParse(t, "rate=9mbit,cross="+text)
		return kinds(p.Up.Cross)
	}
	same := func(l path.Load) path.Load { return l }
	for _, c := range []struct{ running, want, on, end, begin string }{
		{"none", "2xcubic+5mbit", "none", "none", "1xcubic+1xcubic+5mbit"},
		{"2xcubic+5mbit", "none", "none", "2xcubic+5mbit", "none"},
		{"2xcubic+5mbit", "5mbit+2xcubic", "2xcubic+5mbit", "none", "none"},
		{"2xcubic", "3xcubic+1xbbr", "2xcubic", "none", "1xcubic+1xbbr"},
		{"4xcubic", "1xcubic", "1xcubic", "3xcubic", "none"},
		{"5mbit", "6mbit", "none", "5mbit", "6mbit"},
		{"5mbit+5mbit", "5mbit", "5mbit", "5mbit", "none"},
	} {
		on, end, begin := change(loads(c.running), same, loads(c.want))
		for _, part := range []struct {
			name string
			got  []path.Load
			want string
		}{{"goes on", on, c.on}, {"ends", end, c.end}, {"begins", begin, c.begin}} {
			if !slices.Equal(part.got, loads(part.want)) {
				t.Errorf("%s to %s: %v %s, want %s", c.running, c.want, part.got, part.name, part.want)
			}
		}
	}
}
