package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is one line of go test -json: see `go doc test2json`.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64 // seconds, of what ended
}

// name identifies a test.
type name struct{ pkg, test string }

// outcome of a test, ordered by what counts where runs differ.
type outcome int

const (
	skipped outcome = iota + 1
	passed
	flaky // failed once, then passed alone
	failed
)

var outcomes = map[string]outcome{"skip": skipped, "pass": passed, "fail": failed}

// results are the outcomes of all runs.
type results struct {
	outcome map[name]outcome
	reason  map[name]string  // of the skipped
	grave   map[name]bool    // of the failed
	took    map[name]float64 // seconds: of packages (no test) and of whole tests
}

func newResults() *results {
	return &results{outcome: map[name]outcome{}, reason: map[name]string{}, grave: map[name]bool{}, took: map[name]float64{}}
}

// add takes in the results of a run. A test that several have counts as the
// worst of them.
func (r *results) add(run *results) {
	for test, o := range run.outcome {
		r.outcome[test] = max(r.outcome[test], o)
	}
	maps.Copy(r.reason, run.reason)
}

// read takes in one run. It prints each package's closing line and what the
// failed tests said.
func (r *results) read(events io.Reader, w io.Writer) error {
	output := map[name][]string{}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 16<<20) // a test may print a long line
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(w, lines.Text())
			continue
		}
		test := name{e.Package, e.Test}
		switch e.Action {
		case "output":
			output[test] = append(output[test], e.Output)
			if e.Test == "" && isClosing(e.Output) {
				fmt.Fprint(w, e.Output)
			}
		case "build-output":
			fmt.Fprint(w, e.Output)
		case "pass", "skip", "fail":
			// A package counts only where it failed outside its tests: it did
			// not build, or its TestMain gave up.
			if e.Test != "" || e.Action == "fail" && !r.anyFailed(e.Package) {
				r.note(test, outcomes[e.Action], output[test])
			}
			if e.Action == "fail" {
				fmt.Fprint(w, strings.Join(output[test], ""))
			}
			if !strings.Contains(e.Test, "/") {
				r.took[test] = e.Elapsed
			}
			delete(output, test)
		}
	}
	if err := lines.Err(); err != nil {
		return errors.Join(fmt.Errorf("read test events: %w", err), drain(events))
	}
	return nil
}

// drain lets go test end where its events cannot be read on.
func drain(events io.Reader) error {
	_, err := io.Copy(io.Discard, events)
	return err
}

// isClosing tells a package's last line. A failed package's comes with the
// rest of what it said.
func isClosing(line string) bool {
	return strings.HasPrefix(line, "ok  \t")
}

func (r *results) note(test name, o outcome, output []string) {
	if o > r.outcome[test] {
		r.outcome[test] = o
	}
	switch o {
	case skipped:
		r.reason[test] = skipReason(output)
	case failed:
		r.grave[test] = r.grave[test] || isGrave(output)
	}
}

func (r *results) anyFailed(pkg string) bool {
	for test, o := range r.outcome {
		if test.pkg == pkg && o == failed {
			return true
		}
	}
	return false
}

// skipReason is what the test gave to Skip: the last line that begins with a
// source position, without it.
func skipReason(output []string) string {
	reason := "no reason given"
	for _, line := range output {
		line, indented := strings.CutPrefix(line, "    ")
		if _, text, ok := strings.Cut(strings.TrimSpace(line), ".go:"); indented && ok {
			if _, said, ok := strings.Cut(text, ": "); ok {
				reason = said
			}
		}
	}
	return reason
}

// totals of all runs.
type totals struct{ passed, flaky, failed, skipped int }

// missingRequirement begins the reason of a skip that an installed package
// would make unnecessary.
const missingRequirement = "needs "

// report prints why tests were skipped and, last, the totals.
func (r *results) report(w io.Writer, ci bool) totals {
	var t totals
	skips := map[string][]string{}
	for test, o := range r.outcome {
		reason := r.reason[test]
		if o == skipped && ci && strings.HasPrefix(reason, missingRequirement) {
			fmt.Fprintf(w, "FAIL: %s %s was skipped in CI: %s\n", test.pkg, test.test, reason)
			o = failed
		}
		switch o {
		case passed:
			t.passed++
		case flaky:
			t.flaky++
			fmt.Fprintf(w, "FLAKY: %s %s failed, then passed %d times of %d alone\n", test.pkg, test.test, doubtedRuns, doubtedRuns)
		case failed:
			t.failed++
		case skipped:
			t.skipped++
			skips[reason] = append(skips[reason], test.pkg+" "+test.test)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(skips)) {
		fmt.Fprintf(w, "skipped: %s\n", reason)
		for _, test := range slices.Sorted(slices.Values(skips[reason])) {
			fmt.Fprintf(w, "    %s\n", test)
		}
	}
	fmt.Fprintf(w, "unchoke: %d passed, %d failed, %d flaky, %d skipped\n", t.passed, t.failed, t.flaky, t.skipped)
	return t
}
