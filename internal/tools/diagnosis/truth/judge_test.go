package truth

import (
	"context"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/tools/diagnosis/draw"
)

// network is a made-up lab: rates by what a scene's path contains, the first
// that matches.
type network struct {
	rates []rule
	load  float64            // RTT under load, s; 0: as idle
	first map[string]float64 // rates of the first seed's runs by scene, where they differ
	runs  int
	waits []float64 // before each run, s
}

type rule struct {
	has  string
	rate float64
}

const (
	idle      = 0.05
	firstSeed = 1
)

func (n *network) Run(_ context.Context, s draw.Scene, seed uint64, way draw.Direction, p Seconds) (Run, error) {
	n.runs++
	n.waits = append(n.waits, p.Wait)
	text := s.Command(0, string(way))
	for _, r := range n.rates {
		if strings.Contains(text, r.has) {
			if first := n.first[r.has]; first > 0 && seed == firstSeed {
				r.rate = first
			}
			return Run{Rate: r.rate, Early: r.rate, IdleRTT: idle, LoadRTT: max(n.load, idle), Complete: true}, nil
		}
	}
	panic("no rule for " + text)
}

func drawn(impairments ...draw.Impairment) draw.Draw {
	capacity := map[draw.Direction]float64{draw.Up: 100e6, draw.Down: 100e6}
	return draw.Draw{
		Lab: firstSeed, Scene: draw.Scene{Path: "base"}, Clean: draw.Scene{Path: "clean"},
		Impairments: impairments, RTT: idle, Capacity: capacity, Ceiling: capacity,
	}
}

func upward(name, without string, parts ...draw.Part) draw.Impairment {
	return draw.Impairment{Name: name, Directions: []draw.Direction{draw.Up}, Without: draw.Scene{Path: without}, Partly: parts}
}

