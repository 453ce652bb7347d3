package path

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/unit"
)

func TestParse(t *testing.T) {
	both := func(d Direction) Path { return Path{Up: d, Down: d} }
	for spec, want := range map[string]Path{
		"":         {},
		"rtt=50ms": both(Direction{Delay: 25 * time.Millisecond}),
		"rtt=50ms,jitter=8ms,loss=0.5%": both(Direction{
			Delay: 25 * time.Millisecond, Jitter: 8 * time.Millisecond, Dist: Normal, Order: Keep, Loss: Loss{P: 0.005},
		}),
		"jitter=1ms,dist=pareto,order=free": both(Direction{Jitter: time.Millisecond, Dist: Pareto, Order: Free}),
		"loss=ge:0.1%:25%":                  both(Direction{Loss: Loss{Burst: true, P: 0.001, R: 0.25, Bad: 1}}),
		"loss=ge:0.1%:25%:50%:1%":           both(Direction{Loss: Loss{Burst: true, P: 0.001, R: 0.25, Bad: 0.5, Good: 0.01}}),
		"rate=100mbit,queue=1.5bdp":         both(Direction{Rate: 100 * unit.Mbit, Queue: Queue{BDP: 1.5}}),
		"rate=100mbit,queue=1000p":          both(Direction{Rate: 100 * unit.Mbit, Queue: Queue{Packets: 1000}}),
		"rate=100mbit,queue=cake":           both(Direction{Rate: 100 * unit.Mbit, Queue: Queue{AQM: Cake}}),
		"rate=1gbit,down.cross=2xbbr+5mbit": {Up: Direction{Rate: unit.Gbit}, Down: Direction{Rate: unit.Gbit, Cross: Cross{"2xbbr+5mbit"}}},
		"rate=1gbit,cross=none":             both(Direction{Rate: unit.Gbit}),
		"policer=50mbit:64KiB":              both(Direction{Policer: Policer{Rate: 50 * unit.Mbit, Burst: 64 * unit.KiB}}),
		"up.sqm=60mbit:fq_codel":            {Up: Direction{SQM: SQM{Rate: 60 * unit.Mbit, Shaper: ShapeFQCoDel}}},
		"sqm=none":                          {},
		"up.sqm=10mbit:tbf:900ms":           {Up: Direction{SQM: SQM{10 * unit.Mbit, ShapeTBF, 900 * time.Millisecond}}},
		"udp.loss=5%,up.udp.rate=10mbit": {
			Up:   Direction{UDP: UDP{Loss: Loss{P: 0.05}, Rate: 10 * unit.Mbit}},
			Down: Direction{UDP: UDP{Loss: Loss{P: 0.05}}},
		},
		"down.udp.policer=5mbit:16KiB": {Down: Direction{UDP: UDP{Policer: Policer{5 * unit.Mbit, 16 * unit.KiB}}}},
		"tunnel=none":                  {},
		"pmtud=on":                     {},
		"mtu=1400,pmtud=off":           {MTU: 1400, Up: Direction{NoPMTUD: true}, Down: Direction{NoPMTUD: true}},
		"mtu=1400,up.pmtud=off":        {MTU: 1400, Up: Direction{NoPMTUD: true}},
		"tunnel=wireguard,mtu=1280":    {Tunnel: WireGuard, MTU: 1280},
		"rtt=40ms,down.rtt=100ms":      {Up: Direction{Delay: 20 * time.Millisecond}, Down: Direction{Delay: 50 * time.Millisecond}},
		"up.rate=10mbit":               {Up: Direction{Rate: 10 * unit.Mbit}},
	} {
		if got, err := Parse(spec); err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", spec, got, err, want)
		}
	}
}

