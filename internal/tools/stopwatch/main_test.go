package main

import (
	"bytes"
	"regexp"
	"testing"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		fails bool
		out   string
	}{
		{"a line", []string{"-runs", "3", "-name", "nothing", "true"}, false, `^nothing: median \d\.\d{3} s of 3 runs \(\d\.\d{3} to \d\.\d{3} s\)`},
		{"over the limit", []string{"-runs", "1", "-limit", "1us", "true"}, true, `limit 1µs`},
		{"too much memory", []string{"-runs", "1", "-most-memory", "1KiB", "true"}, true, `peak memory`},
		{"enough memory", []string{"-runs", "1", "-most-memory", "1GiB", "true"}, false, `peak memory`},
		{"failing command", []string{"-runs", "1", "false"}, true, `^$`},
		{"no command", nil, true, `^$`},
		{"no runs", []string{"-runs", "0", "true"}, true, `^$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			err := run(t.Context(), c.args, &out, &errs)
			if (err != nil) != c.fails {
				t.Errorf("error %v", err)
			}
			if !regexp.MustCompile(c.out).MatchString(out.String()) {
				t.Errorf("printed %q, want %s", &out, c.out)
			}
		})
	}
}
