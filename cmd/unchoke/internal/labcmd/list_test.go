//go:build !slim

package labcmd

import (
	"strings"
	"testing"
	"unicode/utf8"

	"unchoke/internal/report/render"
)

// What a preset is about stands beside its name, however narrow the terminal.
func TestPresetsKeepToTheTerminal(t *testing.T) {
	all, err := listPresets()
	if err != nil {
		t.Fatal(err)
	}
	for _, long := range []bool{false, true} {
		s := render.NewScreen(render.Style{Width: 60})
		presetLines(s, all, long)
		text := string(s.Painted())
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > 60 && strings.Contains(strings.TrimSpace(line), " ") { // a path stays whole
				t.Errorf("%d columns: %s", n, line)
			}
			if !long && strings.HasPrefix(line, "   ") && !strings.HasPrefix(line, strings.Repeat(" ", 21)) {
				t.Errorf("a description that goes on below the names: %s", line)
			}
		}
		if got := strings.Contains(text, "    path: rtt=167ms"); got != long {
			t.Errorf("long %t: a path: %t", long, got)
		}
	}
}
