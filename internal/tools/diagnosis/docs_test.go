package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sum is of a table of draws: how many were right, of how many.
type sum struct{ right, clear, near, nearly, wrong, paths int }

var (
	ofClear = regexp.MustCompile(`^([\d,]+) of ([\d,]+) \(([\d.]+) %\)`)
	ofPaths = regexp.MustCompile(`^(\d+) of (\d+)`)
)

// What the tables of draws say together is what their rows add up to, there and where the
// figures are repeated.
func TestDrawsAddUp(t *testing.T) {
	draws, figures := read(t, "diagnosis-draws.md"), read(t, "diagnosis.md")
	for _, c := range []struct {
		said string // of the table above it
		rows []string
	}{
		{"Together these ", []string{"| one impairment: clear cases right", "| one impairment: wrong and 0.9 sure"}},
		{"Together these ", []string{"| two impairments: clear cases right by rules alone", "| two impairments: wrong and 0.9 sure"}},
		{"Together that is ", []string{"| written lists: clear cases right", "| written lists: wrong and 0.9 sure"}},
	} {
		at := strings.Index(draws, "\n"+c.said)
		if at < 0 {
			t.Fatalf("no line begins with %q", c.said)
		}
		table, rest := draws[:at], draws[at+1:]
		draws = rest
		said, _, _ := strings.Cut(rest, "\n")
		s := addUp(t, lastTable(table))
		clear, wrong := share(s.right, s.clear), share(s.wrong, s.paths)
		for _, want := range []string{count(s.right) + " of " + count(s.clear), percent(s.right, s.clear), count(s.near) + " of " + count(s.nearly) + " near the line", wrong[:strings.Index(wrong, " (")] + " wrong and 0.9 sure", percent(s.wrong, s.paths)} {
			if !strings.Contains(said, want) {
				t.Errorf("the rows add up to %s: %.160s", want, said)
			}
		}
		for i, want := range []string{clear[:len(clear)-1], wrong} { // an interval may follow
			row := lineOf(figures, c.rows[i])
			if cells := strings.Split(row, "|"); len(cells) < 5 || !strings.Contains(cells[4], want) {
				t.Errorf("the rows add up to %s: %s", want, row)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// lastTable are the rows of the last table of a text, without its head.
func lastTable(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	begin := len(lines)
	for begin > 0 && strings.HasPrefix(lines[begin-1], "|") {
		begin--
	}
	return lines[min(begin+2, len(lines)):]
}

// addUp adds up the rows, whose last columns are the clear cases right, those near the line,
// and those wrong and 0.9 sure; each share in them must be that of its counts.
func addUp(t *testing.T, rows []string) (s sum) {
	t.Helper()
	if len(rows) < 20 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		n := len(cells)
		clear, near, wrong := ofClear.FindStringSubmatch(cells[n-3]), ofPaths.FindStringSubmatch(cells[n-2]), ofPaths.FindStringSubmatch(cells[n-1])
		if clear == nil || wrong == nil || near == nil && cells[n-2] != "none" {
			t.Errorf("a row of another form: %s", row)
			continue
		}
		s.right, s.clear = s.right+number(clear[1]), s.clear+number(clear[2])
		s.wrong, s.paths = s.wrong+number(wrong[1]), s.paths+number(wrong[2])
		if near != nil {
			s.near, s.nearly = s.near+number(near[1]), s.nearly+number(near[2])
		}
		if want := percent(number(clear[1]), number(clear[2])); want != clear[3]+" %" && want != clear[3]+".0 %" {
			t.Errorf("%s is %s: %s", clear[0], want, row)
		}
	}
	return s
}

func lineOf(text, prefix string) string {
	_, line, _ := strings.Cut(text, "\n"+prefix)
	line, _, _ = strings.Cut(line, "\n")
	return prefix + line
}

func number(s string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	return n
}

// count writes a number as the documents do.
func count(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func percent(k, n int) string { return fmt.Sprintf("%.1f %%", 100*float64(k)/float64(n)) }

func share(k, n int) string { return fmt.Sprintf("%s of %s (%s)", count(k), count(n), percent(k, n)) }
