package network

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// plan is the stages of a path at its time zero, as Build has them.
func plan(cfg Config) (directions, error) {
	p, err := newPlanner(cfg)
	if err != nil {
		return directions{}, err
	}
	return p.at(0, 0)
}

func mustPlan(t *testing.T, spec string, seed uint64) directions {
	t.Helper()
	p, err := path.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	d, err := plan(Config{Path: p, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sketch is the order of a direction's devices: own | early | late, what is
// aside of them, and before all what UDP alone meets, in brackets.
func sketch(s stages) string {
	var parts []string
	for _, st := range s.all() {
		var names []string
		if st.police != nil {
			names = append(names, "police")
		}
		for _, q := range st.chain {
			name := q.Kind()
			if n, ok := q.(qdisc.Netem); ok {
				if n.Loss != nil {
					name += "(loss)"
				}
				if n.Jitter > 0 {
					name += "(jitter)"
				}
			}
			names = append(names, name)
		}
		parts = append(parts, strings.Join(names, ">"))
	}
	udp := ""
	if s.udp.present() {
		udp = "[" + parts[0] + "]"
	}
	return udp + strings.TrimSuffix(strings.Join(parts[1:], "|"), "|")
}

func TestStages(t *testing.T) {
	for spec, want := range map[string]string{
		"rtt=0s":                                     "||netem",
		"rtt=50ms":                                   "||netem",
		"rtt=50ms,loss=1%":                           "||netem(loss)",
		"rate=10mbit":                                "||netem>tbf",
		"rate=10mbit,loss=1%":                        "||netem(loss)>tbf",
		"rtt=50ms,rate=10mbit":                       "||netem>tbf",
		"rtt=50ms,rate=10mbit,queue=100p":            "||netem>tbf>pfifo",
		"rtt=50ms,jitter=5ms":                        "||netem(jitter)",
		"rtt=50ms,jitter=5ms,loss=1%":                "||netem(loss)(jitter)",
		"rtt=50ms,jitter=5ms,rate=10mbit":            "|netem>tbf|netem(jitter)",
		"jitter=5ms,rate=10mbit,loss=1%":             "|netem(loss)>tbf|netem(jitter)",
		"policer=10mbit:64KiB,rtt=50ms":              "||police>netem",
		"jitter=5ms,rate=1gbit,queue=9p":             "|netem>tbf>pfifo|netem(jitter)",
		"policer=1mbit:4KiB,rate=1mbit":              "||police>netem>tbf",
		"rate=9mbit,queue=fq_codel":                  "||netem>tbf>fq_codel",
		"rate=9mbit,queue=codel":                     "||netem>tbf>codel",
		"rate=9mbit,queue=pie":                       "||netem>tbf>pie",
		"rate=9mbit,queue=cake":                      "||netem>cake",
		"jitter=5ms,rate=9mbit,queue=cake":           "|netem>cake|netem(jitter)",
		"rate=9mbit,up.cross=2xbbr,down.cross=1mbit": "|netem>tbf|netem|netem",
		"rate=9mbit,queue=cake,jitter=5ms,loss=1%,policer=8mbit:64KiB,cross=1xreno": "police>netem(loss)|netem>cake|netem(jitter)|netem",
		"rate=9mbit,policer=8mbit:64KiB,schedule=at 1s cross=1xreno":                "police|netem>tbf|netem|netem",
		"mtu=1400,pmtud=off": "||police>netem",
		"mtu=1400,pmtud=off,policer=8mbit:64KiB,jitter=5ms,rate=1gbit": "|police>netem>tbf|netem(jitter)",
		"rtt=9ms,udp.loss=1%":                    "[netem(loss)]||netem",
		"rtt=9ms,udp.rate=1mbit":                 "[netem>tbf]||netem",
		"rtt=9ms,udp.policer=1mbit:9KiB,loss=1%": "[police]||netem(loss)",
		"rtt=9ms,schedule=at 1s udp.loss=1%":     "[netem]||netem",
		"loss=ge:1%:20%,rtt=9ms,rate=700kbit":    "||netem(loss)>tbf",
	} {
		d := mustPlan(t, spec, 1)
		if got := sketch(d.up); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
		if up, down := sketch(d.up), sketch(d.down); up != down {
			t.Errorf("%s: up %s, down %s", spec, up, down)
		}
	}
}

func TestDirectionsAreSeparate(t *testing.T) {
	d := mustPlan(t, "up.rtt=20ms,down.loss=3%", 1)
	if got := d.up.late.chain[0].(qdisc.Netem); got.Delay != 10*time.Millisecond || got.Loss != nil {
		t.Errorf("up: %+v", got)
	}
	if got := d.down.late.chain[0].(qdisc.Netem); got.Delay != 0 || got.Loss != qdisc.RandomLoss(0.03) {
		t.Errorf("down: %+v", got)
	}
}

func TestEveryPacketTakesTime(t *testing.T) {
	for spec, want := range map[string]unit.BitRate{
		"rtt=0s":   WireRate, // or nothing would
		"rtt=1ms":  0,
		"loss=10%": WireRate,
	} {
		if got := mustPlan(t, spec, 1).up.late.chain[0].(qdisc.Netem).Rate; got != want {
			t.Errorf("%s: netem's rate is %v, want %v", spec, got, want)
		}
	}
}

func TestOrder(t *testing.T) {
	keep := mustPlan(t, "rtt=50ms,jitter=5ms", 1).up.late.chain[0].(qdisc.Netem)
	free := mustPlan(t, "rtt=50ms,jitter=5ms,order=free", 1).up.late.chain[0].(qdisc.Netem)
	if free.Rate != 0 {
		t.Errorf("order=free: netem's rate is %v; a rate keeps order", free.Rate)
	}
	// The kernel divides in whole nanoseconds (packet_time_ns in sch_netem.c).
	if ns := uint64(path.MaxMTU+14) * 1e9 / (uint64(keep.Rate) / 8); ns != 0 {
		t.Errorf("order=keep: the largest frame takes %d ns", ns)
	}
}

func TestSeeds(t *testing.T) {
	const spec = "rtt=50ms,jitter=5ms,loss=1%,rate=10mbit"
	first, again, other := mustPlan(t, spec, 1), mustPlan(t, spec, 1), mustPlan(t, spec, 2)
	if !reflect.DeepEqual(first, again) {
		t.Error("one seed gave two plans")
	}
	seen := map[uint64]bool{}
	for _, s := range []stages{first.up, first.down, other.up, other.down} {
		for _, q := range append(s.early.chain, s.late.chain...) {
			if n, ok := q.(qdisc.Netem); ok {
				if seen[n.Seed] {
					t.Errorf("two netems share the seed %d", n.Seed)
				}
				seen[n.Seed] = true
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d seeds, want 8", len(seen))
	}
}

// What stands in the bottleneck's queue is off its sender's books: a netem
// before it has freed it (skb_orphan_partial in sch_netem.c).
func TestBottleneckHoldsNoSender(t *testing.T) {
	for _, spec := range []string{"rate=10mbit", "rate=10mbit,loss=1%", "rtt=50ms,rate=10mbit", "rtt=50ms,jitter=5ms,rate=10mbit", "jitter=5ms,loss=1%,rate=10mbit"} {
		s := mustPlan(t, spec, 1).up
		chain := s.late.chain
		if s.early.present() {
			chain = s.early.chain
		}
		if n := chain[0].(qdisc.Netem); n.Delay == 0 && n.Jitter == 0 && n.Rate == 0 {
			t.Errorf("%s: the first netem takes no time, and frees nothing", spec)
		}
	}
}

func TestBottleneck(t *testing.T) {
	tbf := mustPlan(t, "rtt=100ms,rate=1gbit", 1).up.late.chain[1].(qdisc.TBF)
	if want := unit.Size(12_500_000); tbf.Limit != want {
		t.Errorf("the queue is %v, want one bandwidth-delay product of %v", tbf.Limit, want)
	}
	if want := unit.Size(1514 + 12_500); tbf.Burst != want {
		t.Errorf("the bucket is %v, want a frame and 100 µs: %v", tbf.Burst, want)
	}
	tbf = mustPlan(t, "rate=1mbit,mtu=9000", 1).up.late.chain[1].(qdisc.TBF)
	if want := unit.Size(2 * 9014); tbf.Burst != want {
		t.Errorf("the bucket of a slow path is %v, want two frames: %v", tbf.Burst, want)
	}
}

func TestJitterBeyondNetem(t *testing.T) {
	p, err := path.Parse("rtt=10s,down.jitter=2s,down.dist=pareto")
	if err != nil {
		t.Fatal(err)
	}
	_, err = plan(Config{Path: p})
	const want = "down: jitter 2s exceeds the 1.748s that netem supports with this distribution"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
