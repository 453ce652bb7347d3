package vantage

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/report/rendertest"
	"unchoke/internal/vantage"
)

// reportOf is the report of records that were made in the lab (internal/vantage).
func reportOf(t *testing.T, name string) Report {
	t.Helper()
	var places []vantage.Observed
	for _, place := range []string{"pc", "router", "cloud"} {
		o := vantage.Observed{Name: place}
		for round := 1; round <= 2; round++ {
			f, err := os.Open(filepath.Join("../../vantage/testdata", name, fmt.Sprintf("%s-%d.json.gz", place, round)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := record.Read(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			r.ID = fmt.Sprintf("%s-%d", place, round)
			o.Runs = append(o.Runs, r)
		}
		places = append(places, o)
	}
	return New(vantage.Compare("far:5201", 2, places), "1.0", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
}

func TestForms(t *testing.T) {
	card, loss := reportOf(t, "card-100"), reportOf(t, "wifi-loss")
	for name, write := range map[string]func(io.Writer) error{
		"card.txt":  func(w io.Writer) error { return card.Text(w, render.Style{Width: 100}) },
		"loss.txt":  func(w io.Writer) error { return loss.Text(w, render.Style{Width: 100}) },
		"loss.md":   loss.Markdown,
		"loss.html": loss.HTML,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		rendertest.Golden(t, name, b.String())
	}
}

// The text keeps to a narrow terminal.
func TestWidth(t *testing.T) {
	for _, name := range []string{"card-100", "wifi-loss"} {
		for _, width := range []int{60, 80} {
			var b bytes.Buffer
			if err := reportOf(t, name).Text(&b, render.Style{Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(b.String(), "\n") {
				if n := utf8.RuneCountInString(line); n > width {
					t.Errorf("%s: %d columns of %d: %s", name, n, width, line)
				}
			}
		}
	}
}

// What failed is said, and that there is nothing to compare.
func TestNothing(t *testing.T) {
	c := vantage.Compare("far", 1, []vantage.Observed{
		{Name: "a", Failures: []vantage.Failure{{Round: 1, Error: "refused"}}}, {Name: "b"},
	})
	var b bytes.Buffer
	if err := New(c, "1.0", time.Time{}).Text(&b, render.Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"refused", "nothing to compare"} {
		if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
}
