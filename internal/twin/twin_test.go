package twin

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// policed is a record of a bucket of so many bit/s and bits that sees rungs of
// other lengths and rates, each after a rest in which it fills up.
func policed(rate, burst float64) *record.Run {
	r := &record.Run{}
	for i, x := range []struct{ sent, length float64 }{{5e6, 0.35}, {25e6, 0.35}, {60e6, 0.2}, {30e6, 1.2}} {
		passed := min(x.sent*x.length, burst+rate*x.length)
		const bits = 1400 * 8
		sent := int64(x.sent * x.length / bits)
		r.Transfers = append(r.Transfers, record.Transfer{
			Direction: record.Down, Protocol: record.UDP, Started: float64(10 * i), Duration: x.length,
			UDP: &record.Rung{Sent: x.sent, Packets: sent, Lost: sent - int64(passed/bits), Payload: 1400},
		})
	}
	return r
}

// What came through rungs of several lengths tells the bucket's rate and size.
func TestPolicerOf(t *testing.T) {
	for _, burst := range []float64{20e3, 100e3, 800e3} { // bytes
		p := policerOf(rungsOf(policed(15e6, burst*8), record.Down, false), 16e6, 1)
		held := false
		for _, b := range p.Buckets {
			held = held || math.Abs(b.Rate/15e6-1) < 0.05 && math.Abs(math.Log(b.Burst/burst)) < math.Log(1.5)
			if math.Abs(b.Rate/15e6-1) > 0.15 {
				t.Errorf("a bucket of %.0f bytes may have the rate %.3g, is 15e6", burst, b.Rate)
			}
		}
		if !held {
			t.Errorf("a bucket of %.0f bytes is not among %d that may be", burst, len(p.Buckets))
		}
	}
}

// How much arrived before the first loss tells the bucket's size, where nothing else is lost.
func TestPolicerByItsFirstLoss(t *testing.T) {
	const rate, burst = 15e6, 100e3 // bit/s, bytes
	spread := func(before, lossy bool) float64 {
		r := policed(rate, burst*8)
		for _, x := range r.Transfers {
			if u := x.UDP; before && u.Lost > 0 {
				u.BeforeLoss = int64(burst / (1 - rate/u.Sent) / float64(u.Payload))
			}
		}
		b := policerOf(rungsOf(r, record.Down, lossy), 16e6, 1).Buckets
		least, most := b[0].Burst, b[len(b)-1].Burst
		if least > burst || most < burst {
			t.Errorf("a bucket of %.0f bytes has %.0f to %.0f", burst, least, most)
		}
		return most / least
	}
	without, with, lossy := spread(false, false), spread(true, false), spread(true, true)
	if with > 0.6*without || lossy != without {
		t.Errorf("sizes differ by %.1f times, with the first loss by %.1f, on a lossy path by %.1f", without, with, lossy)
	}
}

// A burst's mean and length are what the model that is written has.
func TestBursts(t *testing.T) {
	for _, c := range []struct{ mean, length float64 }{{0.01, 10}, {0.002, 2}, {0.1, 30}} {
		l := bursts(c.mean, c.length)
		if got := float64(l.Mean()); math.Abs(got/c.mean-1) > 0.1 {
			t.Errorf("mean %v of %v, want %v", got, l, c.mean)
		}
		if got := 1 / float64(l.R); math.Abs(got/c.length-1) > 0.1 {
			t.Errorf("length %v of %v, want %v", got, l, c.length)
		}
	}
}

// likely is a fit of a path whose loss alone is not known.
func likely() Fit {
	way := Way{
		Delay: exactly(0.025), Loss: Loss{Mean: Param{0.005, 0.001, 0.02}}, Rate: about(50e6, 1.05),
		Queue: Queue{Wait: about(0.03, 1.5)}, CC: "cubic", measured: true,
	}
	way.Seen = Behaviour{One: Stream{Duration: 5, Rate: 5e6, Early: 6e6, Resent: 0.005, Segments: 2000, Rise: 0.001}, Many: 2, Eight: 35e6}
	f := Fit{Up: way, Down: way, mss: 1448}
	return f
}

