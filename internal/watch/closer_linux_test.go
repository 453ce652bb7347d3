package watch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/flow/closely"
	"unchoke/internal/flow/lately"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/live"
	"unchoke/tcpinfo"
)

// Of the busiest the snapshots say what only close looks tell, of both ends; of
// others nothing.
func TestClosely(t *testing.T) {
	l := server(t)
	s := open(t, Options{Interval: 200 * time.Millisecond})
	busy, quiet := dial(t, l), dial(t, l)
	go func() {
		for {
			if _, err := busy.Write(make([]byte, 4000)); err != nil {
				return
			}
			time.Sleep(2 * time.Millisecond)
		}
	}()
	near, far := port(busy.LocalAddr()), port(l.Addr())
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		snap, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("no close looks: %v", err)
		}
		if f := find(snap, port(quiet.LocalAddr()), far); f == nil || f.Closely.Looks != 0 {
			t.Fatalf("the quiet one: %+v", f)
		}
		up, down := find(snap, near, far), find(snap, far, near)
		if up != nil && down != nil && up.Closely.Looks > 0 && down.Closely.Looks > 0 {
			break
		}
	}
	busy.Close()
	for {
		snap, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("its end: %v", err)
		}
		if f := find(snap, near, far); f != nil && f.Closed {
			if f.Closely.Looks == 0 {
				t.Errorf("its last figures: %+v", f)
			}
			return
		}
	}
}

// blind is a dumper that finds no single connection.
type blind struct{ dumper }

func (blind) One(sockdiag.Key) (*sockdiag.Socket, error) { return nil, errors.New("it is forbidden") }

// Where the kernel does not tell of single connections, a note says so once, and
// everything else goes on.
func TestNotClosely(t *testing.T) {
	l := server(t)
	s := open(t, Options{Interval: Shortest})
	s.dump = blind{s.dump}
	c := dial(t, l)
	for range 100 {
		if _, err := c.Write(make([]byte, 100_000)); err != nil {
			t.Fatal(err)
		}
		snap := next(t, s)
		if slices.ContainsFunc(snap.Notes, func(n string) bool { return strings.Contains(n, "closely: it is forbidden") }) {
			return
		}
	}
	t.Error("no note")
}

// The busiest of each direction are looked at, and one that is stays unless
// another carries clearly more.
func TestChoose(t *testing.T) {
	var all []*entry
	for k := range 60 {
		e := &entry{flow: live.Flow{Age: 10, SegmentSize: 1000, SegmentsLately: 1000, SentLately: float64(k+1) * 1e6}}
		if k%2 == 1 {
			e.flow.SentLately, e.flow.ReceivedLately = 0, e.flow.SentLately
		}
		all = append(all, e)
	}
	all[58].flow.Closed = true
	all[56].flow.SegmentsLately = leastClosely - 1
	var c closer
	c.choose(all)
	if len(c.at) != 2*mostClosely || c.at[0] != all[54] || c.at[mostClosely] != all[59] || slices.Contains(c.at, all[0]) {
		t.Fatalf("%d are chosen", len(c.at))
	}
	least := c.at[mostClosely-1]
	for _, e := range c.at[:mostClosely] {
		e.close = closely.Begin(lately.Look{Info: &tcpinfo.Info{}}, true, false)
	}
	least.flow.Closely.Looks = 1
	next := all[14]
	if least != all[16] || slices.Contains(c.at, next) {
		t.Fatalf("the least is %v, not %v", least.flow.SentLately, all[16].flow.SentLately)
	}
	next.flow.SentLately = 1.2 * least.flow.SentLately
	if c.choose(all); !slices.Contains(c.at, least) {
		t.Error("given up for one that carries little more")
	}
	next.flow.SentLately = 2 * least.flow.SentLately
	if c.choose(all); slices.Contains(c.at, least) || least.close != nil || least.flow.Closely.Looks != 0 {
		t.Errorf("it is kept: %+v", least.flow.Closely)
	}
}
