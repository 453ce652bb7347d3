package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Some tests run real programs in real time, on machines that others load as
// well. Of 1,700 tests, one such failure in 10,000 runs of each would fail
// every sixth run of all. So a lone failure is doubted: the test runs again by
// itself, and has to pass each time. It is reported as flaky, for somebody to
// fix; it is not hidden.
const (
	doubtedMost = 2 // failed tests of one run; more are no accident
	doubtedRuns = 2 // of each doubted test
)

// grave marks failures that are never doubted: they show a fault of the
// program, however seldom.
var grave = []string{"race detected during execution of test", "WARNING: DATA RACE", "panic:", "fatal error:"}

func isGrave(output []string) bool {
	return slices.ContainsFunc(output, func(line string) bool {
		return slices.ContainsFunc(grave, func(mark string) bool { return strings.Contains(line, mark) })
	})
}

// doubtful returns the failed tests that deserve a second run, without those
// that failed by a subtest of theirs; none where any failure is grave, or they
// are too many.
func (r *results) doubtful() []name {
	var leaves []name
	for test, o := range r.outcome {
		if o != failed {
			continue
		}
		if test.test == "" || r.grave[test] {
			return nil
		}
		if !r.failedBelow(test) {
			leaves = append(leaves, test)
		}
	}
	if len(leaves) > doubtedMost {
		return nil
	}
	slices.SortFunc(leaves, func(a, b name) int {
		return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test))
	})
	return leaves
}

func (r *results) failedBelow(parent name) bool {
	for test, o := range r.outcome {
		if o == failed && test.pkg == parent.pkg && strings.HasPrefix(test.test, parent.test+"/") {
			return true
		}
	}
	return false
}

// alone turns the words of a run into those that run one test of it.
func alone(words string, test name) string {
	var kept []string
	for word := range strings.FieldsSeq(words) {
		isPackage := !strings.HasPrefix(word, "-") && !strings.Contains(word, "=")
		if !isPackage && !strings.HasPrefix(word, "-count=") {
			kept = append(kept, word)
		}
	}
	levels := strings.Split(test.test, "/")
	for i, level := range levels {
		levels[i] = "^" + regexp.QuoteMeta(level) + "$"
	}
	kept = append(kept, fmt.Sprintf("-count=%d", doubtedRuns), "-run="+strings.Join(levels, "/"), test.pkg)
	return strings.Join(kept, " ")
}

// doubt runs the doubtful tests of a failed run again, and tells whether that
// takes its failure back.
func (r *results) doubt(words string, stdout, stderr io.Writer) bool {
	doubtful := r.doubtful()
	forgiven := len(doubtful) > 0
	for _, test := range doubtful {
		again := alone(words, test)
		fmt.Fprintf(stdout, "again, alone: go test %s\n", again)
		second := newResults()
		passes := goTest(again, second, stdout, stderr) == nil && r.forgive(test, second)
		forgiven = forgiven && passes
	}
	return forgiven
}

// forgive takes a failure back where the test passed in every later run, and
// tells whether it did. The tests that it is part of failed by it; they pass
// once nothing below them has failed.
func (r *results) forgive(test name, second *results) bool {
	if second.outcome[test] != passed {
		return false
	}
	r.outcome[test] = flaky
	for {
		end := strings.LastIndex(test.test, "/")
		if end < 0 {
			return true
		}
		test.test = test.test[:end]
		if second.outcome[test] == passed && !r.failedBelow(test) {
			r.outcome[test] = passed
		}
	}
}
