package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// mostLongest is how many packages, and how many tests, the time of a run names.
const mostLongest = 6

// times says where a run's time went: how long it took, the processor time of go
// test and of all that it waited for, its longest packages and tests. Both run
// beside others.
func (r *results) times(w io.Writer, took time.Duration, ended *os.ProcessState) {
	cpu := ended.UserTime() + ended.SystemTime()
	fmt.Fprintf(w, "took %v, %v of CPU\n", took.Round(time.Second), cpu.Round(time.Second))
	fmt.Fprintf(w, "    packages: %s\n    tests: %s\n", strings.Join(r.longest(true), ", "), strings.Join(r.longest(false), ", "))
}

// longest are the longest packages, or tests, with their seconds.
func (r *results) longest(packages bool) []string {
	names := slices.DeleteFunc(slices.Collect(maps.Keys(r.took)), func(n name) bool { return (n.test == "") != packages })
	slices.SortFunc(names, func(a, b name) int {
		return cmp.Or(cmp.Compare(r.took[b], r.took[a]), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test))
	})
	var out []string
	for _, n := range names[:min(len(names), mostLongest)] {
		text := n.test
		if packages {
			text = strings.TrimPrefix(n.pkg, "unchoke/")
		}
		out = append(out, fmt.Sprintf("%s %.0f s", text, r.took[n]))
	}
	return out
}
