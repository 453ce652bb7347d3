package machine

import (
	"slices"
	"testing"
)

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
