package web

import (
	"crypto/rand"
	"fmt"
	"sync"

	"unchoke/internal/live"
	"unchoke/internal/live/table"
)

// look is what the pages show until the next one.
type look struct {
	id       string // of the event: the server's start and the look's number
	snapshot *live.Snapshot
	flows    []*live.Flow // the snapshot's, and those that ended lately
	ended    bool         // no look follows
}

// feed hands the newest look to every stream. A stream is woken, and takes what
// is newest then: nothing is queued for it.
type feed struct {
	mu      sync.Mutex
	start   string // tells this server from the one before it at the same address
	looks   uint64
	newest  *look
	keeper  *table.Keeper
	streams map[chan struct{}]bool
	most    int
	closed  bool
}

func newFeed(most int) *feed {
	return &feed{start: rand.Text()[:8], keeper: table.NewKeeper(table.Keep{}), streams: map[chan struct{}]bool{}, most: most}
}

func (f *feed) publish(s *live.Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keeper.Observe(s)
	f.set(&look{snapshot: s, flows: f.keeper.Flows()})
}

// end says that the newest look is the last.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := look{snapshot: &live.Snapshot{}}
	if f.newest != nil {
		last = *f.newest
	}
	last.ended = true
	f.set(&last)
}

// again shows the newest look once more: something beside it has changed.
func (f *feed) again() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newest != nil {
		same := *f.newest
		f.set(&same)
	}
}

// set is called with the lock held.
func (f *feed) set(l *look) {
	f.looks++
	l.id = fmt.Sprintf("%s-%d", f.start, f.looks)
	f.newest = l
	for woken := range f.streams {
		select {
		case woken <- struct{}{}:
		default: // it has not looked since the last
		}
	}
}

// join makes a stream; it is woken at once where there is something to show. ok
// is false where there are as many as may be, or the server stops.
func (f *feed) join() (woken chan struct{}, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || len(f.streams) >= f.most {
		return nil, false
	}
	woken = make(chan struct{}, 1)
	f.streams[woken] = true
	if f.newest != nil {
		woken <- struct{}{}
	}
	return woken, true
}

func (f *feed) leave(woken chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.streams, woken)
}

// close ends all streams.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for woken := range f.streams {
		close(woken)
		delete(f.streams, woken)
	}
}

// now is the newest look.
func (f *feed) now() *look {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest
}

// points are the history of a flow whose page is opened, which keeps its history
// from here on, or until another's is.
func (f *feed) points(id string) []table.Point {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keeper.Pin(id)
	return f.keeper.Series(id).Points()
}