// The same number and seed give the same copy, another one another, and every
// copy is a path as text.
func TestCopy(t *testing.T) {
	f := likely()
	if f.Copy(record.Up, 3, 1) != f.Copy(record.Up, 3, 1) {
		t.Error("a copy is not the same when it is drawn again")
	}
	if f.Copy(record.Up, 3, 1).Path == f.Copy(record.Up, 4, 1).Path {
		t.Error("two copies are the same")
	}
	for i := range 50 {
		c := f.Copy(record.Down, i, 7)
		got, err := path.Parse(c.Path.String())
		if err != nil || got != c.Path {
			t.Errorf("%v is %v when it is read again: %v", c.Path, got, err)
		}
		if p := float64(c.Path.Up.Loss.P); p < 0.001 || p > 0.02 {
			t.Errorf("loss %v is not in its interval", p)
		}
	}
}

// A short queue and a small bucket hold a frame, and be it a jumbo frame: the path and
// its copies are such as the lab takes.
func TestShortQueuesOfJumboFrames(t *testing.T) {
	for _, mss := range []int{1448, 8948} {
		queued := likely()
		queued.mss, queued.MTU = mss, mss+52
		queued.Up.Queue.Wait = Param{leastWait, leastWait / 8, 2 * leastWait}
		policed := queued
		policed.Up.Policer = Policer{Sure: 1, Buckets: []Bucket{{Rate: 50e6, Burst: leastBurst}}}
		for _, f := range []Fit{queued, policed} {
			paths := []path.Path{f.Path()}
			for i := range 20 {
				paths = append(paths, f.Copy(record.Up, i, 7).Path, f.Copy(record.Down, i, 7).Path)
			}
			for _, p := range paths {
				if _, err := path.Parse(p.String()); err != nil {
					t.Errorf("%v: %v", p, err)
				}
			}
		}
	}
}

// judge holds copies with these rates of one stream and of eight.
func judge(f Fit, one, eight []float64) Panel {
	var copies []Copy
	var outcomes [][]Outcome
	for i := range one {
		copies = append(copies, f.Copy(record.Up, i, 1))
		outcomes = append(outcomes, []Outcome{
			{Steady: one[i], Early: one[i], Segments: 2000, Resent: 10, RTT: 0.051}, {Rate: eight[i]},
		})
	}
	return f.Judge(record.Up, copies, outcomes, 8)
}

// Copies that behave as the path did are seated, and others are not.
func TestJudge(t *testing.T) {
	f := likely()
	p := judge(f, []float64{1e6, 5.1e6, 20e6, 4.9e6}, []float64{8e6, 36e6, 45e6, 34e6})
	if !p.Agrees || len(p.Members) != 8 {
		t.Fatalf("agrees %v with %d members", p.Agrees, len(p.Members))
	}
	for _, m := range p.Members {
		if m.Path != f.Copy(record.Up, 1, 1).Path && m.Path != f.Copy(record.Up, 3, 1).Path {
			t.Errorf("%v is seated", m.Path)
		}
	}
	// The same copy in two seats has other chances.
	seen := map[uint64]bool{}
	for _, m := range p.Members {
		if seen[m.Seed] {
			t.Errorf("seed %d twice", m.Seed)
		}
		seen[m.Seed] = true
	}
}

// A path that no copy behaves like is refused, and what disagrees is said.
func TestJudgeRefuses(t *testing.T) {
	p := judge(likely(), []float64{5e6, 5.2e6}, []float64{90e6, 5e6})
	if p.Agrees {
		t.Error("agrees although eight streams carry three times as much, or a seventh")
	}
	for _, c := range p.Compared {
		if want := c.What != "eight streams"; c.Agrees != want {
			t.Errorf("%s agrees: %v", c.What, c.Agrees)
		}
	}
}

// The gain is member by member, and the interval holds all but the outer ones.
func TestPredict(t *testing.T) {
	p := judge(likely(), []float64{5e6, 5e6}, []float64{35e6, 35e6})
	now := make([]Outcome, 8)
	arm := make([]Outcome, 8)
	for i := range now {
		now[i] = Outcome{Rate: float64(4+i%3) * 1e6, Segments: 100, Resent: 1, RTT: 0.05}
		arm[i] = Outcome{Rate: 10 * now[i].Rate, Segments: 1000, Resent: 20, RTT: 0.06}
	}
	got := p.Predict(Arm{Arm: record.Arm{Name: "cc=bbr"}}, arm, now, []Outcome{{Neighbor: 3e6}})
	if math.Abs(got.Gain-10) > 1e-9 || got.GainLow > 10 || got.GainHigh < 10 || got.GainHigh > 12 {
		t.Errorf("gain %v [%v–%v], want 10", got.Gain, got.GainLow, got.GainHigh)
	}
	if math.Abs(got.Rate/50e6-1) > 1e-9 || got.Low > 40e6 || got.High < 60e6 || got.Resent != 0.02 || got.Neighbor != 3e6 {
		t.Errorf("predicted %+v", got)
	}
}