// An error points at the offending part and says what would have been right.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ spec, part, problem, allowed string }{
		{"rtt=50ms,los=1%", "los", `unknown key "los"`, "keys are rtt, jitter"},
		{"rtt", "rtt", "is not KEY=VALUE", "keys are"},
		{"rtt=50ms,", "", "is not KEY=VALUE", "keys are"},
		{"rtt=fast", "fast", "is not a duration", "a duration such as 50ms"},
		{"rtt=2m", "2m", "is not between", "a duration"},
		{"rtt=1ms,rtt=2ms", "rtt", "given twice", "once"},
		{"up.rtt=1ms,rtt=2ms", "rtt", "would undo it", "first"},
		{"up.mtu=1400", "up.mtu", "for one direction", "both directions"},
		{"udp.loss=5", "5", "write 5%", "0.5%"},
		{"udp.up.loss=5%", "udp.up.loss", "unknown key", "udp.loss"},
		{"udp.queue=9p", "udp.queue", "unknown key", "udp.policer"},
		{"schedule=at 1s udp.rate=1mbit", "schedule=at 1s udp.rate=1mbit", "there is none", "udp.rate=10mbit"},
		{"pmtud=no", "no", "unknown", "on, or off"},
		{"up.mtu=1400", "up.mtu", "for one direction", "both directions"},
		{"mtu=1500,up.pmtud=off", "mtu=1500,up.pmtud=off", "vanishes", "mtu=1400"},
		{"pmtud=off", "pmtud=off", "vanishes", "mtu=1400"},
		{"mtu=1500,pmtud=off", "mtu=1500,pmtud=off", "vanishes", "mtu=1400"},
		{"mtu=1000", "1000", "not a usable MTU", "1280"},
		{"loss=101%", "101%", "more than 100%", "0.5%"},
		{"loss=0.5", "0.5", "write 0.5% or 50%", "0.5%"},
		{"rtt=9ms,loss=.5", ".5", "write .5% or 50%", "0.5%"},
		{"loss=2", "2", "write 2%", "0.5%"},
		{"loss=ge:0.001:25%", "ge:0.001:25%", "write 0.001% or 0.1%", "ge:0.1%:25%"},
		{"rate=1mbit,schedule=at 1s loss=0.01", "0.01", "write 0.01% or 1%", "loss takes"},
		{"loss=ge:1%", "ge:1%", "2 to 4 parts", "ge:P:R"},
		{"rate=0mbit", "0mbit", "not a rate", "100mbit"},
		{"rate=100", "100", "unit is missing", "100mbit"},
		{"rate=1mbit,queue=0p", "0p", "number of packets", "1000p"},
		{"rate=1mbit,queue=sfq", "sfq", "not a number", "fq_codel, cake"},
		{"rate=1mbit,cross=cubic", "cubic", "neither streams nor a rate", "4xcubic"},
		{"rate=1mbit,cross=2xbbr+", "", "neither streams nor a rate", "2xcubic+5mbit"},
		{"rate=1mbit,cross=1xbbr+0xreno", "0xreno", "between 1 and 64", "4xcubic"},
		{"rate=1mbit,cross=", "", "is not cross traffic", "or none"},
		{"cross=1xbbr", "cross=1xbbr", "there is none", "rate"},
		{"rtt=9ms,schedule=at 1s cross=1xbbr", "rtt=9ms,schedule=at 1s cross=1xbbr", "there is none", "rate"},
		{"rate=1mbit,schedule=at 1s cross=1xbbr+x", "1xbbr+x", "neither streams nor a rate", "4xcubic"},
		{"rate=1mbit,queue=-1bdp", "-1bdp", "bandwidth-delay", "bdp"},
		{"policer=50mbit", "50mbit", "has no burst", "RATE:BURST"},
		{"policer=50mbit:1KiB", "50mbit:1KiB", "too small for a full frame of 1514 bytes", "RATE:BURST"},
		{"policer=50mbit:0B", "50mbit:0B", "lets nothing pass", "RATE:BURST"},
		{"udp.policer=50mbit:1KiB", "50mbit:1KiB", "too small for a full frame of 1514 bytes", "RATE:BURST"},
		{"mtu=9000,policer=50mbit:4KiB", "50mbit:4KiB", "too small for a full frame of 9014 bytes", "9014 bytes or more"},
		{"policer=50mbit:64KiB,down.policer=50mbit:4KiB,mtu=9000", "50mbit:4KiB", "too small for a full frame", "RATE:BURST"},
		{"rate=1mbit,queue=1000", "1000", "queue: 1000B is too small for a full frame of 1514 bytes", "such as 1000p"},
		{"rate=1mbit,queue=100,rtt=9ms", "100", "too small", "such as 100p"},
		{"rate=1mbit,queue=64KiB,up.queue=1KiB", "1KiB", "too small", "such as 1000p"},
		{"rate=1mbit,queue=4KiB,mtu=9000", "4KiB", "full frame of 9014 bytes", "1000p"},
		{"rate=1mbit,queue=1400B,mtu=1400,up.pmtud=off", "1400B", "full frame of 1414 bytes", "1000p"},
		{"rate=1mbit,queue=1414B,mtu=1400,up.pmtud=off", "1414B", "full frame of 1514 bytes", "1000p"},
		{"sqm=60mbit", "60mbit", "name a shaper", "RATE:fq_codel"},
		{"sqm=60:cake", "60:cake", "unit is missing", "RATE:cake"},
		{"sqm=60mbit:sfq", "60mbit:sfq", "unknown", "RATE:cake"},
		{"sqm=60mbit:cake:9ms", "60mbit:cake:9ms", "sets its latency itself", "RATE:tbf:LATENCY"},
		{"sqm=60mbit:tbf", "60mbit:tbf", "maximum latency", "RATE:tbf:LATENCY"},
		{"sqm=60mbit:tbf:0s", "60mbit:tbf:0s", "too small for a packet", "RATE:tbf:LATENCY"},
		{"jitter=1ms,dist=gauss", "gauss", "unknown", "normal, uniform"},
		{"jitter=1ms,order=no", "no", "unknown", "keep or free"},
		{"tunnel=ipsec", "ipsec", "unknown", "wireguard"},
		{"dist=normal", "dist=normal", "there is none", "jitter"},
		{"queue=64KiB", "queue=64KiB", "there is none", "rate"},
	} {
		refuses(t, c.spec, c.part, c.problem, c.allowed)
	}
}

