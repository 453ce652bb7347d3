//go:build !slim

package labcmd

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/path"
)

// The help has every key of a path and no other, and its examples are one.
func TestPathHelp(t *testing.T) {
	var have, items []string
	for line := range strings.Lines(pathHelp) {
		if strings.HasPrefix(line, "   ") {
			continue // of the key before
		}
		item, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		key, _, _ := strings.Cut(item, "=")
		have, items = append(have, key), append(items, item)
	}
	want := slices.DeleteFunc(path.Keys(), func(key string) bool {
		return strings.HasPrefix(key, "up.") || strings.HasPrefix(key, "down.")
	})
	if !slices.Equal(have, want) {
		t.Errorf("the help has\n%q, the parser\n%q", have, want)
	}
	if _, err := path.Parse(strings.Join(items, ",")); err != nil {
		t.Error(err)
	}
	long := newExecCommand(nil).Long
	if !strings.Contains(long, pathHelp) {
		t.Error("lab exec --help lacks the keys of a path")
	}
	_, schedule, _ := strings.Cut(long, "A schedule is")
	for _, key := range path.EpisodeKeys() {
		if !strings.HasPrefix(key, "up.") && !strings.HasPrefix(key, "down.") && !strings.Contains(schedule, key) {
			t.Errorf("lab exec --help says nothing of a schedule's %s", key)
		}
	}
}
