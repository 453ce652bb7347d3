package table

import (
	"slices"
	"testing"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
)

func ids(flows []*live.Flow) (out []string) {
	for _, f := range flows {
		out = append(out, f.ID)
	}
	return out
}

func TestSort(t *testing.T) {
	s := &live.Snapshot{Flows: []live.Flow{
		{ID: "a", Process: "nginx", SentRate: 5},
		{ID: "b", Process: "", ReceivedRate: 9},
		{ID: "10", Process: "curl", SentRate: 5, ReceivedRate: 1},
		{ID: "c", Process: "curl"},
	}}
	for _, c := range []struct {
		key      string
		reversed bool
		want     []string
	}{
		{"rate", false, []string{"b", "a", "10", "c"}},
		{"rate", true, []string{"c", "a", "10", "b"}},
		{"process", false, []string{"c", "10", "a", "b"}},
		{"process", true, []string{"a", "c", "10", "b"}},
	} {
		flows := Pointers(s)
		slices.Reverse(flows)
		Order{mustFind(c.key), c.reversed}.Sort(flows)
		if got := ids(flows); !slices.Equal(got, c.want) {
			t.Errorf("by %s, reversed %v: %v, want %v", c.key, c.reversed, got, c.want)
		}
	}
}

// Every column sorts made-up flows so that neighbours are in order, and the same
// way each time.
func TestSortByEveryColumn(t *testing.T) {
	s := &live.Snapshot{Flows: livetest.Flows(200, 1)}
	for _, c := range Columns {
		for _, reversed := range []bool{false, true} {
			flows := Pointers(s)
			Order{c, reversed}.Sort(flows)
			again := slices.Clone(flows)
			slices.Reverse(again)
			Order{c, reversed}.Sort(again)
			if !slices.Equal(flows, again) {
				t.Errorf("by %s: the order depends on what it was before", c.Key)
			}
			for i := 1; i < len(flows); i++ {
				a, b := flows[i-1], flows[i]
				if !c.Name {
					if reversed {
						a, b = b, a
					}
					if c.Value(a) < c.Value(b) {
						t.Errorf("by %s, reversed %v: %v before %v", c.Key, reversed, c.Value(flows[i-1]), c.Value(flows[i]))
					}
				} else if c.Text(a) == "" && c.Text(b) != "" {
					t.Errorf("by %s: an empty name before %q", c.Key, c.Text(b))
				}
			}
		}
	}
}

func TestKeysAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Columns {
		if seen[c.Key] || c.Name != (c.Text != nil) || c.Name == (c.Value != nil) || c.Help == "" || c.Head == "" {
			t.Errorf("column %s is not whole, or there are two", c.Key)
		}
		seen[c.Key] = true
	}
}

func TestGroups(t *testing.T) {
	s := &live.Snapshot{Flows: livetest.Flows(64, 2)}
	flows := Pointers(s)
	Busiest.Sort(flows)
	for _, by := range Groupings {
		groups := Groups(flows, by)
		n, sent := 0, 0.0
		for i, g := range groups {
			n += len(g.Flows)
			sent += g.Sent
			verdicts := 0
			for _, count := range g.Verdicts {
				verdicts += count
			}
			if verdicts != len(g.Flows) {
				t.Errorf("by %s: %s has %d verdicts of %d flows", by, g.Name, verdicts, len(g.Flows))
			}
			for _, f := range g.Flows {
				if by.Of(f) != g.Name {
					t.Errorf("by %s: a flow of %q among those of %q", by, by.Of(f), g.Name)
				}
			}
			first := g.Flows[0]
			if i > 0 && slices.Index(flows, first) < slices.Index(flows, groups[i-1].Flows[0]) {
				t.Errorf("by %s: %q stands too late", by, g.Name)
			}
		}
		total := 0.0
		for _, f := range flows {
			total += f.SentRate
		}
		if n != len(flows) || sent < total*0.999999 || sent > total*1.000001 {
			t.Errorf("by %s: %d flows and %v of %d and %v", by, n, sent, len(flows), total)
		}
	}
}

func BenchmarkSortByRemote(b *testing.B) {
	s := &live.Snapshot{Flows: livetest.Flows(10000, 1)}
	for b.Loop() {
		Order{Column: mustFind("remote")}.Sort(Pointers(s))
	}
}
