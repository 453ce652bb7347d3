package table

import (
	"container/list"
	"slices"
	"time"

	"unchoke/internal/live"
)

// Keep says how much a Keeper keeps; zeros are the defaults.
type Keep struct {
	Closed time.Duration // how long closed flows are kept
	Most   int           // of them; the oldest go first
	Points int           // of one flow
	// Flows is how many flows have a history. Where more move, one that has not
	// moved for two looks loses its own; while there is none such, new flows get
	// none.
	Flows int
}

// The defaults: five minutes at one look a second, and 20 MB at most.
const (
	keptClosed = time.Minute
	mostClosed = 10_000
	keptPoints = 300
	keptFlows  = 2000
)

// Keeper keeps what a table shows beyond one snapshot: closed flows for a while,
// and the history of those that move. It is not safe for several goroutines.
type Keeper struct {
	keep   Keep
	newest *live.Snapshot
	closed []departed // the oldest first
	series map[string]*Series
	moved  *list.List // of *Series, what moved last in front
	looks  int        // snapshots observed
	pinned string     // the flow that keeps its history
}

// departed is a closed flow and when it was seen so.
type departed struct {
	flow *live.Flow
	at   time.Time
}

// NewKeeper begins with nothing.
func NewKeeper(k Keep) *Keeper {
	if k.Closed == 0 {
		k.Closed = keptClosed
	}
	if k.Most == 0 {
		k.Most = mostClosed
	}
	if k.Points == 0 {
		k.Points = keptPoints
	}
	if k.Flows == 0 {
		k.Flows = keptFlows
	}
	return &Keeper{keep: k, series: map[string]*Series{}, moved: list.New()}
}

// Observe takes the next snapshot.
func (k *Keeper) Observe(s *live.Snapshot) {
	if k.newest != nil && s.Time.Before(k.newest.Time) { // a recording was wound back
		k.closed, k.series, k.moved = nil, map[string]*Series{}, list.New()
	}
	k.newest = s
	k.looks++
	gone := 0
	for gone < len(k.closed) && s.Time.Sub(k.closed[gone].at) > k.keep.Closed {
		gone++
	}
	k.closed = slices.Delete(k.closed, 0, gone)
	for i := range s.Flows {
		f := &s.Flows[i]
		k.follow(s.Time, f)
		if f.Closed {
			last := *f // a pointer into the snapshot would hold all of it
			k.closed = append(k.closed, departed{&last, s.Time})
		}
	}
	k.closed = slices.Delete(k.closed, 0, max(len(k.closed)-k.keep.Most, 0))
}

// follow adds a point to a flow's history where something moved: of 10,000 idle
// flows there is none.
func (k *Keeper) follow(at time.Time, f *live.Flow) {
	h := k.series[f.ID]
	moves := f.SentRate > 0 || f.ReceivedRate > 0 || f.Unacked > 0
	if h == nil {
		if !moves || !k.room(f.ID) {
			return
		}
		h = &Series{id: f.ID, most: k.keep.Points, retransmits: f.Retransmits}
		if f.Whole && f.Age < 1 { // what it resent so far, it resent since it began
			h.retransmits = 0
		}
		h.place = k.moved.PushFront(h)
		k.series[f.ID] = h
	}
	if moves || h.moving || f.Retransmits != h.retransmits {
		h.add(at, f)
	}
	if moves {
		h.look = k.looks
		k.moved.MoveToFront(h.place)
	}
	h.moving = moves
}

// room makes room for one more history, at the cost of the flow that has not
// moved for longest. It says whether there is.
func (k *Keeper) room(id string) bool {
	if len(k.series) < k.keep.Flows || id == k.pinned {
		return true
	}
	for e := k.moved.Back(); e != nil; e = e.Prev() {
		h := e.Value.(*Series)
		if h.look >= k.looks-1 {
			return false
		}
		if h.id != k.pinned {
			k.moved.Remove(e)
			delete(k.series, h.id)
			return true
		}
	}
	return false
}

// Pin says which flow keeps its history, and gets one as soon as it moves,
// whatever others do: the one that somebody looks at. Of several the last is
// pinned; empty for none.
func (k *Keeper) Pin(id string) { k.pinned = id }

// Flows are those of the newest snapshot, and the closed ones that are kept.
func (k *Keeper) Flows() []*live.Flow {
	if k.newest == nil {
		return nil
	}
	out := make([]*live.Flow, 0, len(k.newest.Flows)+len(k.closed))
	for i := range k.newest.Flows {
		if f := &k.newest.Flows[i]; !f.Closed {
			out = append(out, f)
		}
	}
	for _, d := range k.closed {
		out = append(out, d.flow)
	}
	return out
}

// Newest is the snapshot that was observed last; nil before the first.
func (k *Keeper) Newest() *live.Snapshot { return k.newest }

// Series is the history of a flow; nil where nothing of it has moved, or where
// others have moved since and there was no room. It stays good where the Keeper
// forgets the flow.
func (k *Keeper) Series(id string) *Series { return k.series[id] }
