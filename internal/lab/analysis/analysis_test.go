package analysis

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"unchoke/internal/lab/reference"
	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/stats"
	"unchoke/internal/unit"
	"unchoke/tcpinfo"
)

// articleStudy is the article's own runs as if the lab had made them.
func articleStudy() Study {
	s := Study{Name: "article"}
	for set, runs := range [][]reference.Run{reference.Jitter(), reference.Loss()} {
		count := map[setup]int{}
		for i, r := range runs {
			k := setup{r.Path, r.CC, r.Rate}
			spec := articleSpec
			spec.Rate, spec.ReadEvery, spec.Duration = r.Rate, time.Millisecond, 10*time.Second
			s.Rows = append(s.Rows, grid.Row{
				Cell: set*1000 + i, Repetition: count[k], Seed: uint64(set*1000 + count[k] + 1),
				Path: r.Path, Traffic: spec, Arm: grid.Arm{CC: r.CC},
				Result: traffic.Result{Throughput: r.Throughput, Elapsed: r.Duration, Retransmits: r.Retransmits, Segments: int64(r.Throughput / 8 / 1448 * 10), CC: r.CC},
			})
			count[k]++
		}
	}
	return s
}

// The article agrees with itself, and the analysis of its runs finds what the
// article says of them.
func TestArticle(t *testing.T) {
	f := Analyse(articleStudy())
	if f.Runs != 560 || len(f.Cells) != 84+24 { // four of the loss cells are jitter cells as well
		t.Errorf("%d runs in %d cells", f.Runs, len(f.Cells))
	}
	for name, list := range map[string][]Compared{"jitter": f.Agreement.Jitter, "loss": f.Agreement.Loss, "published": f.Agreement.Published} {
		agree, all := Tally(list)
		t.Logf("%s: %d of %d", name, agree, all)
		if name != "published" && (agree != all || all < 28) {
			t.Errorf("%s: %d of %d cells agree with themselves", name, agree, all)
		}
	}
	for _, r := range f.Agreement.Ranks {
		if !r.Agrees {
			t.Errorf("rank at %s: %v against %v", r.Path, r.Ours, r.Theirs)
		}
	}
	if len(f.Jitter) != 12 || len(f.Loss) != 4 {
		t.Fatalf("%d jitter curves, %d loss curves", len(f.Jitter), len(f.Loss))
	}
	for _, c := range f.Jitter {
		if c.Cliff == nil || c.Article == 0 {
			t.Errorf("%s: cliff %v, article %v", c.Label, c.Cliff, c.Article)
			continue
		}
		t.Logf("%s: cliff %.3f %v in %v, article %.2f, zone %v", c.Label, c.Cliff.At, *c.Cliff.Interval, c.Cliff.Bracket, c.Article, c.Zone)
		// The article's is the end of the grid's step that holds the crossing,
		// and the grid pools both senders: a step either way.
		if step := 0.004 / c.RTT; c.Cliff.At > c.Article+step || c.Cliff.At < c.Article-2*step {
			t.Errorf("%s: cliff at %.3f, the article's at %.3f", c.Label, c.Cliff.At, c.Article)
		}
	}
	for _, a := range f.Guide {
		t.Logf("%s %s: %+v", a.Axis, a.CC, a.Bands)
		last := a.Bands[len(a.Bands)-1]
		if last.Use != "bbr" || last.To != -1 {
			t.Errorf("%s: the worst paths call for %q", a.Axis, last.Use)
		}
	}
	if _, err := json.Marshal(f); err != nil {
		t.Error(err)
	}
	if again := Analyse(articleStudy()); !reflect.DeepEqual(f, again) {
		t.Error("the same rows gave other figures")
	}
}

func TestFalling(t *testing.T) {
	for _, c := range []struct{ ys, weights, want []float64 }{
		{[]float64{3, 2, 1}, []float64{1, 1, 1}, []float64{3, 2, 1}},
		{[]float64{1, 2, 3}, []float64{1, 1, 1}, []float64{2, 2, 2}},
		{[]float64{1, 3, 0, 2}, []float64{1, 3, 1, 1}, []float64{2.5, 2.5, 1, 1}},
		{nil, nil, []float64{}},
	} {
		if got := falling(c.ys, c.weights); !reflect.DeepEqual(got, c.want) {
			t.Errorf("falling(%v) = %v, want %v", c.ys, got, c.want)
		}
	}
}

