package main

import (
	"bytes"
	"strings"
	"testing"
)

// stream is what two runs print: TestLab is skipped in the first only.
const stream = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"pass","Package":"p","Test":"TestGood","Elapsed":0}
{"Action":"run","Package":"p","Test":"TestLab"}
{"Action":"output","Package":"p","Test":"TestLab","Output":"    lab_test.go:9: too slow for -short\n"}
{"Action":"output","Package":"p","Test":"TestLab","Output":"--- SKIP: TestLab (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestLab","Elapsed":0}
{"Action":"run","Package":"p","Test":"TestKernel"}
{"Action":"output","Package":"p","Test":"TestKernel","Output":"    kernel_test.go:7: needs a lab kernel: none is built\n"}
{"Action":"skip","Package":"p","Test":"TestKernel","Elapsed":0}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.01s\n"}
{"Action":"pass","Package":"p","Elapsed":0.01}
{"Action":"run","Package":"p","Test":"TestLab"}
{"Action":"pass","Package":"p","Test":"TestLab","Elapsed":2}
`

func TestReport(t *testing.T) {
	for _, c := range []struct {
		name    string
		ci      bool
		events  string
		printed []string
		last    string
	}{
		{"here", false, stream, []string{"ok  \tp\t0.01s\n", "skipped: needs a lab kernel: none is built\n    p TestKernel\n"}, "unchoke: 2 passed, 0 failed, 0 flaky, 1 skipped"},
		{"in CI", true, stream, []string{"FAIL: p TestKernel was skipped in CI: needs a lab kernel"}, "unchoke: 2 passed, 1 failed, 0 flaky, 0 skipped"},
		{
			"failure", false, `{"Action":"output","Package":"p","Test":"TestBad","Output":"    bad_test.go:3: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestBad","Elapsed":0}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.01s\n"}
{"Action":"fail","Package":"p","Elapsed":0.01}
`, []string{"bad_test.go:3: got 1, want 2\n", "FAIL\tp\t0.01s\n"}, "unchoke: 0 passed, 1 failed, 0 flaky, 0 skipped",
		},
		{
			"no build", false, `{"Action":"build-output","ImportPath":"p [p.test]","Output":"p/x.go:1:1: expected declaration\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","Elapsed":0}
`, []string{"expected declaration\n", "FAIL\tp [build failed]\n"}, "unchoke: 0 passed, 1 failed, 0 flaky, 0 skipped",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			r := newResults()
			if err := r.read(strings.NewReader(c.events), &out); err != nil {
				t.Fatal(err)
			}
			r.report(&out, c.ci)
			for _, want := range c.printed {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is missing in:\n%s", want, &out)
				}
			}
			if strings.Contains(out.String(), "TestLab") {
				t.Errorf("a test that passed in one run is reported as skipped:\n%s", &out)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if got := lines[len(lines)-1]; got != c.last {
				t.Errorf("last line %q, want %q", got, c.last)
			}
		})
	}
}

// A failure in any run stands, whatever the others say.
func TestFailureStands(t *testing.T) {
	test := name{"p", "TestX"}
	for _, order := range [][]outcome{{failed, passed}, {passed, failed}, {skipped, failed}, {failed, skipped}} {
		r := newResults()
		for _, o := range order {
			r.note(test, o, nil)
		}
		if r.outcome[test] != failed {
			t.Errorf("outcomes %v count as %v, want failed", order, r.outcome[test])
		}
	}
}

// Go test does not build a package of such a name: no test runs, and that is
// no success.
func TestRunThatDoesNotStart(t *testing.T) {
	var out, errs bytes.Buffer
	if status := run([]string{"./no-such-directory"}, false, &out, &errs); status != 1 {
		t.Errorf("exit status %d, want 1; it said:\n%s%s", status, &out, &errs)
	}
}

// What took longest comes first, packages and tests apart, and no part of a test.
func TestLongest(t *testing.T) {
	r := newResults()
	events := `{"Action":"pass","Package":"unchoke/p","Test":"TestA","Elapsed":1}
{"Action":"pass","Package":"unchoke/p","Test":"TestB/part","Elapsed":9}
{"Action":"pass","Package":"unchoke/p","Test":"TestB","Elapsed":2}
{"Action":"pass","Package":"unchoke/p","Elapsed":3}
{"Action":"pass","Package":"unchoke/q","Elapsed":4}
`
	if err := r.read(strings.NewReader(events), &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	for packages, want := range map[bool]string{true: "q 4 s, p 3 s", false: "TestB 2 s, TestA 1 s"} {
		if got := strings.Join(r.longest(packages), ", "); got != want {
			t.Errorf("packages %v: %q, want %q", packages, got, want)
		}
	}
}
