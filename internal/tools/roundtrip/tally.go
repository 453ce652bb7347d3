package main

import (
	"fmt"
	"io"
)

// tally counts parameters.
type tally struct {
	order  []string
	counts map[string]*count
}

type count struct{ held, all int }

func (t *tally) add(c comparison) {
	if t.counts == nil {
		t.counts = map[string]*count{}
	}
	n := t.counts[c.parameter]
	if n == nil {
		n = &count{}
		t.counts[c.parameter], t.order = n, append(t.order, c.parameter)
	}
	n.all++
	if c.within() {
		n.held++
	}
}

func (t *tally) sum() (s count) {
	for _, n := range t.counts {
		s.held, s.all = s.held+n.held, s.all+n.all
	}
	return s
}

func (t *tally) print(w io.Writer) {
	for _, name := range t.order {
		line(w, name, *t.counts[name])
	}
	line(w, "all", t.sum())
}

func line(w io.Writer, name string, n count) {
	fmt.Fprintf(w, "%-14s %4d of %4d within their intervals (%.0f %%)\n", name, n.held, n.all, 100*float64(n.held)/float64(max(n.all, 1)))
}

// check says whether enough of them are within.
func (t *tally) check(least float64) error {
	if s := t.sum(); float64(s.held) < least*float64(s.all) {
		return fmt.Errorf("%d of %d parameters within their intervals, wanted %.0f %%", s.held, s.all, 100*least)
	}
	return nil
}
