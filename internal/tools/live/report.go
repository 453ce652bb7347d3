package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// gate is what the figures must reach.
type gate struct {
	paths              int
	sending, receiving float64 // shares
	precision, recall  float64
	falseWarnings      float64 // a second of a flow
	cost               float64 // of a look, as a share of the observed program's processor time
}

// share is so many of so many.
type share struct{ n, of int }

func (s *share) count(yes bool) {
	s.of++
	if yes {
		s.n++
	}
}

func (s share) value() float64 { return float64(s.n) / float64(max(s.of, 1)) }

func (s share) String() string { return fmt.Sprintf("%d of %d (%.1f %%)", s.n, s.of, 100*s.value()) }

// report prints what came out, and says what of it is not enough.
func report(w io.Writer, all []outcome, g gate) error {
	var sending, receiving, sure, knows, ownSending, ownReceiving share
	starting, own := 0, 0
	programs := map[program]*share{}
	table := map[finding.Cause]map[finding.Cause]int{}
	var seconds, warned float64
	for _, o := range all {
		sent, confidence := o.sent()
		received, _ := o.received()
		sending.count(o.right(sent))
		receiving.count(o.right(received) || unknown(received))
		sure.count(!o.right(sent) && confidence >= 0.9)
		knows.count(!unknown(received) && o.right(received))
		ownSending.count(o.ownRight(sent))
		ownReceiving.count(o.ownRight(received) || unknown(received))
		if o.Own != nil {
			own++
		}
		if programs[o.Program] == nil {
			programs[o.Program] = &share{}
		}
		programs[o.Program].count(o.right(sent))
		truth := o.truths()[0]
		if truth == finding.Healthy && sent == finding.SlowStart && o.starting(o.Truth) {
			starting++
		}
		if table[truth] == nil {
			table[truth] = map[finding.Cause]int{}
		}
		table[truth][sent]++
		if o.Steady {
			seconds += o.Seconds
			warned += o.Warned
		}
	}
	confusion(w, table)
	fmt.Fprintf(w, "\nRight from the sending side: %v. Wrong and at least 0.9 sure: %v.\n", sending, sure)
	if starting > 0 {
		fmt.Fprintf(w, "Of those right, %d said slow-start on a healthy path that they had not yet filled.\n", starting)
	}
	fmt.Fprintf(w, "Right or unknown from the receiving side: %v; right: %v.\n", receiving, knows)
	if own > 0 {
		fmt.Fprintf(w, "By what the transfers themselves gain (%d were run without what slows them down): sending side %v; right or unknown from the receiving side %v.\n", own, ownSending, ownReceiving)
	}
	fmt.Fprintf(w, "Warned of the chaos zone on paths without jitter: %.0f of %.0f flow-seconds.\n\n", warned, seconds)
	for _, p := range slices.Sorted(maps.Keys(programs)) {
		fmt.Fprintf(w, "- %s: %v right\n", p, *programs[p])
	}
	fmt.Fprintln(w)
	for _, o := range all {
		if sent, _ := o.sent(); !o.right(sent) || !o.ownRight(sent) {
			summary := ""
			if o.Sender != nil {
				summary = o.Sender.Summary
			}
			fmt.Fprintf(w, "%s\n     %s\n     unchoke %s\n", o.line(), summary, o.Command)
		}
	}
	return errors.Join(
		short(sending.of < g.paths, "paths", float64(sending.of), float64(g.paths)),
		short(sending.value() < g.sending, "right from the sending side", sending.value(), g.sending),
		short(receiving.value() < g.receiving, "right or watching from the receiving side", receiving.value(), g.receiving),
		short(warned > g.falseWarnings*seconds, "false warnings a second", warned/max(seconds, 1), g.falseWarnings),
	)
}

// unknown says that a verdict is none: nobody was misled.
func unknown(c finding.Cause) bool { return c == live.Watching || c == finding.Unclear }

func short(is bool, what string, has, wants float64) error {
	if !is {
		return nil
	}
	return fmt.Errorf("%s: %.3g, the goal is %.3g", what, has, wants)
}

func confusion(w io.Writer, table map[finding.Cause]map[finding.Cause]int) {
	said := map[finding.Cause]bool{}
	for _, verdicts := range table {
		for v := range verdicts {
			said[v] = true
		}
	}
	columns := slices.Sorted(maps.Keys(said))
	fmt.Fprint(w, "| truth \\ verdict |")
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c)
	}
	fmt.Fprint(w, "\n|---|")
	for range columns {
		fmt.Fprint(w, "---:|")
	}
	fmt.Fprintln(w)
	for _, truth := range slices.Sorted(maps.Keys(table)) {
		fmt.Fprintf(w, "| %s |", truth)
		for _, c := range columns {
			if n := table[truth][c]; n > 0 {
				fmt.Fprintf(w, " %d |", n)
			} else {
				fmt.Fprint(w, " · |")
			}
		}
		fmt.Fprintln(w)
	}
}
