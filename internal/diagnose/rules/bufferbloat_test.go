package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// Eight streams through one tunnel wait longer than the queue at the bottleneck takes
// when UDP overruns it: their queue is the tunnel's. Where that was not seen, it may be
// the bottleneck's.
func TestFullIsShort(t *testing.T) {
	v := view.Of(load(t, "testdata/healthy--eight-streams-queue-in-a-tunnel.json.gz"), record.Down)
	if !v.Rising || !v.FullIsShort() || Bufferbloat(v) != nil {
		t.Fatal(v, Bufferbloat(v))
	}
	v.Rungs = nil
	v.Eight.Streams = 2 // which began with less than waits
	v.One.Egress = nil  // what goes back is not known
	if f, _ := bloat(v); f == nil {
		t.Error("a queue of 105 ms under eight streams alone is no bufferbloat")
	}
}

// What eight streams alone fill costs one stream nothing where that leaves most of it
// empty: it is named, and no more.
func TestCrowdFills(t *testing.T) {
	v := view.Of(load(t, "testdata/healthy--eight-streams-queue-in-a-tunnel.json.gz"), record.Down)
	v.Rungs, v.Eight.Streams, v.One.Egress, v.Busier.Mid = nil, 2, nil, v.Idle.Mid+0.3
	waits := func(rise float64) { v.Loaded.Mid, v.Ending.Mid = v.Idle.Mid+rise, v.Idle.Mid+rise }
	waits(0.09)
	if Bufferbloat(v) == nil || CrowdBloats(v, nil) != nil {
		t.Error("one stream waits for 90 ms, eight for 300: that is bufferbloat, and said once")
	}
	waits(0.005)
	if f := CrowdBloats(v, nil); Bufferbloat(v) != nil || f == nil || f.Severity != 0 {
		t.Errorf("one stream waits for 5 ms, eight for 300: %+v, %+v", Bufferbloat(v), f)
	}
	if f := CrowdBloats(v, []finding.Finding{{Cause: finding.Bufferbloat}}); f != nil {
		t.Errorf("bufferbloat is named twice: %+v", f)
	}
}

// What filled a queue is said in words, not by the name of its transfer.
func TestLoadWords(t *testing.T) {
	v := &view.View{One: &record.Transfer{Name: "up-1-longer"}, Eight: &record.Transfer{Name: "up-8"}}
	for by, want := range map[string]string{
		"up-1-longer": "one stream fills", "up-8": "several streams fill", "up-udp-3": "UDP overfills",
	} {
		if got := loadWords(v, by); got != want {
			t.Errorf("%s: %q, want %q", by, got, want)
		}
	}
}

// What one stream makes of the RTT in a few seconds, short of bufferbloat by a little, says
// less about a longer one than eight streams' queue does.
func TestNearBloat(t *testing.T) {
	v := &view.View{Idle: flow.Spread{Mid: 0.04}, Loaded: flow.Spread{Mid: 0.05}}
	far := nearBloatSure(v)
	v.Loaded.Mid = v.Idle.Mid + 0.99*view.BloatExcess
	if near := nearBloatSure(v); near >= far {
		t.Errorf("as sure, %v, where a millisecond is missing as where nine tenths are", near)
	}
}
