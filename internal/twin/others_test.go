package twin

import (
	"math"
	"testing"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/wire"
)

// Others whom both ways' RTT shows are in the way that a stream does not fill.
func TestOthersIn(t *testing.T) {
	figures := func(shared bool, rate, capacity, eight float64) diagnose.Figures {
		f := diagnose.Figures{Shared: shared, One: &record.Transfer{}, Rate: rate, Capacity: capacity}
		if eight > 0 {
			f.Eight = &record.Transfer{SteadyRate: eight}
		}
		return f
	}
	for name, c := range map[string]struct {
		up, down     diagnose.Figures
		inUp, inDown bool
	}{
		"the download is full":      {figures(true, 5.7, 8.2, 7.1), figures(true, 60.9, 62.5, 62.5), true, false},
		"so is the upload":          {figures(true, 8.0, 8.2, 8.1), figures(true, 60.9, 62.5, 62.5), true, true},
		"neither is":                {figures(true, 5.7, 8.2, 7.1), figures(true, 20, 62.5, 40), true, true},
		"eight downloads have more": {figures(true, 5.7, 8.2, 7.1), figures(true, 60.9, 62.5, 80), true, true},
		"without eight streams":     {figures(true, 5.7, 8.2, 0), figures(true, 60.9, 62.5, 0), true, false},
		"in one way alone":          {figures(false, 8.0, 8.2, 8.1), figures(true, 60.9, 62.5, 62.5), false, true},
		"one way was not measured":  {diagnose.Figures{}, figures(true, 60.9, 62.5, 62.5), false, true},
		"nobody":                    {figures(false, 5.7, 8.2, 7.1), figures(false, 60.9, 62.5, 62.5), false, false},
	} {
		if inUp, inDown := othersIn(c.up, c.down); inUp != c.inUp || inDown != c.inDown {
			t.Errorf("%s: up %t, down %t", name, inUp, inDown)
		}
	}
}

// beside is a fit of a path whose upload others share: half of the RTT that their queue adds
// and half of its sway are taken for each way's.
func beside() Fit {
	f := likely()
	for _, d := range record.Directions {
		w := f.way(d)
		w.Delay, w.Quiet, w.Jitter, w.Dist, w.Order = exactly(0.035), 0.02, exactly(0.006), path.Normal, path.Keep
		w.Seen.RTT = 0.07
	}
	f.Up.figures = diagnose.Figures{Rate: 5e6}
	f.Up.crossing()
	return f
}

// Others' queue is in the path once: where a copy has them, neither way has its delay or its
// sway beside. Where packets overtake, which no queue has them do, a way keeps its own.
func TestOthersDelayOnce(t *testing.T) {
	f := beside()
	for _, d := range record.Directions {
		for i := range 40 {
			c := f.Copy(d, i, 1)
			crossed := c.Path.Up.Cross != path.Cross{} || c.Path.Down.Cross != path.Cross{}
			if crossed && !c.shared {
				t.Errorf("copy %d has others, and is not shared: %s", i, c.Path)
			}
			want, jitter := 70*time.Millisecond, 6*time.Millisecond
			if c.shared {
				want, jitter = 40*time.Millisecond, 0
			}
			if c.Path.RTT() != want || c.Path.Up.Jitter != jitter || c.Path.Down.Jitter != jitter {
				t.Errorf("%s, copy %d: %s, want %v and a jitter of %v", d, i, c.Path, want, jitter)
			}
		}
	}
	if p := f.Path(); p.RTT() != 40*time.Millisecond || p.Down.Jitter != 0 {
		t.Errorf("the likeliest is %s", p)
	}
	f.Down.Order = path.Free
	if p := f.Path(); p.Down.Jitter != 6*time.Millisecond || p.Up.Jitter != 0 {
		t.Errorf("where packets overtake on the way back, the likeliest is %s", p)
	}
}

// What a copy's RTT rises by is counted from the idle RTT that the path's is, which holds
// others' queue.
func TestRiseBesideOthers(t *testing.T) {
	f := beside()
	measured := Behaviour{RTT: 0.07, One: Stream{Duration: 5, Rate: 5e6, Rise: 0.02}}
	as := Outcome{Steady: 5e6, Early: 5e6, Segments: 2000, RTT: 0.09} // as the path did
	for i := range 40 {
		c := f.Copy(record.Up, i, 1)
		if got := toTime(c.behaviour(measured, []Outcome{as}).One.Rise); got != 20*time.Millisecond {
			t.Errorf("copy %d, %s, rises by %v", i, c.Path, got)
		}
	}
}

// Others who send at one rate are in the copies at that rate, in front of the line that was
// read with it; without a tunnel's headers, at as much less as the line has.
func TestConstantOthersInCopies(t *testing.T) {
	const read = 1.0 + constantError + 0.01 // and a figure's rounding
	f, err := Of(load(t, "congested--udp-at-one-rate"))
	if err != nil {
		t.Fatal(err)
	}
	figures := f.Down.figures
	if figures.Constant <= 0 {
		t.Fatal("the record has no others at one rate")
	}
	inner := float64(f.mss+wire.ACK) / float64(f.mss)
	frame := inner + float64(f.Tunnel.Headers())/float64(f.mss)
	within := func(got, want float64) bool { return math.Abs(math.Log(got/want)) < math.Log(read) }
	if p := f.Path().Down; len(p.Cross.Loads()) != 1 || !within(float64(p.Cross.Loads()[0].UDP), figures.Constant*frame) {
		t.Errorf("the likeliest has %s, want %.0f bit/s", p.Cross, figures.Constant*frame)
	}
	for i := range 40 {
		c := f.Copy(record.Down, i, 1)
		loads := c.Path.Up.Cross.Loads()
		if len(loads) != 1 || !within(float64(loads[0].UDP), figures.Constant*inner) || !within(float64(c.Path.Up.Rate), figures.Capacity*inner) {
			t.Errorf("copy %d: %s", i, c.Path)
		}
		if free, had := c.without(finding.Congested); !had || free.Path.Up.Rate != c.Path.Up.Rate {
			t.Errorf("without others, copy %d is %s", i, free.Path)
		}
	}
}
