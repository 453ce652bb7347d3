package watch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
	"unchoke/internal/live/table"
	"unchoke/internal/report/render"
	"unchoke/internal/report/rendertest"
)

func snapshot(t *testing.T, flows int) *live.Snapshot {
	t.Helper()
	src := livetest.NewSource(flows, 1)
	for range 2 {
		if _, err := src.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s, err := src.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestText(t *testing.T) {
	s := snapshot(t, 16)
	for name, text := range map[string]Text{
		"all.txt":   {Order: table.Busiest},
		"units.txt": {Order: table.Busiest, Group: table.ByUnit},
		"top.txt":   {Order: table.Busiest, Top: 3},
		"once.txt":  {Order: table.Busiest, Explain: 4},
	} {
		var b bytes.Buffer
		for i := range 2 { // what has not changed but for its numbers is noted once
			s.Notes = []string{fmt.Sprintf("the programs of %d connections are root's to read: sudo unchoke watch", i+1)}
			if err := text.Write(&b, s, render.Style{Width: 80}); err != nil {
				t.Fatal(err)
			}
		}
		rendertest.Golden(t, name, b.String())
	}
}

// Lines are as wide as the screen at most, whatever is in them, and columns stand
// below their heads. A narrow screen has fewer of them, and a wide one uses its room.
func TestWidth(t *testing.T) {
	s := snapshot(t, 40)
	s.Flows[3].SentRate, s.Flows[3].RTT, s.Flows[3].RetransmitRatio, s.Flows[3].JitterRatio, s.Flows[3].Age = 9.994e11, 0.0009995, 0.99999, 12.3, 3e7
	s.Flows[4].CC, s.Flows[4].Unit, s.Flows[4].State = strings.Repeat("c", 40), strings.Repeat("ü", 80), "fin-wait-2"
	for width := 40; width <= 300; width++ {
		for _, text := range []Text{{Order: table.Busiest}, {Order: table.Busiest, Group: table.ByProcess, Explain: 3}} {
			var b bytes.Buffer
			if err := text.Write(&b, s, render.Style{Width: width}); err != nil {
				t.Fatal(err)
			}
			at := 0
			for line := range strings.Lines(b.String()) {
				r := []rune(strings.TrimRight(line, "\n"))
				if len(r) > width {
					t.Errorf("%d columns of %d: %s", len(r), width, line)
				}
				before, _, head := strings.Cut(line, "verdict\n")
				switch {
				case head:
					at = len([]rune(before))
				case text.Group != "":
				case at > 0 && (len(r) <= at || r[at] == ' ' || r[at-1] != ' '):
					t.Errorf("the verdict of this row stands elsewhere than at %d: %s", at, line)
				}
			}
		}
	}
	for key, from := range map[string]int{"remote": 0, "sent": 41, "received": 47, "process": 56, "rtt": 63, "retrans": 69, "cc": 75, "jitter-ratio": 80, "limit": 95, "cv": 101, "minrtt": 108, "cwnd": 115, "unit": 136, "confidence": 141, "spurious": 147, "state": 159, "local": 181, "age": 187} {
		has := func(width int) bool {
			return slices.ContainsFunc(fitting(width), func(c shown) bool { return c.key == key })
		}
		used := -1
		for _, c := range fitting(from) {
			used += c.width + 1
		}
		if !has(from) || from > 0 && (has(from-1) || used != from) {
			t.Errorf("%s is not shown from %d columns on, or fits into %d", key, from, used)
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	for _, s := range []*live.Snapshot{snapshot(t, 8), {}} {
		if err := JSON(&b, s); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"schema":"unchoke.watch/1"`) || !strings.Contains(lines[1], `"flows":[]`) || !strings.Contains(lines[1], `"schema":"unchoke.watch/1"`) {
		t.Errorf("%d lines: %s", len(lines), lines[1])
	}
}
