package machine

import (
	"slices"
	"strings"
	"testing"
)

func TestTailKeepsTheEnd(t *testing.T) {
	var log tail
	for range 5 {
		log.add([]byte(strings.Repeat("a", tailSize)))
	}
	log.add([]byte("end"))
	text := log.take()
	if len(text) < tailSize || len(text) > 2*tailSize+len("end") || !strings.HasSuffix(text, "aend") {
		t.Errorf("kept %d bytes ending %q", len(text), text[max(0, len(text)-8):])
	}
	if rest := log.take(); rest != "" {
		t.Errorf("%d bytes left after take", len(rest))
	}
}

func TestLastWords(t *testing.T) {
	const boot = "one\ntwo\n\nthree\n"
	for _, c := range []struct {
		log  string
		want []string
	}{
		{boot, []string{"two", "three"}},
		{boot + "Kernel panic - not syncing: x\n\ntrace\nmore\n", []string{"Kernel panic - not syncing: x", "trace"}},
		{"", nil},
	} {
		if got := lastWords(c.log, 2); !slices.Equal(got, c.want) {
			t.Errorf("last words of %q: %q, want %q", c.log, got, c.want)
		}
	}
}
