package render

import (
	"strings"
	"testing"
)

func TestHang(t *testing.T) {
	s := NewScreen(Style{Width: 40})
	s.Hang(4, Bold, "a stream that is slow on a path that ought to be fast", Plain.Of("  a long lead: "))
	want := "  a long lead: a stream that is slow on\n    a path that ought to be fast\n"
	if got := string(s.Painted()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s = NewScreen(Style{Width: 40})
	s.Hang(2, Plain, "a-word-of-23-characters", Plain.Of("a lead of 17 ch: "))
	s.Hang(2, Plain, "a-word-of-24-characters!", Plain.Of("a lead of 17 ch: "))
	want = "a lead of 17 ch: a-word-of-23-characters\na lead of 17 ch: \n  a-word-of-24-characters!\n"
	if got := string(s.Painted()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestColour(t *testing.T) {
	s := NewScreen(Style{Width: 80, Colour: true})
	s.Line(Red.Of("a \x1b[2J name"), Plain.Of(" beside"))
	if got, want := string(s.Painted()), "\x1b[1;31ma \\x1b[2J name\x1b[0m beside\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrapItems(t *testing.T) {
	if got := WrapItems([]string{"one", "two", "three"}, 9); len(got) != 2 || got[0] != "one, two," {
		t.Errorf("items %q", got)
	}
	if got := WrapItems([]string{"one", "and twenty-two"}, 12); len(got) != 3 || got[2] != "twenty-two" {
		t.Errorf("an item wider than the line: %q", got)
	}
}

func TestTableContinuesBelow(t *testing.T) {
	s := NewScreen(Style{Width: 40})
	columns := []Column{{Head: "name", Left: true, Cells: []string{"first", "second"}}}
	for _, head := range []string{"one", "two", "three"} {
		columns = append(columns, Column{Head: head, Cells: []string{"0123456789", "9876543210"}})
	}
	s.Table(columns, 1, 40)
	got := string(s.Painted())
	if strings.Count(got, "second") != 2 || strings.Count(got, "three") != 1 {
		t.Errorf("got\n%s", got)
	}
	for line := range strings.Lines(got) {
		if len(line) > 41 {
			t.Errorf("%d columns: %q", len(line)-1, line)
		}
	}
}

// A figure stands behind the last line of what it is.
func TestFigure(t *testing.T) {
	s := NewScreen(Style{Width: 40})
	s.Figure(2, 48, "RTT idle", "   320 ms")
	s.Figure(2, 48, "the way back carries, with all headers", "188 kbit/s")
	want := "  RTT idle                        320 ms\n  the way back carries, with\n    all headers               188 kbit/s\n"
	if got := string(s.Painted()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A list fits its terminal, without what is spare and with the beginning of the
// last column; to a program it goes whole.
func TestListFitsTheTerminal(t *testing.T) {
	columns := []Column{
		{Head: "ID", Left: true, Cells: []string{"20261120-131207-3fa91c"}},
		{Head: "STARTED", Left: true, Spare: true, Cells: []string{"2026-11-20 14:12:07"}},
		{Head: "TARGET", Left: true, Cells: []string{"a-host-with-a-long-name.example:5201"}},
	}
	for width, want := range map[int]string{
		0:  "ID                      STARTED              TARGET\n20261120-131207-3fa91c  2026-11-20 14:12:07  a-host-with-a-long-name.example:5201\n",
		81: "ID                      STARTED              TARGET\n20261120-131207-3fa91c  2026-11-20 14:12:07  a-host-with-a-long-name.example:5201\n",
		80: "ID                      TARGET\n20261120-131207-3fa91c  a-host-with-a-long-name.example:5201\n",
		50: "ID                      TARGET\n20261120-131207-3fa91c  a-host-with-a-long-name.e…\n",
	} {
		s := NewScreen(Style{Width: width})
		s.List(columns)
		if got := string(s.Painted()); got != want {
			t.Errorf("on %d columns\n%s\nwant\n%s", width, got, want)
		}
	}
}
