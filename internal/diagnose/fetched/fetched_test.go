package fetched

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// Records of checks of nginx, Caddy and a program that paces in the lab, each
// named for what is wrong with its path: what stock curl carries more without.
func TestRecords(t *testing.T) {
	files := diagnosetest.Glob(t, "testdata/*.json.gz")
	if len(files) < 5 {
		t.Fatalf("%d records", len(files))
	}
	for _, file := range files {
		r := load(t, file)
		want, _, _ := strings.Cut(filepath.Base(file), "--")
		all := Diagnose(r)
		if got := finding.Verdict(all); string(got) != want {
			t.Errorf("%s: %s: %s", file, got, all[0].Summary)
		}
		for _, f := range all {
			if f.Direction != record.Down || f.Confidence <= 0 || f.Confidence > 0.95 || f.Remedies == nil || f.Summary == "" {
				t.Errorf("%s: %+v", file, f)
			}
		}
		if len(Unknown(r)) == 0 {
			t.Errorf("%s: a receiver knows all", file)
		}
	}
}

func load(t *testing.T, file string) *record.Run {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := record.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Records may lack anything.
func TestRecordsOfNothing(t *testing.T) {
	one := record.Transfer{Name: "down-1", Direction: record.Down, Protocol: record.TCP, Streams: 1, Series: []record.Series{{}}}
	many := one
	many.Name, many.Streams = "down-6", 6
	for _, r := range []*record.Run{
		{Fetch: &record.Fetch{}},
		{Fetch: &record.Fetch{}, Transfers: []record.Transfer{{Name: "down-1"}}},
		{Fetch: &record.Fetch{}, Transfers: []record.Transfer{one}},
		{Fetch: &record.Fetch{}, Transfers: []record.Transfer{one, many}, Echoes: []record.Echo{{Name: "idle"}, {Name: "down-1", Probes: []record.Probe{{}}}}},
	} {
		for _, f := range Diagnose(r) {
			if f.Cause != finding.Unclear {
				t.Errorf("of nothing: %s, %s", f.Cause, f.Summary)
			}
		}
	}
}

// Small segments pass where full ones did not.
func TestHole(t *testing.T) {
	r := &record.Run{Fetch: &record.Fetch{Probe: &record.SegmentProbe{MSS: 1024, Bytes: 1 << 18, Passed: true}}}
	all := Diagnose(r)
	if finding.Verdict(all) != finding.MTUBlackhole || all[0].Remedies[0].Command == "" {
		t.Errorf("%+v", all)
	}
	r.Fetch.Probe.Passed = false
	if all := Diagnose(r); len(all) > 0 {
		t.Errorf("neither passes: %+v", all)
	}
}

// A hole stays open for a round trip where a packet was lost; one that was
// overtaken closes it at once.
func TestHoles(t *testing.T) {
	a := arrivals{
		at:       []float64{0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07},
		segments: []float64{0, 10, 20, 30, 40, 50, 60, 70},
		inOrder:  []float64{0, 10, 10, 10, 10, 50, 60, 70},
		stray:    []float64{0, 0, 10, 20, 30, 30, 31, 31},
	}
	holes := a.holes()
	if len(holes) != 1 || holes[0].at != 0.01 || holes[0].length < 0.039 {
		t.Fatalf("holes %v", holes)
	}
	if n := a.straysOutside(holes); n != 1 {
		t.Errorf("%g segments came out of order outside of it, want 1", n)
	}
	if n := a.straysOutside(nil); n != 31 {
		t.Errorf("%g in all", n)
	}
}

// What comes in a burst each round trip recurs at that lag. Where a round trip is
// three looks long, the look before it is told apart, and one next to it by
// rounding is not asked.
func TestRecurs(t *testing.T) {
	for _, trip := range []int{3, 6, 20} {
		var a arrivals
		n := 0.0
		for i := range 400 {
			if i%trip == 0 {
				n += 10
			}
			a.at, a.segments = append(a.at, 0.01*float64(i)), append(a.segments, n)
		}
		rtt := 0.01 * float64(trip)
		if got := a.recurs(0.5, 3.5, rtt); got < 0.8 {
			t.Errorf("bursts %d looks apart recur by %.2f", trip, got)
		}
		for _, share := range []float64{0.5, 0.7, 1.4} {
			if got := a.recursBeside(0.5, 3.5, rtt, share); got > 0.3 {
				t.Errorf("bursts %d looks apart recur by %.2f at %g of that", trip, got, share)
			}
		}
	}
}

// A queue that about doubles the round trip is neither surely too long nor
// surely not, whether the one connection fills it or the several.
func TestBloatsAtTheEdge(t *testing.T) {
	at := func(ms float64) flow.Spread { return flow.Spread{N: 30, Low: ms / 1e3, Mid: ms / 1e3, High: ms / 1e3} }
	for _, c := range []struct {
		idle, one, several float64
		nearly             bool
		sure               float64 // of bufferbloat; 0: not said
	}{
		{166, 324, 341, true, 0},  // the several fill it
		{166, 315, 310, true, 0},  // the one, nearly
		{166, 250, 270, false, 0}, // well below
		{166, 340, 345, false, 0.6},
		{166, 400, 400, false, 0.95},
		{20, 105, 108, false, 0}, // five times the round trip, and no time to speak of
		{20, 118, 119, true, 0},
	} {
		v := &view{idle: at(c.idle), loaded: at(c.one), busier: at(c.several), run: &record.Run{}, rate: 1e7, capacity: 1e7}
		if got := v.nearlyBloats(); got != c.nearly {
			t.Errorf("%v: at the edge: %v", c, got)
		}
		f := bloated(v)
		if (f != nil) != (c.sure > 0) || f != nil && f.Confidence != c.sure {
			t.Errorf("%v: %+v", c, f)
		}
	}
}

// What one of two connections carries and the other does not is not what holds
// each.
func TestLucky(t *testing.T) {
	v := &view{rate: 13e6, capacity: 20e6}
	if v.lucky() {
		t.Error("one connection is no luck")
	}
	v.plain = &record.Transfer{SteadyRate: 17e6}
	if !v.lucky() {
		t.Error("17 of 20 Mbit/s beside 13: not called luck")
	}
	v.plain.SteadyRate = 14e6
	if v.lucky() {
		t.Error("both are slow")
	}
}

// What several connections carry together for a while is counted over all of
// them, and not while they begin.
func TestMost(t *testing.T) {
	v := &view{mss: 1250, many: &record.Transfer{Duration: 5, Streams: 6}}
	for range 6 {
		var s record.Series
		segments := int64(0)
		for i := range 500 {
			if i < 100 {
				segments += 90 // slow start into an empty bucket
			}
			segments++
			s.Samples = append(s.Samples, record.Sample{At: float64(i) / 100, Info: tcpinfo.Info{DataSegsIn: uint32(segments)}})
		}
		v.many.Series = append(v.many.Series, s)
	}
	if got := v.most(); math.Abs(got/6e6-1) > 0.05 {
		t.Errorf("%.2f Mbit/s, want 6", got/1e6)
	}
	v.many = nil
	if got := v.most(); got != 0 {
		t.Errorf("%.2f of none", got)
	}
}

// A pace has a time of its own. A window's bursts come with the round trip, also
// where that is no whole number of looks and its double is.
func TestPacedOrClocked(t *testing.T) {
	bursts := func(every float64) *view {
		var s record.Series
		segments, next := uint32(0), 0.0
		for i := range 900 {
			at := float64(i) * looks
			for next <= at {
				segments += 20
				next += every
			}
			s.Samples = append(s.Samples, record.Sample{At: at, Info: tcpinfo.Info{DataSegsIn: segments, BytesReceived: uint64(segments) * 1448}})
		}
		one := &record.Transfer{Name: "down-1", Streams: 1, Duration: 9, Series: []record.Series{s}}
		v := &view{
			run: &record.Run{}, one: one, many: &record.Transfer{Streams: 6, SteadyRate: 1e8}, seen: arrivalsOf(s), mss: 1448,
			rate: 2e7, capacity: 1e8, grown: 1, stream: record.FetchStream{Ended: 9},
		}
		return v
	}
	for _, c := range []struct {
		every, rtt float64
		want       finding.Cause
	}{
		{0.065, 0.0437, finding.AppLimited},
		{0.0325, 0.044, finding.AppLimited},
		{0.0437, 0.0437, finding.SendBuffer},
		{0.05, 0.05, finding.SendBuffer},
	} {
		v := bursts(c.every)
		v.rtt = c.rtt
		f := heldAtServer(v)
		if f == nil || f.Cause != c.want {
			t.Errorf("bursts every %g s at a round trip of %g s: %+v, want %s", c.every, c.rtt, f, c.want)
		}
	}
	v := bursts(0.035)
	v.rtt = 0.035
	if f := heldAtServer(v); f != nil && f.Cause != finding.SendBuffer {
		t.Errorf("a window's bursts between two looks: %s", f.Summary)
	}
}

// A short file that came as fast as its packets followed each other tells nothing
// of slow start.
func TestBrief(t *testing.T) {
	file := func(perTrip ...float64) *view {
		var s record.Series
		segments, at := 0.0, 0.0
		for _, n := range perTrip { // a round trip of 40 ms; a look takes ten segments of the line's
			for range 4 {
				came := min(n, 10)
				n -= came
				segments += came
				s.Samples = append(s.Samples, record.Sample{At: at, Info: tcpinfo.Info{DataSegsIn: uint32(segments), BytesReceived: uint64(segments * 1448)}})
				at += looks
			}
		}
		return &view{
			run: &record.Run{}, seen: arrivalsOf(s), mss: 1448, rtt: 0.04,
			stream: record.FetchStream{End: record.EndOfBody, Ended: at, Bytes: int64(segments * 1448)},
		}
	}
	if v := file(10, 20, 40, 40, 40, 40, 40, 40, 40, 40, 40); !v.brief() || short(v) != nil {
		t.Errorf("a line that is full nearly from the beginning: %+v", short(v))
	} else if f := unclear(v); !strings.Contains(f.Summary, "The file") || strings.Contains(f.Summary, "not tried") {
		t.Errorf("the file is over too soon to tell: %s", f.Summary)
	}
	if v := file(10, 20, 40); v.brief() || short(v) == nil {
		t.Error("slow start took most of the file")
	}
}

// Chance drops the packets of several connections no more often than one's. Where
// they fill a queue, or few losses were seen, nothing follows from more.
func TestDroppedForMore(t *testing.T) {
	at := func(ms float64) flow.Spread { return flow.Spread{N: 30, Low: ms / 1e3, Mid: ms / 1e3, High: ms / 1e3} }
	for _, c := range []struct {
		holes         int
		several, busy float64
		want          bool
	}{
		{31, 2.6, 26, true},
		{31, 1.3, 26, false},
		{100, 1.5, 26, false}, // losses of one round trip look like one
		{4, 2.4, 26, false},
		{31, 2.6, 40, false},
		{0, 0, 26, false},
	} {
		v := &view{holes: make([]span, c.holes), loss: 0.008, lossMany: 0.008 * c.several, idle: at(26), busier: at(c.busy)}
		if got := v.droppedForMore(); got != c.want {
			t.Errorf("%d losses, %g times as often among several, %g ms: %v", c.holes, c.several, c.busy, got)
		}
	}
}
