package twin

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// comingAndGoing are outages of half a second, five seconds apart.
func comingAndGoing() Outages {
	return Outages{
		Seen: []diagnose.Outage{{At: 3, Duration: 0.5}, {At: 8, Duration: 0.5}, {At: 13, Duration: 0.5}},
		For:  exactly(0.5), Every: Param{5.5, 5, 6}, Costly: true,
	}
}

// A check's transfer is copied with the outages that it met, at their times and no
// longer than it lasted itself.
func TestReplayed(t *testing.T) {
	o := comingAndGoing()
	for name, c := range map[string]struct {
		from, length float64
		want         []time.Duration // beginnings
		last         time.Duration   // length of the last
	}{
		"one within":         {6, 4, []time.Duration{2 * time.Second}, 500 * time.Millisecond},
		"two":                {2, 7, []time.Duration{time.Second, 6 * time.Second}, 500 * time.Millisecond},
		"begun before it":    {8.3, 4, []time.Duration{0}, 200 * time.Millisecond},
		"ended in the midst": {10, 3.2, []time.Duration{3 * time.Second}, 200 * time.Millisecond},
		"none":               {14, 5, nil, 0},
	} {
		episodes := o.replayed(o.likeliest(), c.from, c.length).Episodes()
		var begin []time.Duration
		for _, e := range episodes {
			begin = append(begin, e.At)
			if e.Every != 0 || e.Up.Loss == nil || e.Up.Loss.P != unit.Ratio(1) || e.Down.Loss == nil {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if !slices.Equal(begin, c.want) {
			t.Errorf("%s: they begin at %v, want %v", name, begin, c.want)
		}
		if len(episodes) > 0 && episodes[len(episodes)-1].For != c.last {
			t.Errorf("%s: the last takes %v, want %v", name, episodes[len(episodes)-1].For, c.last)
		}
	}
}

// A trial of an arm meets outages again and again, as many as in the long run, and none
// where they are taken away. The path as text has them where two or more were met.
func TestArmsMeetOutages(t *testing.T) {
	f := Fit{
		Outages: comingAndGoing(), mss: 1448,
		Up:   Way{measured: true, Rate: exactly(10e6), Seen: Behaviour{One: Stream{Started: 2, Duration: 7}}},
		Down: Way{measured: true, Rate: exactly(10e6)},
	}
	c := f.Copy(record.Up, 0, 1)
	episodes := Now(record.Up).trial(c).Path.Schedule.Episodes()
	if len(episodes) != 1 || episodes[0].Every != 5500*time.Millisecond || episodes[0].For != 500*time.Millisecond {
		t.Errorf("now: %+v", episodes)
	}
	trial := Now(record.Up).trial(c)
	if counted := trial.Duration - trial.Omit; counted%c.outage.every != 0 || counted < leastCounted {
		t.Errorf("the figures cover %v, which is no multiple of %v", counted, c.outage.every)
	}
	p := Panel{Direction: record.Up, Members: []Copy{c, f.Copy(record.Up, 1, 1)}}
	arms := p.Counterfactuals(nil)
	if got, want := withoutWhat(arms[:1]), []string{"without outages"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if healthy := p.Counterfactuals([]finding.Finding{{Cause: finding.Healthy, Direction: record.Up}}); !slices.Equal(withoutWhat(healthy), withoutWhat(arms[:1])) {
		t.Errorf("of a healthy stream %q is asked", withoutWhat(healthy))
	}
	bare := arms[0].trial(c)
	if s := bare.Path.Schedule; s != (path.Schedule{}) || arms[0].Without[0] != finding.LossLimited {
		t.Errorf("without outages: %v", s)
	}
	if bare.Duration != trial.Duration || bare.Quick().Duration != trial.Quick().Duration {
		t.Errorf("without outages a trial takes %v, with them %v", bare.Duration, trial.Duration)
	}
	if got := len(f.Checks(record.Up, c)[0].Path.Schedule.Episodes()); got != 2 {
		t.Errorf("the check's copy met %d outages, want 2", got)
	}
	if got, want := f.Path().Schedule.String(), "at 2.75s every 5.5s for 500ms loss=100%"; got != want {
		t.Errorf("as text: %q, want %q", got, want)
	}
	f.Outages.Seen = f.Outages.Seen[:1]
	if s := f.Path().Schedule; s != (path.Schedule{}) {
		t.Errorf("of a single outage nobody knows when the next comes: %v", s)
	}
}

// Some copies lose one way alone, and all leave time between two outages.
func TestDrawnOutages(t *testing.T) {
	o := comingAndGoing()
	o.Every = Param{1, 0.2, 1}
	ways, r := map[[2]bool]int{}, rand.New(rand.NewPCG(1, 2))
	for range 100 {
		x := o.draw(r)
		ways[[2]bool{x.up, x.down}]++
		if x.every < leastGap*x.length {
			t.Errorf("%v of each %v carry nothing", x.length, x.every)
		}
		x.again() // panics where it is no schedule
	}
	if len(ways) != 3 || ways[[2]bool{}] > 0 {
		t.Errorf("ways that carry nothing: %v", ways)
	}
	if (Outages{}).draw(r) != (outage{}) {
		t.Error("a path without outages has a copy with some")
	}
}

// Outages that come more rarely than a quick trial is long are left to one that takes its
// time, if they cost much.
func TestRareOutages(t *testing.T) {
	f := Fit{Outages: comingAndGoing(), mss: 1448, Up: Way{measured: true, Rate: exactly(400e6)}}
	if f.RareOutages(record.Up) {
		t.Error("outages each 5.5 s are rare")
	}
	f.Outages.Every = exactly(60)
	if !f.RareOutages(record.Up) {
		t.Error("outages each minute are not rare")
	}
	f.Outages.Costly = false
	if f.RareOutages(record.Up) {
		t.Error("rare outages that cost little matter")
	}
}

// A quick trial of a slow path would have time for outages that the whole trial leaves out:
// what counts is the trial as it is made, and that of each copy.
func TestMissesOutages(t *testing.T) {
	f := Fit{Outages: comingAndGoing(), mss: 1448, Up: Way{measured: true, Rate: exactly(4e6)}}
	frequent := f.Copy(record.Up, 0, 0)
	f.Outages.Every = exactly(60)
	if !f.RareOutages(record.Up) {
		t.Error("outages each minute are in a trial of ten seconds")
	}
	rare := f.Copy(record.Up, 0, 0)
	for name, c := range map[string]struct {
		panel Panel
		want  bool
	}{
		"each has them":     {Panel{CostlyOutages: true, Members: []Copy{frequent, frequent}}, false},
		"one lacks them":    {Panel{CostlyOutages: true, Members: []Copy{frequent, rare}}, true},
		"so, quickly":       {Panel{CostlyOutages: true, Quick: true, Members: []Copy{frequent, rare}}, true},
		"they cost little":  {Panel{Members: []Copy{rare}}, false},
		"there never are":   {Panel{CostlyOutages: true, Members: []Copy{{Path: rare.Path}}}, false},
		"nobody has a seat": {Panel{CostlyOutages: true}, false},
	} {
		c.panel.Direction = record.Up
		if got := c.panel.MissesOutages(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	fast := f
	fast.Up.Rate, fast.Outages.Every = exactly(400e6), exactly(30)
	p := Panel{Direction: record.Up, CostlyOutages: true, Members: []Copy{fast.Copy(record.Up, 0, 0)}}
	if p.MissesOutages() {
		t.Error("a trial of half a minute misses outages that come each half minute")
	}
	if p.Quick = true; !p.MissesOutages() {
		t.Error("a quick one does not")
	}
}

// A trial is at most four times as long for outages: those that come more rarely are left
// out of it.
func TestTrialsLeaveOutRareOutages(t *testing.T) {
	f := Fit{Outages: comingAndGoing(), mss: 1448, Up: Way{measured: true, Rate: exactly(400e6)}}
	f.Outages.Every = exactly(30)
	trial := Now(record.Up).trial(f.Copy(record.Up, 0, 1))
	if trial.Path.Schedule == (path.Schedule{}) {
		t.Error("a trial of half a minute has none of the outages that come each half minute")
	}
	quick := trial.Quick()
	if s := quick.Path.Schedule; s != (path.Schedule{}) || quick.Duration-quick.Omit != quickCounted {
		t.Errorf("a quick one takes %v after slow start and has %v", quick.Duration-quick.Omit, s)
	}
}

// Whatever a record says, a schedule comes of it.
func TestOutagesOfNonsense(t *testing.T) {
	for _, x := range []float64{0, 1e-9, 1e5, 1e15} {
		o := Outages{Seen: []diagnose.Outage{{At: x, Duration: x}, {At: -x, Duration: x}}, For: about(x, 1.2), Every: about(x, 2)}
		o.likeliest().again()
		o.replayed(o.likeliest(), -x, 2*x)
	}
}

// How long outages last, and how soon they come again, is as the record has it: of two their
// distance is the least, of a single one the time that was watched tells.
func TestHowSoonOutagesComeAgain(t *testing.T) {
	silent := func(from ...int) *record.Run {
		e := record.Echo{Name: "idle"}
		for i := range 1000 {
			p := record.Probe{At: 0.02 * float64(i), RTT: 0.05}
			for _, f := range from {
				if i >= f && i < f+50 {
					p.RTT = 0
				}
			}
			e.Probes = append(e.Probes, p)
		}
		return &record.Run{Echoes: []record.Echo{e}}
	}
	near := func(got, want float64) bool { return got > 0.95*want && got < 1.05*want }
	two := outagesOf(silent(200, 400))
	if !near(two.For.Value, 1) || !near(two.Every.Value, 10) || !near(two.Every.Low, 4) || !near(two.Every.High, 20/1.5) {
		t.Errorf("two: %+v each %+v", two.For, two.Every)
	}
	one := outagesOf(silent(200))
	if !near(one.For.Value, 1) || !near(one.Every.Value, 20) || !near(one.Every.Low, 10) || !near(one.Every.High, 40) {
		t.Errorf("one: %+v each %+v", one.For, one.Every)
	}
}
