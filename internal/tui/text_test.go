package tui

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"unchoke/internal/live/livetest"
)

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"nginx: worker": "nginx: worker",
		"\x1b[2J":       `\x1b[2J`,
		"a\nb\tc\x7f":   `a\x0ab\x09c\x7f`,
		"e\u0301":       `e\u0301`,
		"é":             "é",
		"世界":            "世界",
		"\u202eevil":    `\u202eevil`,
		"👩\u200d🚀":      `\u1f469\u200d\u1f680`,
		"✈\ufe0f":       `\u2708\ufe0f`,
		"\u1161":        `\u1161`, // a Korean vowel that joins the character before
		"×4 at 5 µs":    "×4 at 5 µs",
		"\xff":          "�",
	} {
		if got := clean(text); got != want && !(text == "\xff" && !strings.Contains(got, "\xff")) {
			t.Errorf("clean(%q) = %q, want %q", text, got, want)
		}
	}
}

// What is cleaned has no character that a terminal acts on, and the width that
// is reckoned is the width that it has.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "nginx", livetest.HostileProcess, "世界e\u0301👩\u200d🚀", "\xff\xfe"} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		got := clean(s)
		for _, r := range got {
			if !unicode.IsGraphic(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("clean(%q) holds %U", s, r)
			}
		}
		if w := lipgloss.Width(got); w != columns(got) {
			t.Errorf("%q takes %d columns, reckoned are %d", got, w, columns(got))
		}
		if clean(got) != got {
			t.Errorf("cleaned twice, %q becomes %q", got, clean(got))
		}
		width = (width%60 + 60) % 60
		for name, fitted := range map[string]string{"left": left(got, width), "right": right(got, width)} {
			if columns(fitted) != width || !utf8.ValidString(fitted) {
				t.Errorf("%s(%q, %d) = %q takes %d", name, got, width, fitted, columns(fitted))
			}
		}
		if columns(cutMiddle(got, width)) > width {
			t.Errorf("cutMiddle(%q, %d) = %q", got, width, cutMiddle(got, width))
		}
		for _, line := range wrap(got, width) {
			if columns(line) > max(width, 1) {
				t.Errorf("wrap(%q, %d) has %q", got, width, line)
			}
		}
	})
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{cut("nginx", 5), "nginx"},
		{cut("nginx", 4), "ngi…"},
		{cut("nginx", 0), ""},
		{cut("世界", 3), "世…"},
		{left("世界", 4), "世界"},
		{right("ab", 4), "  ab"},
		{left("世界", 2), "… "},
		{cutMiddle("198.51.100.12:32780", 15), "198.51.…2:32780"},
		{cutMiddle("abcdefghij", 5), "abcd…"},
		{strings.Join(wrap("unchoke ab 198.51.100.7 --arm", 12), "|"), "unchoke ab|198.51.100.7|--arm"},
		{strings.Join(wrap("abcdefghij k", 4), "|"), "abcd|efgh|ij k"},
		{strings.Join(wrap("", 4), "|"), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestPromptWindow(t *testing.T) {
	p := newPrompt("dport = 443 and rtt > 50ms")
	if shown, at := p.window(12); shown != "tt > 50ms"[len("tt > 50ms")-9:] && at != columns(shown) {
		t.Errorf("%q, cursor at %d", shown, at)
	}
	p.at = 0
	if shown, at := p.window(12); shown != "dport = 443 " || at != 0 {
		t.Errorf("%q, cursor at %d", shown, at)
	}
	p.at = 5
	if shown, at := p.window(100); shown != p.String() || at != 5 {
		t.Errorf("%q, cursor at %d", shown, at)
	}
}