// refuses checks that a path's text is refused: what of it the error points at,
// and what it and its hint contain.
func refuses(t *testing.T, spec, part, problem, allowed string) {
	t.Helper()
	_, err := Parse(spec)
	e, ok := errors.AsType[*ParseError](err)
	if !ok {
		t.Errorf("Parse(%q) = %v, want a *ParseError", spec, err)
		return
	}
	if got := e.Text[e.Offset : e.Offset+e.Length]; got != part {
		t.Errorf("%q: points at %q, want %q", spec, got, part)
	}
	if !strings.Contains(e.Problem, problem) || !strings.Contains(e.Hint(), allowed) {
		t.Errorf("%q: %s (%s), want %q and %q", spec, e.Problem, e.Hint(), problem, allowed)
	}
}

// What holds just a full frame of the path is enough.
func TestOneFrameIsEnough(t *testing.T) {
	for _, spec := range []string{
		"rate=1mbit,queue=1514B", "rate=1mbit,queue=1294B,mtu=1280", "rate=1mbit,queue=1p,mtu=9000",
		"policer=1mbit:1514B", "policer=1mbit:1294B,mtu=1280", "policer=1mbit:9014B,mtu=9000",
		"rate=1mbit,queue=1414B,mtu=1400,pmtud=off", "udp.policer=1mbit:1414B,mtu=1400",
	} {
		mustParse(t, spec)
	}
}

func TestPointer(t *testing.T) {
	_, err := Parse("rtt=50ms,los=1%")
	e, ok := errors.AsType[*ParseError](err)
	if !ok {
		t.Fatalf("%v is no *ParseError", err)
	}
	if got, want := e.Pointer(), "rtt=50ms,los=1%\n         ^^^"; got != want {
		t.Errorf("drew\n%s\nwant\n%s", got, want)
	}
}

