package tui

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
	"unchoke/internal/live/table"
)

// BenchmarkUpdate is what a snapshot of so many flows costs until it is on the
// screen, sorted by a figure, by a name, and in groups.
func BenchmarkUpdate(b *testing.B) {
	for _, flows := range []int{1000, 10_000} {
		for _, o := range []struct {
			name string
			Options
		}{
			{"rate", Options{}},
			{"remote", Options{Order: orderBy("remote")}},
			{"grouped", Options{Group: table.ByProcess}},
		} {
			b.Run(fmt.Sprintf("%d-%s", flows, o.name), func(b *testing.B) {
				m, src := watching(b, 140, 40, flows, 1, o.Options)
				snapshots := make([]*live.Snapshot, 20)
				for i := range snapshots {
					snapshots[i], _ = src.Next(context.Background())
				}
				m = press(m, "down", "down")
				for i := 0; b.Loop(); i++ {
					s := *snapshots[i%len(snapshots)]
					s.Time = livetest.Start.Add(time.Duration(i) * time.Second)
					m = send(m, snapshotMsg{snapshot: &s})
					drawn = m.View()
				}
			})
		}
	}
}

// BenchmarkKey is what a key costs that moves the selection.
func BenchmarkKey(b *testing.B) {
	m, _ := watching(b, 140, 40, 10_000, 2, Options{})
	for i := 0; b.Loop(); i++ {
		m = press(m, []string{"down", "pgdown", "up"}[i%3])
		drawn = m.View()
	}
}

// BenchmarkPage is what a snapshot costs while a flow's page is open.
func BenchmarkPage(b *testing.B) {
	m, src := watching(b, 140, 40, 10_000, 2, Options{})
	m = press(m, "enter")
	s, _ := src.Next(context.Background())
	for b.Loop() {
		m = send(m, snapshotMsg{snapshot: s})
		drawn = m.View()
	}
}

var drawn tea.View

func orderBy(key string) table.Order {
	c, ok := table.Find(key)
	if !ok {
		panic(key)
	}
	return table.Order{Column: c}
}

// The benchmarks measure; this holds that nobody draws what is not visible. Most
// allocations of an update are the histories', of which there are fewer than
// flows that move here.
func TestTenThousandFlows(t *testing.T) {
	m, src := watching(t, 140, 40, 10_000, 2, Options{})
	s, err := src.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	update := testing.AllocsPerRun(3, func() { m = send(m, snapshotMsg{snapshot: s}) })
	draw := testing.AllocsPerRun(3, func() { drawn = m.View() })
	t.Logf("allocations: %.0f an update, %.0f a draw", update, draw)
	if update > 50_000 || draw > 10_000 {
		t.Errorf("%.0f allocations an update of 10,000 flows, %.0f a draw of 40 lines", update, draw)
	}
	if len(m.list.rows) != 10_000 {
		t.Errorf("%d rows", len(m.list.rows))
	}
}