// Where a host has BBR, copies that BBR cannot tell apart are told apart by the stream by
// CUBIC beside it.
func TestCopiesByCubic(t *testing.T) {
	f := likely()
	f.Up.CC = "bbr"
	f.Up.Seen.One.Rate, f.Up.Seen.One.Early = 45e6, 45e6
	f.Up.Seen.Cubic = Stream{Duration: 4, Rate: 5e6, Early: 6e6, Resent: 0.005, Segments: 1700, Rise: 0.001}
	copies := []Copy{f.Copy(record.Up, 0, 1), f.Copy(record.Up, 1, 1)}
	var ccs []string
	for _, trial := range f.Checks(record.Up, copies[0]) {
		ccs = append(ccs, trial.CC)
	}
	if !slices.Equal(ccs, []string{"bbr", "cubic", "bbr"}) {
		t.Fatalf("the streams of a copy's check are by %v", ccs)
	}
	outcomes := func(cubic float64) []Outcome {
		return []Outcome{
			{Steady: 45e6, Early: 45e6, Segments: 2000, Resent: 10, RTT: 0.051},
			{Steady: cubic, Early: cubic, Segments: 1700, Resent: 8, RTT: 0.051},
			{Rate: 35e6},
		}
	}
	p := f.Judge(record.Up, copies, [][]Outcome{outcomes(40e6), outcomes(5e6)}, 8)
	if !p.Agrees || slices.ContainsFunc(p.Members, func(c Copy) bool { return c.Path != copies[1].Path }) {
		t.Errorf("agrees %v, members %+v", p.Agrees, p.Members)
	}
	if p := f.Judge(record.Up, copies[:1], [][]Outcome{outcomes(40e6)}, 8); p.Agrees {
		t.Error("a copy on which CUBIC carries eight times as much agrees")
	}
}

// Remedies that are settings become arms, once each; the network's own do not.
func TestRemedies(t *testing.T) {
	bbr := finding.Remedy{Where: finding.Sender}.By(finding.UseCC("bbr"))
	arms, left := Remedies([]finding.Finding{
		{Cause: finding.LossLimited, Direction: record.Up, Remedies: []finding.Remedy{bbr, {What: "fix it"}}},
		{Cause: finding.ShallowBuffer, Direction: record.Up, Remedies: []finding.Remedy{bbr}},
		{Cause: finding.Policed, Direction: record.Down, Remedies: []finding.Remedy{finding.Remedy{}.By(finding.Pace(9e6))}},
		{Cause: finding.MTUBlackhole, Direction: record.Down, Remedies: []finding.Remedy{finding.Remedy{}.By(finding.ProbeMTU()), finding.Remedy{}.By(finding.ProbeMTU())}},
	})
	if len(arms) != 2 || arms[0].Name != "cc=bbr" || arms[1].Name != "fq maxrate 9 Mbit/s" || !slices.Equal(left, []string{"mtu-blackhole, download: copies of the path try none of its remedies"}) {
		t.Errorf("arms %+v, left %q", arms, left)
	}
	if got := arms[1].trial(likely().Copy(record.Down, 0, 1)); got.Pace != 9e6 || got.CC != "cubic" {
		t.Errorf("the policed stream is tried as %+v", got)
	}
	if got := arms[0].trial(likely().Copy(record.Up, 0, 1)); got.CC != "bbr" || got.Pace != 0 {
		t.Errorf("bbr is tried as %+v", got)
	}
	narrow := likely().Copy(record.Up, 0, 1)
	if got := arms[0].trial(narrow); got.Read != 0 {
		t.Errorf("a stream that no window holds is read as %d", got.Read)
	}
	scaling := Arm{Action: finding.Remedy{}.By(finding.ScaleWindows()).Action}
	narrow.ReceiveMax = flow.UnscaledWindow
	if got := scaling.trial(narrow); got.ReceiveMax != scaledMax {
		t.Errorf("window scaling is tried with a buffer of %d", got.ReceiveMax)
	}
	shape := Arm{Action: finding.Remedy{}.By(finding.Shape(95e6)).Action}
	for rate, want := range map[unit.BitRate]unit.BitRate{0: 95e6, 100e6: 95e6, 40e6: 40e6} {
		slow := narrow
		slow.Path.Up.Rate = rate
		if got := shape.trial(slow).Path.Up; got.Rate != want || got.Queue.AQM != path.Cake {
			t.Errorf("a copy of %v is shaped to %+v", rate, got)
		}
	}
	narrow.ReceiveMax = 4096
	if got := arms[0].trial(narrow); got.Read != iperf3Read {
		t.Errorf("a stream that the window may hold is read as %d", got.Read)
	}
}