func TestCrossing(t *testing.T) {
	xs := []float64{0, 1, 2, 4}
	for _, c := range []struct {
		fit  []float64
		log  bool
		i    int
		want float64
	}{
		{[]float64{10, 8, 4, 0}, false, 2, 1.5},
		{[]float64{10, 9, 8, 4}, true, 3, 2 * math.Sqrt2},
		{[]float64{10, 2, 1, 0}, true, 1, 0.5}, // from 0 there is no logarithm
		{[]float64{9, 9, 9, 9}, false, 4, math.Inf(1)},
		{[]float64{1, 1, 1, 1}, false, 0, 0},
	} {
		if i, x := crossing(xs, c.fit, 6, c.log, 1); i != c.i || math.Abs(x-c.want) > 1e-9 && x != c.want {
			t.Errorf("crossing of %v at level %d, %v; want %d, %v", c.fit, i, x, c.i, c.want)
		}
	}
}

// simulated is a curve whose retention at jitter/RTT x is 1/(1 + (x/cliff)⁶):
// half at the cliff. Runs scatter by a log-normal factor of mean 1, the more
// the nearer to it.
func simulated(random *rand.Rand, cliff float64, levels []float64, repetitions int) Study {
	var s Study
	for i, x := range levels {
		spread := 0.05 + 0.4*math.Exp(-math.Pow((x-cliff)/0.06, 2))
		p := mustPath("rtt=50ms")
		if x > 0 {
			jitter := time.Duration(x * float64(p.RTT()))
			for _, d := range []*path.Direction{&p.Up, &p.Down} {
				d.Jitter, d.Order, d.Dist = jitter, path.Free, path.Normal
			}
		}
		for r := range repetitions {
			rate := 40e6 / (1 + math.Pow(x/cliff, 6)) * math.Exp(spread*random.NormFloat64()-spread*spread/2)
			s.Rows = append(s.Rows, grid.Row{
				Cell: i, Repetition: r, Seed: random.Uint64(), Path: p,
				Traffic: traffic.Spec{Kind: traffic.Bulk}, Arm: grid.Arm{CC: "cubic"},
				Result: traffic.Result{Throughput: rate, CC: "cubic"},
			})
		}
	}
	return s
}

// A cliff's interval holds the true one about as often as it promises, between
// the levels of a coarse grid as on them.
func TestCliffCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	levels := []float64{0, 0.06, 0.12, 0.18, 0.24, 0.3, 0.36, 0.42}
	for _, repetitions := range []int{5, 20} {
		const trials = 100
		covered, width := 0, 0.0
		for range trials {
			cliff := 0.12 + 0.18*random.Float64()
			curves := Analyse(simulated(random, cliff, levels, repetitions)).Jitter
			if len(curves) != 1 || curves[0].Cliff == nil {
				t.Fatal("no cliff found")
			}
			c := curves[0].Cliff
			if c.Interval.Contains(cliff) {
				covered++
			}
			width += c.Interval.High - c.Interval.Low
			if !c.Bracket.Contains(c.At) {
				t.Errorf("the cliff %v is outside its bracket %v", c.At, c.Bracket)
			}
		}
		t.Logf("%d repetitions: %d of %d intervals hold the cliff, mean width %.3f", repetitions, covered, trials, width/trials)
		if covered < 90 {
			t.Errorf("%d repetitions: %d of %d intervals hold the cliff", repetitions, covered, trials)
		}
		if width/trials > 0.06 {
			t.Errorf("%d repetitions: intervals are %.3f wide on average, no better than the grid", repetitions, width/trials)
		}
	}
}

func TestNoCliff(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	f := Analyse(simulated(random, 5, []float64{0, 0.1, 0.2}, 3))
	if c := f.Jitter[0].Cliff; c != nil {
		t.Errorf("a cliff at %v on a flat curve", c.At)
	}
	single := Analyse(simulated(random, 0.2, []float64{0, 0.1, 0.2, 0.3}, 1))
	if c := single.Jitter[0].Cliff; c == nil || c.Interval != nil {
		t.Errorf("of single runs: %+v", c)
	}
	if none := Analyse(Study{}); none.Runs != 0 || len(none.Jitter) != 0 {
		t.Errorf("of no runs: %+v", none)
	}
}

// Runs that are either slow or fast have two modes, and those that scatter
// about one have not.
func TestTwoModes(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var two, one []float64
	for i := range 20 {
		noise := math.Exp(0.15 * random.NormFloat64())
		one = append(one, 10e6*noise)
		two = append(two, []float64{2e6, 12e6}[i%2]*noise)
	}
	if !twoModes(two) || twoModes(one) || twoModes(two[:6]) {
		t.Errorf("two modes: of two %v, of one %v, of six runs %v", twoModes(two), twoModes(one), twoModes(two[:6]))
	}
}

