package trial

import (
	"errors"
	"strings"
	"testing"
	"time"

	"unchoke/internal/record"
)

// A trial meets its neighbor where both run for half of its time.
func TestMeets(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name       string
		late       time.Duration // the neighbor's start after the arm's
		want, busy string
	}{
		{"in the same test", 0, "", ""},
		{"a handshake later", s / 5, "", ""},
		{"two of five seconds later", 2 * s, "", ""},
		{"late", 4900 * time.Millisecond, "for only 0.1 of 5 s", "the neighbor's server was busy"},
		{"when all was over", 5500 * time.Millisecond, "for only 0 of 5 s", "the neighbor's server was busy"},
		{"before the arm", -4 * s, "for only 1 of 5 s", "the arm's server was busy"},
	} {
		o := outcome{start: time.Now(), from: 1, to: 6}
		beside := outcome{start: o.start.Add(c.late), from: 1, to: 6}
		o.shorten(beside.since(), beside.until())
		beside.shorten(o.since(), o.until())
		o.neighbor = &beside
		err := o.meets(5 * s)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.busy)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if err := (&outcome{from: 1, to: 2}).meets(5 * s); err != nil {
		t.Errorf("without a neighbor: %v", err)
	}
}

func TestMeet(t *testing.T) {
	gone := errors.New("gone")
	for _, c := range []struct {
		name     string
		results  []error
		want     error
		warnings int
	}{
		{"at once", []error{nil}, nil, 0},
		{"the second time", []error{&missedError{}, nil}, nil, 1},
		{"gone the second time", []error{&missedError{}, gone}, gone, 1},
		{"never", []error{&missedError{}, &missedError{}, &missedError{late: "arm"}}, &missedError{late: "arm"}, 1},
	} {
		runs := 0
		got, err := meet(func() (record.Trial, error) {
			runs++
			return record.Trial{}, c.results[runs-1]
		})
		if runs != len(c.results) || (err == nil) != (c.want == nil) || err != nil && err.Error() != c.want.Error() || len(got.Warnings) != c.warnings {
			t.Errorf("%s: %v and %q after %d runs", c.name, err, got.Warnings, runs)
		}
	}
}