func find(t *testing.T, n *network, d draw.Draw) Truth {
	t.Helper()
	found, err := Find(t.Context(), n, 30, d)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestCauseIsWhatGains(t *testing.T) {
	n := &network{rates: []rule{{"base 'iperf3 -s' -- sh -c down", 95e6}, {"down", 95e6}, {"noloss", 90e6}, {"base", 10e6}}}
	got := find(t, n, drawn(upward("random-loss", "noloss")))
	if got.Leading() != finding.LossLimited || got.Borderline() || got.Unexplained || len(got.Causes) != 1 || got.Causes[0].Gain != 9 {
		t.Errorf("%+v", got)
	}
	if !got.Right(finding.LossLimited) || got.Right(finding.Healthy) || got.Right(finding.Policed) {
		t.Error("a wrong verdict is right, or the right one is not")
	}
	if n.runs != 3+Seeds {
		t.Errorf("%d runs for what is clear at once: a glance both ways and without, and the slow one whole, %d times for chance", n.runs, Seeds)
	}
}

func TestFullPathIsHealthyWithoutACounterfactual(t *testing.T) {
	n := &network{rates: []rule{{"base", 92e6}}}
	got := find(t, n, drawn(upward("random-loss", "noloss")))
	if got.Leading() != finding.Healthy || got.Borderline() || len(got.Tried) != 1 || !got.Tried[0].Bound {
		t.Errorf("%+v", got)
	}
}

// Of a path on which chance decides, a run that was lucky says no more than one that was
// not.
func TestOneRunIsChance(t *testing.T) {
	for name, c := range map[string]struct {
		others, first float64
		want          finding.Cause
	}{
		"the first was lucky": {20e6, 95e6, finding.LossLimited},
		"the only slow one":   {95e6, 20e6, finding.Healthy},
	} {
		n := &network{rates: []rule{{"down", 95e6}, {"noloss", 95e6}, {"base", c.others}}, first: map[string]float64{"base": c.first}}
		if got := find(t, n, drawn(upward("random-loss", "noloss"))); got.Leading() != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A path that changes with time is asked at several instants, whatever the first says.
func TestScheduleIsMetAtSeveralInstants(t *testing.T) {
	n := &network{rates: []rule{{"down", 95e6}, {"calm", 95e6}, {"base", 90e6}}, first: map[string]float64{"base": 20e6}}
	d := drawn(upward("handover", "calm"))
	d.Scheduled = true
	if got := find(t, n, d); got.Leading() != finding.Healthy {
		t.Errorf("%+v", got)
	}
	if len(n.waits) < Seeds || !slices.Equal(n.waits[:Seeds], []float64{0, instantStep, 2 * instantStep}) {
		t.Errorf("began after %v s", n.waits)
	}
}

func TestNearTheLineEitherIsRight(t *testing.T) {
	n := &network{rates: []rule{{"down", 95e6}, {"noloss", 95e6}, {"base", 72e6}}}
	got := find(t, n, drawn(upward("random-loss", "noloss")))
	if !got.Borderline() || !got.Right(finding.Healthy) || !got.Right(finding.LossLimited) || got.Right(finding.Policed) {
		t.Errorf("%+v", got)
	}
	if n.runs != 3+2*Seeds {
		t.Errorf("%d runs: three glances, then what is not clear is the median of %d", n.runs, Seeds)
	}
}

func TestPartsNameTheCause(t *testing.T) {
	n := &network{rates: []rule{{"down", 95e6}, {"calm", 95e6}, {"kept", 80e6}, {"base", 10e6}}}
	x := upward("varying-delay", "calm", draw.Part{Name: "overtaking", Without: draw.Scene{Path: "kept"}})
	if got := find(t, n, drawn(x)); got.Leading() != finding.Reordering || got.Right(finding.SlowStart) {
		t.Errorf("order matters: %+v", got)
	}
	n.rates[2].rate = 10e6
	if got := find(t, n, drawn(x)); got.Right(finding.Reordering) || !got.Right(finding.SlowStart) {
		t.Errorf("order does not matter: %+v", got)
	}
}

func TestPartsThatHideEachOther(t *testing.T) {
	n := &network{rates: []rule{{"down", 95e6}, {"calm", 95e6}, {"deep", 10e6}, {"kept", 10e6}, {"smooth", 80e6}, {"base", 10e6}}}
	x := upward("varying-delay", "calm",
		draw.Part{Name: "overtaking", Without: draw.Scene{Path: "kept"}},
		draw.Part{Name: "bunching", Without: draw.Scene{Path: "deep"}})
	x.Together = []draw.Part{{Name: "overtaking with bunching", Without: draw.Scene{Path: "smooth"}}}
	if got := find(t, n, drawn(x)); !got.Right(finding.Reordering) || !got.Right(finding.ShallowBuffer) || got.Right(finding.SlowStart) {
		t.Errorf("only both together help: %+v", got)
	}
	n.rates[3].rate = 80e6
	if got := find(t, n, drawn(x)); !got.Right(finding.Reordering) || got.Right(finding.ShallowBuffer) {
		t.Errorf("one helps alone: %+v", got)
	}
}

func TestPartsOfWhatHidesTellBesideNothingElse(t *testing.T) {
	n := &network{rates: []rule{
		{"down", 95e6},
		{"clean", 90e6},
		{"base", 10e6},
		{"noloss", 10e6},
		{"calm", 10e6},
		{"kept", 10e6},
		{"onlyloss", 10e6},
		{"onlyjitter", 10e6},
		{"ordered", 85e6},
	}}
	jitter := upward("varying-delay", "calm", draw.Part{
		Name: "overtaking", Without: draw.Scene{Path: "kept"}, Alone: draw.Scene{Path: "ordered"},
	})
	jitter.Alone = draw.Scene{Path: "onlyjitter"}
	loss := upward("random-loss", "noloss")
	loss.Alone = draw.Scene{Path: "onlyloss"}
	if got := find(t, n, drawn(loss, jitter)); len(got.Unnamed([]finding.Cause{finding.LossLimited, finding.Reordering})) > 0 || got.Right(finding.SlowStart) {
		t.Errorf("order matters without the loss: %+v", got.Causes)
	}
	n.rates[len(n.rates)-1].rate = 10e6
	if got := find(t, n, drawn(loss, jitter)); got.Right(finding.Reordering) || !got.Right(finding.SlowStart) {
		t.Errorf("order does not matter: %+v", got.Causes)
	}
}

func TestTwoThatHideEachOther(t *testing.T) {
	n := &network{rates: []rule{{"down", 95e6}, {"clean", 90e6}, {"base", 10e6}, {"noloss", 10e6}, {"large", 10e6}}}
	d := drawn(upward("random-loss", "noloss"), upward("send-buffer", "large"))
	got := find(t, n, d)
	if len(got.Distinct()) != 2 || !got.Right(finding.SendBuffer) || !got.Right(finding.LossLimited) {
		t.Errorf("%+v", got)
	}
	if len(got.Unnamed([]finding.Cause{finding.LossLimited})) != 1 || len(got.Unnamed([]finding.Cause{finding.SendBuffer, finding.LossLimited})) > 0 {
		t.Error("both must be named")
	}
	// Where one helps nearly as much alone, the other is not even perhaps one.
	n.rates[3].rate, n.rates[1].rate = 13e6, 14e6
	if got := find(t, n, d); len(got.Causes) != 0 || got.Right(finding.SendBuffer) || !got.Right(finding.LossLimited) {
		t.Errorf("%+v", got)
	}
	n.rates[1].rate = 90e6
	// Where one helps alone, the other is no cause.
	n.rates[3].rate = 90e6
	if got := find(t, n, d); len(got.Distinct()) != 1 || got.Right(finding.SendBuffer) {
		t.Errorf("%+v", got)
	}
}

func TestBufferbloatIsByItsDefinition(t *testing.T) {
	for load, want := range map[float64]bool{0.1: false, 0.3: true} {
		n := &network{rates: []rule{{"base", 95e6}}, load: load}
		got := find(t, n, drawn())
		if got.Right(finding.Bufferbloat) != want || got.Right(finding.Healthy) == want || got.Borderline() {
			t.Errorf("%v s under load: %+v", load, got)
		}
	}
	n := &network{rates: []rule{{"base", 95e6}}, load: 0.155}
	if got := find(t, n, drawn()); !got.Borderline() || !got.Right(finding.Bufferbloat) || !got.Right(finding.Healthy) {
		t.Errorf("near the definition's line: %+v", got)
	}
}

func TestStockBuffersOnALongPath(t *testing.T) {
	n := &network{load: 0.4, rates: []rule{{"down", 95e6}, {"tcp_wmem", 30e6}, {"tcp_rmem", 95e6}, {"base", 30e6}}}
	got := find(t, n, drawn())
	if !got.Right(finding.ReceiveWindow) || got.Right(finding.SendBuffer) {
		t.Errorf("%+v", got)
	}
}

func TestSlowForNoReason(t *testing.T) {
	n := &network{rates: []rule{{"base", 20e6}, {"noloss", 20e6}}}
	got := find(t, n, drawn(upward("random-loss", "noloss")))
	if !got.Unexplained || !got.Borderline() {
		t.Errorf("%+v", got)
	}
}

func TestPolicerThatIsOnlyTheCeiling(t *testing.T) {
	n := &network{rates: []rule{{"base", 90e6}}}
	got := find(t, n, drawn(upward("policer", "shaped")))
	if !got.Borderline() || !got.Right(finding.Policed) || !got.Right(finding.Healthy) {
		t.Errorf("%+v", got)
	}
}

// A policer that the stream never reaches is not even the ceiling.
func TestPolicerThatIsNotReached(t *testing.T) {
	n := &network{rates: []rule{{"down", 95e6}, {"large", 95e6}, {"base", 20e6}, {"shaped", 20e6}}}
	got := find(t, n, drawn(upward("send-buffer", "large"), upward("policer", "shaped")))
	if !got.Right(finding.SendBuffer) || got.Right(finding.Policed) {
		t.Errorf("%+v", got)
	}
}

// One direction alone: the other is not run, and has no truth.
func TestFindIn(t *testing.T) {
	n := &network{rates: []rule{{"sh -c down", 1}, {"noloss", 90e6}, {"base", 10e6}}}
	found, err := FindIn(t.Context(), n, 30, drawn(upward("random-loss", "noloss")), []draw.Direction{draw.Up})
	if err != nil {
		t.Fatal(err)
	}
	if _, down := found.Seen[draw.Down]; down || found.Unexplained || found.Leading() != finding.LossLimited {
		t.Errorf("%+v", found)
	}
}