// Contrasts of equal arms call a difference "faster" or "slower" about as
// seldom as 95 % promises, and find one of a half nearly always.
func TestContrast(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	wrong, found := 0, 0
	const trials = 200
	for range trials {
		var rows []grid.Row
		for r := range 6 {
			shared := math.Exp(0.3 * random.NormFloat64())
			for i, scale := range []float64{1, 1, 1.5} {
				rate := 20e6 * scale * shared * math.Exp(0.1*random.NormFloat64())
				cc := []string{"cubic", "reno", "bbr"}[i]
				rows = append(rows, grid.Row{Cell: i, Repetition: r, Seed: uint64(r + 1), Arm: grid.Arm{CC: cc}, Result: traffic.Result{Throughput: rate, CC: cc}})
			}
		}
		for _, c := range Analyse(Study{Rows: rows}).Contrasts {
			switch {
			case c.CC == "reno" && (c.Answer == Faster || c.Answer == Slower):
				wrong++
			case c.CC == "bbr" && c.Answer == Faster:
				found++
			}
		}
	}
	if wrong > trials*8/100 || found < trials*95/100 {
		t.Errorf("of %d: %d equal arms told apart, %d of arms of 1.5 found", trials, wrong, found)
	}
}

func TestSegment(t *testing.T) {
	var points []point
	add := func(n int, from float64, a Answer) {
		for i := range n {
			points = append(points, point{from + 0.01*float64(i), a, 1})
		}
	}
	add(3, 0.01, Same)
	add(1, 0.04, Faster) // an outlier is no band of its own
	add(2, 0.05, Same)
	add(4, 0.10, Slower)
	add(2, 0.14, Unclear)
	add(6, 0.20, Faster)
	bands := segment(points)
	if len(bands) != 3 {
		t.Fatalf("%d bands: %+v", len(bands), bands)
	}
	for i, want := range []string{UseEither, "cubic", "bbr"} {
		if got := bands[i].advice("bbr"); got != want {
			t.Errorf("band %d: %s, want %s", i, got, want)
		}
	}
	if bands[0].From != 0 || bands[2].To != -1 || bands[0].To != bands[1].From || math.Abs(bands[0].To-0.08) > 1e-9 {
		t.Errorf("edges: %+v", bands)
	}
	if segment(nil) != nil {
		t.Error("bands of nothing")
	}
}

func TestProfilesAndQuality(t *testing.T) {
	var rows []grid.Row
	for r := range 10 {
		for i, cc := range []string{"cubic", "bbr"} {
			rows = append(rows, grid.Row{
				Cell: i, Repetition: r, Seed: uint64(r + 1), Arm: grid.Arm{CC: cc},
				Path:   mustPath("rtt=27ms,jitter=7ms,order=free,loss=0.125%"),
				Result: traffic.Result{Throughput: []float64{2.3e6, 7.3e6}[i] + float64(r), CC: cc},
			})
		}
	}
	f := Analyse(Study{Rows: rows})
	if len(f.Profiles) != 1 || f.Profiles[0].Base.Mean != "360p" || f.Profiles[0].Other.Mean != "720p" {
		t.Errorf("profiles %+v", f.Profiles)
	}
	if quality(0) != "unusable" {
		t.Error("nothing is usable")
	}
}

func TestOrdersMapsAndTraces(t *testing.T) {
	var s Study
	cell := 0
	for _, p := range []string{"rtt=50ms", "rtt=50ms,jitter=16ms,order=free", "rtt=50ms,jitter=16ms", "rtt=100ms,jitter=16ms,order=free"} {
		for i, cc := range []string{"cubic", "bbr"} {
			for r := range 3 {
				s.Rows = append(s.Rows, grid.Row{
					Cell: cell, Repetition: r, Seed: uint64(r + 1), Path: mustPath(p), Arm: grid.Arm{CC: cc},
					Result: traffic.Result{Throughput: float64(i+1) * (1e6 + float64(r)), Retransmits: 10, Spurious: 9, Segments: 100, CC: cc},
				})
			}
			cell++
		}
	}
	samples := make([]traffic.Sample, 1200)
	for i := range samples {
		samples[i] = traffic.Sample{At: time.Duration(i) * time.Millisecond, Ssthresh: tcpinfo.InfiniteSsthresh}
	}
	s.Series = []Series{{Row: s.Rows[6], Samples: samples}}
	f := Analyse(s)
	if len(f.Orders) != 2 || f.Cells[f.Orders[0].Free].Path.Up.Order != path.Free {
		t.Errorf("orders %+v", f.Orders)
	}
	if len(f.Maps) != 2 {
		t.Fatalf("%d maps", len(f.Maps))
	}
	m := f.Maps[0]
	if !reflect.DeepEqual(m.Columns, []float64{0, 0.016}) || !reflect.DeepEqual(m.RTTs, []float64{0.05, 0.1}) || m.At[1][0] != -1 || m.At[0][1] < 0 {
		t.Errorf("map %+v", m)
	}
	if got := f.Contrasts[m.At[0][1]]; math.Abs(got.Ratio-2) > 1e-6 || got.Answer != Faster {
		t.Errorf("contrast %+v", got)
	}
	if got := f.Cells[2].Spurious; got != 0.9 {
		t.Errorf("spurious %v", got)
	}
	if len(f.Traces) != 1 || len(f.Traces[0].Points) > tracePoints || f.Traces[0].Points[0].Ssthresh != 0 {
		t.Errorf("%d traces", len(f.Traces))
	}
}