func load(t *testing.T, name string) *record.Run {
	t.Helper()
	f, err := os.Open(filepath.Join("../diagnose/testdata", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	run, err := record.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// The path text of a check has what was measured, as the lab makes it.
func TestText(t *testing.T) {
	for name, want := range map[string][]string{
		"mtu-blackhole--up-only":            {"mtu=1280", "up.pmtud=off"},
		"mtu-blackhole--both-ways-far-away": {"mtu=1400", "pmtud=off"},
		"mtu-blackhole--in-wireguard":       {"tunnel=wireguard", "mtu=1400", "pmtud=off"},
		"loss-limited--wireguard-up":        {"tunnel=wireguard", "up.loss="},
		"policed--large-burst":              {"policer="},
		"healthy--tbf-on-the-own-egress":    {"up.sqm="},
		"reordering--up-only":               {"up.jitter=", "up.order=free"},
	} {
		text := Text(load(t, name))
		p, err := path.Parse(text)
		if err != nil || p.RTT() == 0 {
			t.Errorf("%s: %q: %v", name, text, err)
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: %q has no %s", name, text, w)
			}
		}
	}
}

// What the far host told of itself is in the copies: its buffers, and the shaper
// on its own egress.
func TestFarHostIsFitted(t *testing.T) {
	run := load(t, "healthy--tbf-on-the-own-egress")
	far := run.Near
	far.TCPWmem[2] = 3 << 20
	run.FarHost = &far
	for i := range run.Transfers {
		x := &run.Transfers[i]
		switch x.Direction {
		case record.Up:
			side := *x
			side.Direction, x.Direction = record.Down, record.Down
			x.FarSide, x.Egress = &side, nil
		case record.Down:
			x.Direction = record.Up
		}
	}
	f, err := Of(run)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Down.SendMax; got.Value != 3<<20 {
		t.Errorf("the far host's send buffer is fitted as %+v", got)
	}
	if text := Text(run); !strings.Contains(text, "down.sqm=") || strings.Contains(text, "up.sqm=") {
		t.Errorf("the far host's shaper is not on its way: %q", text)
	}
}

// A path whose ceiling nothing met is refused, however well the copies agree.
func TestJudgeRefusesWithoutACeiling(t *testing.T) {
	f := likely()
	f.Up.unmet = true
	if p := judge(f, []float64{5e6, 5e6}, []float64{35e6, 35e6}); p.Agrees {
		t.Errorf("agrees: %+v", p.Compared)
	}
}

// A policer that the diagnosis does not see is a guess where nothing waited, and
// none where nobody knows.
func TestHiddenNeedsEvidence(t *testing.T) {
	for waited, want := range map[bool]float64{true: 0.4, false: 0} {
		w := Way{figures: diagnose.Figures{
			MSS: 1448, Waited: waited, Idle: flow.Spread{Mid: 0.05},
			Overloads: []diagnose.Overload{{Duration: 0.35, Sent: 30e6, Delivered: 16e6}},
		}}
		if w.hidden(policed(15e6, 100e3*8), record.Down, 1); w.Policer.Sure != want {
			t.Errorf("waited is known: %v; a policer is %.1f sure", waited, w.Policer.Sure)
		}
	}
}

// Jitter that keeps the order makes packets wait as a queue does: a queue behind it
// is shorter than the wait, and perhaps nothing.
func TestQueueBehindJitter(t *testing.T) {
	const sigma = 0.0037
	for name, c := range map[string]struct {
		order     path.Order
		wait      float64 // s
		low, high float64 // of the least that the queue may be
	}{
		"within the jitter":    {path.Keep, 0.015, 0, 0.001},
		"beyond the jitter":    {path.Keep, 0.1, 0.04, 0.075 - 4*sigma},
		"packets may overtake": {path.Free, 0.015, 0.01, 0.015},
	} {
		w := Way{Jitter: about(sigma, 1.1), Order: c.order, figures: diagnose.Figures{
			Idle: flow.Spread{Mid: 0.037, Dev: sigma}, OwnWait: c.wait, Waited: true,
			Overloads: []diagnose.Overload{{Duration: 0.35, Sent: 300e6, Delivered: 200e6, Arrived: 70e6}},
		}}
		w.queue()
		if q := w.Queue.Wait; q.Low < c.low || q.Low > c.high || q.Value < q.Low || q.High < c.wait {
			t.Errorf("%s: the queue is %+v", name, q)
		}
	}
}

// A stream that fills the queue bounds the rate where UDP was hardly counted.
func TestRateOfAFilledQueue(t *testing.T) {
	f := diagnose.Figures{MSS: 1448, Rate: 180e3, Capacity: 435e3, Queued: true, One: &record.Transfer{Duration: 4.4}}
	w := Way{figures: f}
	if p := w.met(1); p.Low > 180e3 || p.High < 435e3 {
		t.Errorf("the rate is %+v", p)
	}
	w.figures.Eight = &record.Transfer{SteadyRate: 400e3}
	if p := w.met(1); p.Low < 300e3 || p.Low > 400e3 {
		t.Errorf("eight streams carried more than one: the rate is %+v", p)
	}
	// UDP that met the bottleneck and had far more than eight streams was counted.
	w.figures.Capacity = 6e6
	w.figures.Overloads = []diagnose.Overload{{Duration: 0.35, Sent: 15e6, Delivered: 6e6}}
	for eight, bounds := range map[float64]bool{3e6: false, 5e6: true} {
		w.figures.Eight = &record.Transfer{SteadyRate: eight}
		if p := w.met(1); (p.Low < 5e6) != bounds {
			t.Errorf("eight streams carry %g of 6e6 bit/s: the rate is %+v", eight, p)
		}
	}
	w.figures.Eight, w.figures.Overloads = nil, nil
	// What rises by no more than the jitter is no queue: the stream carries what
	// losses leave it.
	w = Way{figures: f, Jitter: about(0.01, 1.1), Order: path.Keep}
	w.figures.Idle, w.figures.Loaded = flow.Spread{Mid: 0.1}, flow.Spread{Mid: 0.13}
	if p := w.met(1); p.Low < 300e3 {
		t.Errorf("behind jitter the rate is %+v", p)
	}
}

// Echoes that a full queue drops are no outage: TCP gets on meanwhile. One that costs
// less than a copy may be off is one, and not costly.
func TestOutagesOf(t *testing.T) {
	for name, c := range map[string]struct {
		bytes  int64 // of each interval
		silent int   // probes of 200, 50 ms apart
		want   int
		costly bool
	}{"nothing comes": {0, 40, 1, true}, "TCP gets on": {3000, 40, 0, false}, "for a moment": {0, 12, 1, false}} {
		run := &record.Run{
			Echoes:    []record.Echo{{Name: "idle", Probes: []record.Probe{{RTT: 0.05}}}, {Name: "up-8", Started: 10}},
			Transfers: []record.Transfer{{Direction: record.Up, Protocol: record.TCP, Started: 10, Duration: 10, SteadyRate: 480e3}},
		}
		for i := range 200 {
			p := record.Probe{At: 0.05 * float64(i), RTT: 0.06}
			bytes := int64(3000)
			if i >= 100 && i < 100+c.silent {
				p.RTT, bytes = 0, c.bytes
			}
			run.Echoes[1].Probes = append(run.Echoes[1].Probes, p)
			run.Transfers[0].Intervals = append(run.Transfers[0].Intervals, record.Interval{At: p.At + 0.05, Bytes: bytes})
		}
		if got := outagesOf(run); len(got.Seen) != c.want || got.Costly != c.costly {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A line is faster than the policer behind it, which limits.
func TestBottleneckRate(t *testing.T) {
	for _, c := range []struct {
		way  path.Direction
		want float64
	}{
		{path.Direction{}, 0},
		{path.Direction{Rate: 5e7}, 5e7},
		{path.Direction{Rate: 5e7, Policer: path.Policer{Rate: 2e7}}, 2e7},
		{path.Direction{Rate: 1e9, SQM: path.SQM{Rate: 3e7}}, 3e7},
	} {
		if got := bottleneckRate(path.Path{Up: c.way}); got != c.want {
			t.Errorf("%+v: %g bit/s, want %g", c.way, got, c.want)
		}
	}
}

// A hole for large packets in one direction leaves the other one's prediction.
func TestHoleInOneDirection(t *testing.T) {
	f := likely()
	f.holes = map[record.Direction]bool{record.Down: true}
	same := []Outcome{{Rate: f.Up.Seen.One.Rate, Steady: f.Up.Seen.One.Rate, Early: f.Up.Seen.One.Early, Segments: 2000, Resent: 10, RTT: 0.051}, {Rate: f.Up.Seen.Eight}}
	for d, want := range map[record.Direction]bool{record.Up: true, record.Down: false} {
		c := f.Copy(d, 0, 1)
		if p := f.Judge(d, []Copy{c}, [][]Outcome{same}, 1); p.Agrees != want {
			t.Errorf("%s: agrees %v, want %v: %+v", d, p.Agrees, want, p.Compared)
		}
	}
}

// What TCP resent bounds the random loss: above it is what UDP alone loses. What
// TCP alone lost, its own queue may have dropped.
func TestLossIsBoundByTCP(t *testing.T) {
	one := func(resent int64) *record.Transfer {
		return &record.Transfer{Rate: 40e6, Duration: 4, Retransmits: resent} // some 13,800 segments
	}
	for name, c := range map[string]struct {
		f         diagnose.Figures
		low, high float64 // within which the interval's ends lie
	}{
		"as UDP":      {diagnose.Figures{MSS: 1448, Lost: 50, Probed: 10_000, One: one(70)}, 0.003, 0.01},
		"UDP alone":   {diagnose.Figures{MSS: 1448, Lost: 50, Probed: 10_000, One: one(3)}, 0, 0.001},
		"TCP's burst": {diagnose.Figures{MSS: 1448, Lost: 4, LostByTCP: 4, Probed: 2800, One: one(15)}, 0, 0.003},
	} {
		l := lossOf(c.f, 0.05)
		r := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			if x := l.draw(r); !x.Burst && (float64(x.P) < c.low || float64(x.P) > c.high) {
				t.Fatalf("%s: %+v allows %+v", name, l, x)
			}
		}
		if p := l.likeliest().P; float64(p) > c.high {
			t.Errorf("%s: the likeliest is %v", name, p)
		}
	}
}

// What a cut ladder brought is no ceiling.
func TestCutLadder(t *testing.T) {
	for arrived, want := range map[float64]bool{500e3: true, 100e6: false} {
		w := Way{figures: diagnose.Figures{
			MSS: 1448, Rate: 300e3, Capacity: arrived, Probed: 40, One: &record.Transfer{Duration: 5}, Idle: flow.Spread{Mid: 0.17},
		}}
		if w.bottleneck(&record.Run{}, record.Down, 1); w.unmet != want {
			t.Errorf("%.1f Mbit/s arrived: unmet %v", arrived/1e6, w.unmet)
		}
		w.figures.Eight = &record.Transfer{SteadyRate: 310e3}
		if w.bottleneck(&record.Run{}, record.Down, 1); w.unmet {
			t.Error("eight streams carry what one does, and the ceiling is unmet")
		}
	}
}

// A trial on a long fast path lasts until CUBIC has grown back.
func TestTrialLastsForCubic(t *testing.T) {
	for rtt, want := range map[time.Duration]time.Duration{2 * time.Millisecond: leastCounted, 15 * time.Millisecond: 18 * time.Second, 100 * time.Millisecond: mostCounted} {
		p := path.Path{}
		p.Up.Rate, p.Up.Delay, p.Down.Delay = 110e6, rtt/2, rtt/2
		if got := counted(p); got < want-time.Second || got > want+time.Second {
			t.Errorf("RTT %v: %v, want %v", rtt, got, want)
		}
	}
	if got := counted(path.Path{}); got != leastCounted {
		t.Errorf("without a rate: %v", got)
	}
}

// In front of a policer the line is faster, by what nobody knows.
func TestLineBeforeAPolicer(t *testing.T) {
	w := Way{Policer: Policer{Sure: 1, Buckets: []Bucket{{Rate: 100e6, Burst: 1e5}}}}
	least, most := math.Inf(1), 0.0
	for i := range uint64(200) {
		d, _ := w.draw(rand.New(rand.NewPCG(1, i)))
		if d.Policer.Rate != 100e6 || d.Queue.BDP != 1 {
			t.Fatalf("drawn %+v", d)
		}
		least, most = min(least, float64(d.Rate)), max(most, float64(d.Rate))
	}
	if least < 150e6 || least > 170e6 || most > lineMost*100e6 || most < 0.9*lineMost*100e6 {
		t.Errorf("lines of %.3g to %.3g bit/s", least, most)
	}
}

// A host whose queues were not told of shapes what it sends if, whatever is asked of it, the
// same leaves and all of that arrives.
func TestHeldAtSource(t *testing.T) {
	rung := func(offered, sent float64, lost int64) record.Transfer {
		return record.Transfer{Direction: record.Down, UDP: &record.Rung{Offered: offered, Sent: sent, Lost: lost}}
	}
	for name, c := range map[string]struct {
		rungs []record.Transfer
		want  float64
	}{
		"three rates, one sent": {[]record.Transfer{rung(58e6, 58e6, 0), rung(146e6, 103e6, 0), rung(583e6, 106e6, 0)}, 103e6},
		"some was lost":         {[]record.Transfer{rung(146e6, 103e6, 0), rung(583e6, 106e6, 9)}, 0},
		"once":                  {[]record.Transfer{rung(58e6, 58e6, 0), rung(146e6, 103e6, 0)}, 0},
		"the faster the more":   {[]record.Transfer{rung(146e6, 103e6, 0), rung(583e6, 306e6, 0)}, 0},
		"all of it left":        {[]record.Transfer{rung(146e6, 146e6, 0), rung(583e6, 583e6, 0)}, 0},
	} {
		run := &record.Run{Transfers: c.rungs}
		if left, found := heldAtSource(run, record.Down); found != (c.want > 0) || found && left != c.want {
			t.Errorf("%s: %g, %t", name, left, found)
		}
		for i := range run.Transfers {
			run.Transfers[i].FarSide = &record.Transfer{}
		}
		if _, found := heldAtSource(run, record.Down); found {
			t.Errorf("%s: a host that told of its queues is guessed at", name)
		}
	}
}

// The rate of a shaper on the sending host is what TCP carries: where an outage took all
// of that, there is none.
func TestShapedByNothing(t *testing.T) {
	run := load(t, "healthy--tbf-on-the-own-egress")
	var w Way
	if w.shaped(run, record.Up, 1) || w.SQM.Shaper != "" {
		t.Errorf("a stream that carried nothing was shaped to %+v", w.SQM)
	}
	w.figures.Rate = 1e6
	if !w.shaped(run, record.Up, 1) || w.SQM.Shaper == "" || w.Rate.Value <= 1e6 {
		t.Errorf("%+v at %+v", w.SQM, w.Rate)
	}
	w.figures.Capacity = 9e6
	if !w.shaped(run, record.Up, 1) || w.Rate.Low < 9e6 {
		t.Errorf("streams that something else holds back at %g bit/s made it %+v", w.figures.Rate, w.Rate)
	}
}

// A direction whose rate nothing told has no bottleneck, and so no queue in front of one: a
// path with a queue alone is none that the lab takes.
func TestNoQueueWithoutARate(t *testing.T) {
	w := Way{Delay: exactly(0.015), Queue: Queue{Wait: about(0.01, 2)}}
	likeliest, _ := w.likeliest()
	drawn, _ := w.draw(rand.New(rand.NewPCG(1, 2)))
	for what, d := range map[string]path.Direction{"likeliest": likeliest, "drawn": drawn} {
		p := path.Path{Up: d, Down: d}
		if _, err := path.Parse(p.String()); err != nil {
			t.Errorf("%s: %s: %v", what, p, err)
		}
	}
}
