package table

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
)

func second(i int, flows ...live.Flow) *live.Snapshot {
	return &live.Snapshot{Time: livetest.Start.Add(time.Duration(i) * time.Second), Interval: 1, Flows: flows}
}

// A closed flow stays for as long as asked, once, with its last figures.
func TestClosedFlowsAreKept(t *testing.T) {
	k := NewKeeper(Keep{Closed: 3 * time.Second})
	k.Observe(second(0, live.Flow{ID: "a"}, live.Flow{ID: "b"}))
	k.Observe(second(1, live.Flow{ID: "a"}, live.Flow{ID: "b", Closed: true, Sent: 7}))
	for i := 2; i < 7; i++ {
		k.Observe(second(i, live.Flow{ID: "a"}))
		flows := k.Flows()
		kept := len(flows) == 2 && flows[0].ID == "a" && flows[1].ID == "b" && flows[1].Sent == 7
		if want := i <= 4; kept != want || !want && len(flows) != 1 {
			t.Errorf("after %d s: %v", i, ids(flows))
		}
	}
}

func TestSeries(t *testing.T) {
	k := NewKeeper(Keep{Points: 4})
	resent := []uint64{3, 3, 5, 5, 5, 9, 9, 9}
	for i, r := range resent {
		f := live.Flow{ID: "a", SentRate: float64(i + 1), RTT: 0.05, Jitter: 0.01, Cwnd: uint32(10 * i), Retransmits: r, Limits: live.Limits{Network: 1, App: 0.5}}
		k.Observe(second(i, f, live.Flow{ID: "idle"}))
	}
	points := k.Series("a").Points()
	if len(points) != 4 || k.Series("a").Len() != 4 {
		t.Fatalf("%d points", len(points))
	}
	for i, p := range points {
		at := 4 + i
		if !p.Time().Equal(second(at).Time) || p.Sent != float32(at+1) || p.Cwnd != uint32(10*at) || p.Retransmits != uint32(resent[at]-resent[at-1]) {
			t.Errorf("point %d: %+v", i, p)
		}
		if l := p.Limits.Shares(); l.Network != 1 || l.App < 0.49 || l.App > 0.51 || l.SendBuffer != 0 {
			t.Errorf("limits %+v", l)
		}
	}
	if k.Series("idle") != nil || k.Series("idle").Len() != 0 || len(k.Series("idle").Points()) != 0 {
		t.Error("a flow that does not move has a history")
	}
}

// What was resent before we looked is in no point; what a new flow resent since
// it began is.
func TestFirstPointsRetransmits(t *testing.T) {
	k := NewKeeper(Keep{})
	k.Observe(second(0, live.Flow{ID: "old", SentRate: 1, Retransmits: 50, Age: 0}, live.Flow{ID: "new", SentRate: 1, Retransmits: 5, Whole: true, Age: 0.5}))
	if old, new := k.Series("old").At(0), k.Series("new").At(0); old.Retransmits != 0 || new.Retransmits != 5 {
		t.Errorf("%+v, %+v", old, new)
	}
}

// A flow that stops has one point that says so, and no more.
func TestIdleFlowsCostNothing(t *testing.T) {
	k := NewKeeper(Keep{})
	for i := range 10 {
		f := live.Flow{ID: "a"}
		if i < 3 || i == 7 {
			f.ReceivedRate = 100
		}
		k.Observe(second(i, f))
	}
	var got strings.Builder
	for _, p := range k.Series("a").Points() {
		got.WriteString(fmt.Sprintf("%d:%v ", int(p.Time().Sub(livetest.Start).Seconds()), p.Received))
	}
	if want := "0:100 1:100 2:100 3:0 7:100 8:0 "; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}

// Where more flows move than there is room for, one that has been still goes;
// who holds its history keeps it.
func TestHistoriesAreBounded(t *testing.T) {
	k := NewKeeper(Keep{Flows: 3})
	a, b, c := live.Flow{ID: "a", SentRate: 1}, live.Flow{ID: "b", SentRate: 1}, live.Flow{ID: "c", SentRate: 1}
	k.Observe(second(0, a, b, c))
	held := k.Series("b")
	k.Observe(second(1, a, c))
	k.Observe(second(2, a, c, live.Flow{ID: "d", SentRate: 1}))
	if k.Series("b") != nil || k.Series("a") == nil || k.Series("c") == nil || k.Series("d") == nil || held.Len() != 1 {
		t.Error("the wrong one went")
	}
}

// Where more move at once than there is room for, the first of them keep theirs.
func TestManyMoving(t *testing.T) {
	k := NewKeeper(Keep{Flows: 10})
	for i := range 20 {
		s := second(i)
		for id := range 1000 {
			s.Flows = append(s.Flows, live.Flow{ID: fmt.Sprint(id), SentRate: 1})
		}
		if i == 10 {
			k.Pin("999")
		}
		k.Observe(s)
	}
	for id := range 10 {
		if n := k.Series(fmt.Sprint(id)).Len(); n != 20 {
			t.Errorf("flow %d has %d points", id, n)
		}
	}
	if n := k.Series("999").Len(); n != 10 || len(k.series) != 11 || k.moved.Len() != 11 {
		t.Errorf("the pinned one has %d points, there are %d", n, len(k.series))
	}
}

// A recording that is wound back begins anew.
func TestWoundBack(t *testing.T) {
	k := NewKeeper(Keep{})
	k.Observe(second(10, live.Flow{ID: "a", SentRate: 1}, live.Flow{ID: "b", Closed: true}))
	k.Observe(second(5, live.Flow{ID: "a", SentRate: 1}))
	if len(k.Flows()) != 1 || k.Series("a").Len() != 1 {
		t.Errorf("%v, %d points", ids(k.Flows()), k.Series("a").Len())
	}
}

func TestKeeperOfMadeUpFlows(t *testing.T) {
	src := livetest.NewSource(500, 3)
	k := NewKeeper(Keep{})
	for range 100 {
		s, err := src.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		k.Observe(s)
		open := 0
		for i := range s.Flows {
			if !s.Flows[i].Closed {
				open++
			}
		}
		seen, got := map[string]bool{}, 0
		for _, f := range k.Flows() {
			if seen[f.ID] {
				t.Fatalf("%s is there twice", f.ID)
			}
			seen[f.ID] = true
			if !f.Closed {
				got++
			}
		}
		if got != open || len(seen) == open && open < len(s.Flows) {
			t.Fatalf("%d open of %d, %d in all", got, open, len(seen))
		}
	}
}

// A closed flow that is kept does not keep the snapshot that it was in.
func TestClosedFlowsAreCopies(t *testing.T) {
	k := NewKeeper(Keep{})
	s := second(0, live.Flow{ID: "a", Closed: true}, live.Flow{ID: "b"})
	k.Observe(s)
	for _, f := range k.Flows() {
		if f.ID == "a" && f == &s.Flows[0] {
			t.Error("it points into the snapshot")
		}
	}
}

// Thousands of short flows a second do not fill the memory: the last of them are
// kept.
func TestClosedFlowsAreBounded(t *testing.T) {
	k := NewKeeper(Keep{Most: 3})
	for i := range 5 {
		k.Observe(second(i, live.Flow{ID: fmt.Sprint(i, "a"), Closed: true}, live.Flow{ID: fmt.Sprint(i, "b"), Closed: true}))
	}
	if got := fmt.Sprint(ids(k.Flows())); got != fmt.Sprint([]string{"3b", "4a", "4b"}) {
		t.Errorf("%s are kept", got)
	}
}