// Two sweeps of one study may hold the same run: it counts once.
func TestSameRunTwice(t *testing.T) {
	row := grid.Row{Seed: 7, Path: mustPath("rtt=50ms"), Arm: grid.Arm{CC: "cubic"}, Result: traffic.Result{Throughput: 1e6, CC: "cubic"}}
	twice := row
	twice.Cell = 5
	if f := Analyse(Study{Rows: []grid.Row{row, twice}}); f.Runs != 1 || f.Cells[0].Throughput.Interval != nil {
		t.Errorf("%d runs", f.Runs)
	}
}

// Theory is compared with long bulk runs alone.
func TestTheory(t *testing.T) {
	long := traffic.Spec{Kind: traffic.Bulk, Duration: time.Minute, Omit: 10 * time.Second}
	short := long
	short.Omit = 0
	var rows []grid.Row
	for i, c := range []struct {
		path, cc string
		spec     traffic.Spec
		rate     float64
	}{
		{"rtt=100ms,loss=0.1%", "cubic", long, 4.4e6},
		{"rtt=100ms,loss=0.1%", "cubic", short, 4.4e6},
		{"rtt=100ms,rate=100mbit,loss=5%", "bbr", long, 88e6},
		{"rtt=100ms,rate=100mbit,loss=10%", "bbr", long, 88e6},
		{"rtt=100ms,rate=1mbit,loss=0.1%", "cubic", long, 0.9e6},
	} {
		rows = append(rows, grid.Row{Cell: i, Seed: 1, Path: mustPath(c.path), Traffic: c.spec, Arm: grid.Arm{CC: c.cc}, Result: traffic.Result{Throughput: c.rate, CC: c.cc}})
	}
	got := Analyse(Study{Rows: rows}).Agreement.Theory
	if agree, all := Tally(got); agree != 2 || all != 2 {
		t.Errorf("%d of %d: %+v", agree, all, got)
	}
}

// A tunnel's own headers take a part of the bottleneck.
func TestTheoryOfTunnels(t *testing.T) {
	for tunnel, want := range map[path.Tunnel]float64{
		path.NoTunnel:  100e6 * 1448 / 1514,
		path.WireGuard: 100e6 * 1368 / (1420 + 60 + 14),
		path.GRE:       100e6 * 1424 / 1514,
		path.IP6GRE:    100e6 * 1396 / 1514,
	} {
		row := grid.Row{
			Seed: 1, Path: mustPath("rtt=100ms,rate=100mbit,loss=1%,tunnel=" + string(tunnel)), Arm: grid.Arm{CC: "bbr"},
			Traffic: traffic.Spec{Kind: traffic.Bulk, Duration: time.Minute, Omit: 10 * time.Second},
			Result:  traffic.Result{Throughput: want, CC: "bbr"},
		}
		got := Analyse(Study{Rows: []grid.Row{row}}).Agreement.Theory
		if len(got) != 1 || math.Abs(got[0].Want-0.99*want) > 1 {
			t.Errorf("%s: %+v, want %v", tunnel, got, 0.99*want)
		}
	}
}

func TestLabels(t *testing.T) {
	a := traffic.Spec{Kind: traffic.Paced, Rate: unit.BitRate(40 << 20), Write: 8192, Duration: 10 * time.Second}
	b := a
	b.Rate *= 2
	labels, common := trafficLabels([]traffic.Spec{a, b, a})
	if labels[a] != "5 MiB/s" || labels[b] != "10 MiB/s" || common != "paced, writes of 8 KiB, for 10s" {
		t.Errorf("labels %v, common %q", labels, common)
	}
	if got := armLabel(grid.Row{Arm: grid.Arm{CC: "bbr", Streams: 4, Neighbor: "cubic"}}); got != "bbr ×4 beside cubic" {
		t.Errorf("arm %q", got)
	}
}

func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		ratio, low, high float64
		want             Answer
	}{
		{2, 1.2, 3, Faster},
		{0.5, 0.2, 0.9, Slower},
		{1, 0.95, 1.05, Same},
		{1, 0.5, 2, Unclear},
		{1.05, 1.01, 1.12, Same},
		{0.95, 0.88, 0.99, Same},
	} {
		if got := answer(c.ratio, stats.Interval{Low: c.low, High: c.high}); got != c.want {
			t.Errorf("%v is %s, want %s", c, got, c.want)
		}
	}
}

func mustPath(text string) path.Path {
	p, err := path.Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}
