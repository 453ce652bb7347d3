package twin

import (
	"math/rand/v2"
	"testing"

	"unchoke/internal/diagnose"
	"unchoke/internal/flow"
	"unchoke/internal/path"
	"unchoke/internal/record"
)

// Where no echo probe was answered, jitter is what the packets had that this host timed, and
// in an interval where it timed none. Packets that overtook each other had some.
func TestUnprobedJitter(t *testing.T) {
	const rtt = 0.04
	timed := func(dev float64, strays int64) diagnose.Figures {
		return diagnose.Figures{Timed: true, DelayDev: dev, Strays: strays, Seen: 1000}
	}
	for name, c := range map[string]struct {
		down, up diagnose.Figures
		want     Param // of the download
		order    path.Order
		wantUp   Param
	}{
		"timed":                {timed(0.004, 0), diagnose.Figures{}, about(0.004, 2), path.Keep, Param{0.004, 0, 0.008}},
		"timed, and overtake":  {timed(0.004, 50), diagnose.Figures{}, about(0.004, 2), path.Free, Param{0.004, 0, 0.008}},
		"timed, and none":      {timed(0.00001, 0), diagnose.Figures{}, Param{}, path.Keep, Param{}},
		"timed by too few":     {timed(0, 50), diagnose.Figures{}, about(0.001, 2), path.Free, Param{}},
		"not timed":            {diagnose.Figures{}, diagnose.Figures{}, Param{0, 0, 0.004}, path.Keep, Param{0, 0, 0.004}},
		"not timed, overtaken": {diagnose.Figures{Strays: 50, Seen: 1000}, diagnose.Figures{}, Param{0.004, 0.001, 0.016}, path.Free, Param{0, 0, 0.004}},
	} {
		f := Fit{Up: Way{figures: c.up}, Down: Way{figures: c.down}}
		f.Up.figures.Idle = flow.Spread{N: 1, Low: rtt, Mid: rtt, High: rtt} // the floor of a stream's own RTT
		f.delays(&record.Run{})
		if got := f.Down; !near(got.Jitter, c.want) || got.Order != c.order {
			t.Errorf("%s: %+v %s, want %+v %s", name, got.Jitter, got.Order, c.want, c.order)
		}
		if got := f.Up; !near(got.Jitter, c.wantUp) {
			t.Errorf("%s: the other way has %+v, want %+v", name, got.Jitter, c.wantUp)
		}
		var p path.Path
		p.Up, _ = f.Up.likeliest()
		p.Down, _ = f.Down.draw(rand.New(rand.NewPCG(1, 2)))
		if got, err := path.Parse(p.String()); err != nil || got != p {
			t.Errorf("%s: %v is %v when it is read again: %v", name, p, got, err)
		}
	}
}

// A path without a round-trip time is not understood.
func TestNoRoundTrip(t *testing.T) {
	for rtt, want := range map[float64]int{0: 1, 0.04: 0} {
		f := Fit{}
		f.Down.figures.Idle = flow.Spread{N: 1 - want, Low: rtt, Mid: rtt, High: rtt}
		f.delays(&record.Run{})
		if len(f.NotRebuilt) != want {
			t.Errorf("with an RTT of %v s: %q", rtt, f.NotRebuilt)
		}
	}
}

func near(a, b Param) bool {
	const nothing = 1e-9
	return max(a.Value-b.Value, b.Value-a.Value, a.Low-b.Low, b.Low-a.Low, a.High-b.High, b.High-a.High) < nothing
}

// A queue is taken for an AQM if streams never fill what a flood does: where nothing tells
// how long packets waited beside streams, it is not.
func TestNoManagedQueueUnseen(t *testing.T) {
	echoes := flow.Spread{N: 50, Low: 0.04, Mid: 0.04, High: 0.041}
	for name, c := range map[string]struct {
		idle, loaded, busier flow.Spread
		managed              float64
	}{
		"seen":                        {echoes, echoes, echoes, 0.6},
		"beside eight alone":          {echoes, flow.Spread{}, echoes, 0.6},
		"no echo":                     {},
		"none beside streams":         {idle: echoes},
		"none on the path without us": {loaded: echoes, busier: echoes},
	} {
		w := Way{figures: diagnose.Figures{
			Idle: c.idle, Loaded: c.loaded, Busier: c.busier, OwnWait: 0.05, Waited: true, Losses: flow.Losses{Segments: 5000, Real: 20},
			Overloads: []diagnose.Overload{{Duration: 0.35, Sent: 300e6, Delivered: 200e6, Arrived: 70e6}},
		}}
		w.queue()
		if q := w.Queue; q.Managed != c.managed || q.Wait.Value < 0.04 || q.Wait.High > 0.07 {
			t.Errorf("%s: %+v, want %g", name, q, c.managed)
		}
	}
}