// Printing says no more than is needed, and what both directions share once.
func TestString(t *testing.T) {
	for spec, want := range map[string]string{
		"loss=0.5%,rtt=50ms,jitter=8ms":      "rtt=50ms,jitter=8ms,loss=0.5%",
		"jitter=8ms,dist=normal,order=keep":  "jitter=8ms",
		"rtt=40ms,down.rtt=100ms":            "up.rtt=40ms,down.rtt=100ms",
		"rate=1000mbit,up.queue=64KiB":       "rate=1gbit,up.queue=64KiB",
		"tunnel=none,mtu=1400":               "mtu=1400",
		"loss=ge:0.1%:25%:100%:0%":           "loss=ge:0.1%:25%",
		"loss=ge:0.1%:25%:100%:1%,rtt=0.1ms": "rtt=100µs,loss=ge:0.1%:25%:100%:1%",
	} {
		p, err := Parse(spec)
		if err != nil {
			t.Errorf("Parse(%q): %v", spec, err)
		} else if got := p.String(); got != want {
			t.Errorf("%q prints as %q, want %q", spec, got, want)
		}
	}
}

// Parsing what was printed gives the same path, also through JSON.
func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		p := Path{Up: randomDirection(random), Down: randomDirection(random)}
		if random.IntN(2) == 0 {
			p.Down = p.Up
		}
		p.Tunnel = pick(random, "", WireGuard, GRE, IP6GRE)
		p.MTU = pick(random, 0, MinMTU, 1420, MaxMTU)
		if p.MTU > 0 && p.MTU < DefaultMTU {
			p.Up.NoPMTUD, p.Down.NoPMTUD = random.IntN(2) == 0, random.IntN(2) == 0
		}
		if random.IntN(4) == 0 {
			p.Schedule = randomSchedule(random, p.Up.Rate > 0 && p.Down.Rate > 0, p.Up.UDP.Rate > 0 && p.Down.UDP.Rate > 0)
		}
		upDelays, downDelays := p.Schedule.Delays()
		for d, delays := range map[*Direction]bool{&p.Up: upDelays, &p.Down: downDelays} {
			if delays && d.Order == "" {
				d.Dist, d.Order = Normal, Keep
			}
		}

		back, err := Parse(p.String())
		if err != nil || back != p {
			t.Fatalf("%+v\nprints as %v\nand parses as %+v, %v", p, p, back, err)
		}
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var viaJSON Path
		if err := json.Unmarshal(data, &viaJSON); err != nil || viaJSON != p {
			t.Fatalf("%v comes back from JSON as %v, %v", p, viaJSON, err)
		}
	}
}

func randomDirection(random *rand.Rand) Direction {
	some := func() bool { return random.IntN(2) == 0 }
	var d Direction
	if some() {
		d.Delay = time.Duration(random.Int64N(int64(maxDelay / 2)))
	}
	if some() {
		d.Jitter = time.Duration(1+random.Int64N(int64(time.Second))) * durationStep
		d.Dist = pick(random, Normal, Uniform, Pareto, ParetoNormal, "file:starlink.dist")
		d.Order = pick(random, Keep, Free)
	}
	d.Loss, d.UDP.Loss = randomLoss(random), randomLoss(random)
	if some() {
		d.Rate = unit.BitRate(8 + random.Int64N(int64(unit.Gbit)))
		d.Queue = pick(random, Queue{}, Queue{Bytes: unit.Size(MaxMTU + ethernetHeader + random.Int64N(1<<30))}, Queue{Packets: 1 + random.IntN(1000)}, Queue{BDP: 10 * (1 - random.Float64())}, Queue{AQM: pick(random, FQCoDel, Cake, CoDel, PIE)})
		d.Cross = randomCross(random)
	}
	if some() {
		d.Policer = Policer{Rate: 50 * unit.Mbit, Burst: unit.Size(MaxMTU + ethernetHeader + random.Int64N(1<<20))}
	}
	if some() {
		d.UDP.Rate = unit.BitRate(8 + random.Int64N(int64(unit.Gbit)))
		d.UDP.Policer = d.Policer
	}
	if some() {
		d.SQM = SQM{Rate: unit.BitRate(8 + random.Int64N(int64(unit.Gbit))), Shaper: pick(random, ShapeFQCoDel, ShapeCake, ShapeTBF)}
		if d.SQM.Shaper == ShapeTBF {
			d.SQM.Latency = time.Duration(1+random.Int64N(int64(time.Second))) * durationStep
		}
	}
	return d
}

