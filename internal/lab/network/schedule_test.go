package network

import (
	"slices"
	"testing"
	"time"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

func mustPlanner(t *testing.T, spec string) *planner {
	t.Helper()
	p, err := path.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := newPlanner(Config{Path: p, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

func mustBe(t *testing.T, plans *planner, at time.Duration, n int) directions {
	t.Helper()
	d, err := plans.at(at, n)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The devices stay what they are: those that one of the times needs are there
// at all of them.
func TestScheduledStages(t *testing.T) {
	for _, c := range []struct{ spec, before, during string }{
		{"rtt=50ms,schedule=at 1s loss=1%", "||netem", "||netem(loss)"},
		{"rtt=50ms,schedule=at 1s jitter=1ms", "||netem", "||netem(jitter)"},
		{"rtt=50ms,rate=1mbit,schedule=at 1s rate=2mbit", "||netem>tbf", "||netem>tbf"},
		{"rtt=50ms,rate=1mbit,schedule=at 1s loss=1%", "||netem>tbf", "||netem(loss)>tbf"},
		{"rtt=50ms,rate=1mbit,loss=2%,schedule=at 1s jitter=1ms", "|netem(loss)>tbf|netem", "|netem(loss)>tbf|netem(jitter)"},
		{"rtt=50ms,rate=1mbit,schedule=at 1s for 1s rtt=+60ms", "|netem>tbf|netem", "|netem>tbf|netem"},
		{"rtt=50ms,order=free,rate=1mbit,loss=2%,schedule=at 1s for 1s rtt=20ms", "|netem(loss)>tbf|netem", "|netem(loss)>tbf|netem"},
		{"rtt=50ms,rate=1mbit,schedule=at 1s down.rtt=20ms", "||netem>tbf", "||netem>tbf"},
		{"rtt=50ms,jitter=1ms,rate=1mbit,schedule=at 1s jitter=0s loss=1%", "|netem>tbf|netem(jitter)", "|netem(loss)>tbf|netem"},
	} {
		plans := mustPlanner(t, c.spec)
		if got := sketch(mustBe(t, plans, 0, 0).up); got != c.before {
			t.Errorf("%s: before it is %s, want %s", c.spec, got, c.before)
		}
		if got := sketch(mustBe(t, plans, time.Second, 1).up); got != c.during {
			t.Errorf("%s: then it is %s, want %s", c.spec, got, c.during)
		}
	}
}

// Only what differs is changed, and a jitter's table is there before.
func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		spec     string
		up, down int // qdiscs that change
	}{
		{"rtt=50ms,rate=1mbit,schedule=at 1s rate=2mbit", 1, 1},
		{"rtt=50ms,rate=1mbit,queue=9p,schedule=at 1s up.rate=2mbit rtt=+9ms", 2, 1},
		{"rtt=50ms,rate=1mbit,queue=cake,schedule=at 1s rate=2mbit", 1, 1},
		{"rtt=50ms,rate=1mbit,queue=fq_codel,schedule=at 1s rate=2mbit", 1, 1},
		{"rtt=50ms,rate=1mbit,jitter=1ms,schedule=at 1s up.loss=1% rtt=+9ms", 2, 1},
		{"rtt=50ms,schedule=at 1s up.jitter=1ms", 1, 0},
		{"rtt=50ms,jitter=1ms,loss=1%,schedule=at 1s loss=1%", 0, 0},
	} {
		plans := mustPlanner(t, c.spec)
		before, then := mustBe(t, plans, 0, 0), mustBe(t, plans, time.Second, 1)
		for _, way := range []struct {
			name     string
			from, to stages
			want     int
		}{{"up", before.up, then.up, c.up}, {"down", before.down, then.down, c.down}} {
			got := 0
			for _, chain := range [][2][]qdisc.Qdisc{{way.from.early.chain, way.to.early.chain}, {way.from.late.chain, way.to.late.chain}} {
				changes := differences(chain[0], chain[1])
				got += len(changes)
				for i, q := range changes {
					n, ok := q.(qdisc.Netem)
					if !ok {
						continue
					}
					if n.Seed == chain[0][i].(qdisc.Netem).Seed {
						t.Errorf("%s: %s: a change begins with the random numbers of what it changes", c.spec, way.name)
					}
					if n.Jitter > 0 && (n.Table != nil || chain[0][i].(qdisc.Netem).Table == nil) {
						t.Errorf("%s: %s: the jitter's table comes with the change", c.spec, way.name)
					}
				}
			}
			if got != way.want {
				t.Errorf("%s: %s: %d qdiscs change, want %d", c.spec, way.name, got, way.want)
			}
		}
	}
}

// The queue keeps its size while rate and delay change.
func TestQueueStays(t *testing.T) {
	plans := mustPlanner(t, "rtt=100ms,rate=80mbit,schedule=at 1s rate=8mbit rtt=+100ms")
	for n, rate := range []unit.BitRate{80 * unit.Mbit, 8 * unit.Mbit} {
		tbf := mustBe(t, plans, time.Duration(n)*time.Second, n).up.early.chain[1].(qdisc.TBF)
		if tbf.Rate != rate || tbf.Limit != 1e6 {
			t.Errorf("%v: %v with a queue of %d bytes", time.Duration(n)*time.Second, tbf.Rate, tbf.Limit)
		}
	}
	plans = mustPlanner(t, "rtt=100ms,rate=80mbit,queue=7p,schedule=at 1s rate=8mbit")
	if tbf := mustBe(t, plans, time.Second, 1).up.late.chain[1].(qdisc.TBF); tbf.Limit != 7 {
		t.Errorf("a change of the rate leaves the FIFO %d packets", tbf.Limit)
	}
}

// A delay that falls lets packets overtake only where the path says so.
func TestScheduledOrder(t *testing.T) {
	for spec, free := range map[string]bool{
		"rtt=50ms,schedule=at 1s for 1s rtt=+50ms":            false,
		"rtt=50ms,order=free,schedule=at 1s for 1s rtt=+50ms": true,
		"rtt=0s,schedule=at 1s for 1s rtt=+50ms":              false,
	} {
		plans := mustPlanner(t, spec)
		for _, at := range []time.Duration{time.Second, 2 * time.Second} {
			n := mustBe(t, plans, at, 1).up.late.chain[0].(qdisc.Netem)
			if (n.Rate == 0) != free {
				t.Errorf("%s: at %v netem's rate is %v; a rate keeps order", spec, at, n.Rate)
			}
		}
	}
}

// An episode that the kernel cannot have is refused at once, also where others
// would hide it at its beginning.
func TestEveryEpisodeIsPlanned(t *testing.T) {
	p, err := path.Parse("rtt=10s,dist=pareto,schedule=at 5s for 5s jitter=2s; at 4s for 2s jitter=1ms")
	if err != nil {
		t.Fatal(err)
	}
	_, err = newPlanner(Config{Path: p})
	if want := "up: jitter 2s exceeds the 1.748s that netem supports with this distribution"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	plans := mustPlanner(t, "rtt=50ms,schedule=at 5s for 5s jitter=2ms; at 4s for 2s jitter=0s")
	if n := mustBe(t, plans, 7*time.Second, 1).up.late.chain[0].(qdisc.Netem); n.Jitter == 0 || slices.Max(plans.up.shape.table) == 0 {
		t.Errorf("after the other episode there is a jitter of %v", n.Jitter)
	}
}
