package tui

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
)

var updateScreens = flag.Bool("update-screens", false, "write testdata/*.screen anew")

// watching drives a model as a terminal of a size would, through so many
// snapshots.
func watching(t testing.TB, width, height, flows, snapshots int, o Options) (model, *livetest.Source) {
	t.Helper()
	m, err := newModel(o)
	if err != nil {
		t.Fatal(err)
	}
	m = send(m, tea.WindowSizeMsg{Width: width, Height: height})
	src := livetest.NewSource(flows, 1)
	for range snapshots {
		m = advance(t, m, src)
	}
	return m, src
}

// advance takes the source's next snapshot in.
func advance(t testing.TB, m model, src live.Source) model {
	t.Helper()
	s, err := src.Next(context.Background())
	return send(m, snapshotMsg{s, err})
}

func send(m model, msg tea.Msg) model {
	next, _ := m.Update(msg)
	return next.(model)
}

// press types keys: a word for a special one, else each character.
func press(m model, keys ...string) model {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace,
	}
	for _, k := range keys {
		if code, ok := special[k]; ok {
			m = send(m, tea.KeyPressMsg{Code: code})
			continue
		}
		for _, r := range k {
			m = send(m, tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return m
}

// colour is the only escape sequence that a screen has.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// screen is what the terminal shows, without colours. It holds that nothing but
// text and colours is sent and that every line fits.
func screen(t testing.TB, m model) string {
	t.Helper()
	lines := strings.Split(colour.ReplaceAllString(m.View().Content, ""), "\n")
	if len(lines) > max(m.height, 1) {
		t.Errorf("%d lines on a screen of %d", len(lines), m.height)
	}
	for i, line := range lines {
		if w := lipgloss.Width(line); w > m.width {
			t.Errorf("line %d takes %d columns of %d: %q", i, w, m.width, line)
		}
		for _, r := range line {
			if unicode.IsControl(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("line %d holds %U: %q", i, r, line)
			}
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// golden compares a screen with the one in testdata.
func golden(t *testing.T, name string, m model) {
	t.Helper()
	got := screen(t, m)
	file := filepath.Join("testdata", name+".screen")
	if *updateScreens {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: the screen is\n%s\nwant\n%s\n(go test ./internal/tui -update-screens writes it anew)", name, got, want)
	}
}

// at moves the selection to the first flow of a process that has a verdict.
func at(t testing.TB, m model, process string) model {
	t.Helper()
	for range len(m.list.rows) {
		m = press(m, "down")
		if r, ok := m.list.current(); ok && r.flow != nil && r.flow.Process == process && !r.flow.Closed && r.flow.Confidence > 0 {
			return m
		}
	}
	t.Fatalf("no flow of %q", process)
	return m
}

func TestScreens(t *testing.T) {
	for name, size := range map[string][2]int{"80x24": {80, 24}, "120x40": {120, 40}, "60x20": {60, 20}} {
		m, _ := watching(t, size[0], size[1], 40, 15, Options{Closed: true})
		golden(t, "table-"+name, m)
		golden(t, "grouped-"+name, press(m, "g", "down", "enter"))
		golden(t, "help-"+name, press(m, "?"))
		golden(t, "columns-"+name, press(m, "s"))
		m = press(at(t, m, "ffmpeg"), "enter")
		golden(t, "flow-"+name, m)
		golden(t, "command-"+name, press(m, "n"))
	}
	m, _ := watching(t, 80, 24, 0, 0, Options{})
	golden(t, "waiting", m)
	m, _ = watching(t, 80, 24, 0, 1, Options{})
	golden(t, "empty", m)
	m, _ = watching(t, 20, 4, 5, 1, Options{})
	golden(t, "small", m)
}