func randomLoss(random *rand.Rand) (l Loss) {
	switch random.IntN(3) {
	case 1:
		l = Loss{P: unit.Ratio(random.Float64())}
	case 2:
		l = Loss{Burst: true, P: unit.Ratio(random.Float64()), R: unit.Ratio(random.Float64()), Bad: pick[unit.Ratio](random, 1, 0.5, 0), Good: pick[unit.Ratio](random, 0, 0.25)}
	}
	return l
}

func randomCross(random *rand.Rand) Cross {
	return Cross{pick(random, "", "4xcubic", "50mbit", "2xbbr+5mbit+1xreno")}
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

func TestMeanLoss(t *testing.T) {
	for spec, want := range map[string]unit.Ratio{
		"":                     0,
		"loss=1%":              0.01,
		"loss=ge:1%:99%":       0.01,
		"loss=ge:10%:30%:50%":  0.125,
		"loss=ge:0%:0%:50%:2%": 0.02,
	} {
		p, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Up.Loss.Mean(); got < want-1e-12 || got > want+1e-12 {
			t.Errorf("%q loses %v in the mean, want %v", spec, got, want)
		}
	}
}

func TestQueueBytes(t *testing.T) {
	for spec, want := range map[string]unit.Size{
		"rtt=100ms,rate=80mbit":                 1e6,       // one bandwidth-delay product
		"rtt=100ms,rate=80mbit,queue=2bdp":      2e6,       //
		"rtt=100ms,rate=80mbit,queue=64KiB":     64 << 10,  //
		"rtt=100ms,rate=80mbit,queue=100p":      0,         // counted in packets
		"rtt=100ms,rate=80mbit,queue=fq_codel":  0,         // the AQM's own
		"rtt=1ms,rate=1mbit":                    16 * 1514, // room for a window's burst
		"rtt=1ms,rate=1mbit,mtu=9000":           16 * 9014, //
		"up.rtt=40ms,down.rtt=160ms,rate=8mbit": 1e5,
	} {
		p, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.QueueBytes(p.Up); got != want {
			t.Errorf("%q has a queue of %d bytes, want %d", spec, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "rtt=50ms,jitter=8ms,loss=0.5%", "rate=1gbit,queue=1.5bdp", "loss=ge:1%:25%:1:0", "policer=8bit:2KiB", "up.rtt=1ns,down.rtt=3ns", "dist=file:x", "udp.rate=1mbit,up.udp.loss=ge:1%:9%,down.udp.policer=1mbit:9KiB,schedule=at 1s udp.rate=2mbit udp.loss=0%", "mtu=1400,pmtud=off", "sqm=9mbit:tbf:9ms,up.sqm=1gbit:cake", "rate=1mbit,queue=cake,down.queue=pie", "rate=1mbit,cross=2xbbr+09mbit,schedule=at 1s cross=none", "rate=1mbit,schedule=every 15s for 200ms rtt=+50ms up.loss=1%; at 1s rate=2mbit"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		p, err := Parse(spec)
		if err != nil {
			e, ok := errors.AsType[*ParseError](err)
			if !ok {
				t.Fatalf("%q: %v is no *ParseError", spec, err)
			}
			if e.Offset < 0 || e.Length < 0 || e.Offset+e.Length > len(spec) {
				t.Fatalf("%q: points at bytes %d to %d of %d", spec, e.Offset, e.Offset+e.Length, len(spec))
			}
			return
		}
		if back, err := Parse(p.String()); err != nil || back != p {
			t.Fatalf("%q: %+v prints as %q and parses as %+v, %v", spec, p, p, back, err)
		}
	})
}

// The text that an error shows has the numbers that hold.
func TestMTUAllowed(t *testing.T) {
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == "mtu" })
	if want := fmt.Sprintf("bytes from %d to %d", MinMTU, MaxMTU); keys[i].allowed != want {
		t.Errorf("%q, want %q", keys[i].allowed, want)
	}
}
