package lab

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/lab/reference"
	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/report/render"
	"unchoke/internal/report/rendertest"
	"unchoke/internal/unit"
)

// articleLab is the report of the article's own runs of one sender rate, which
// stand for those of a sweep.
func articleLab(t *testing.T) Report {
	t.Helper()
	study := analysis.Study{Name: "article <script>"}
	count := map[string]int{}
	for _, r := range append(reference.Jitter(), reference.Loss()...) {
		if r.Rate != unit.BitRate(80<<20) {
			continue
		}
		key := r.Path.String() + r.CC
		count[key]++
		study.Rows = append(study.Rows, grid.Row{
			Cell: len(study.Rows), Repetition: count[key] - 1, Seed: uint64(count[key]), Path: r.Path, Arm: grid.Arm{CC: r.CC},
			Traffic: traffic.Spec{Kind: traffic.Paced, Rate: r.Rate, Write: 8 * unit.KiB, ReceiveBuffer: 256 * unit.KiB, Read: 16 * unit.KiB, ReadEvery: time.Millisecond, Duration: 10 * time.Second},
			Result:  traffic.Result{Throughput: r.Throughput, Elapsed: r.Duration, Retransmits: r.Retransmits, Spurious: r.Retransmits / 2, Segments: int64(r.Throughput / 8 / 1448 * 10), Reordering: r.DupAcks / 10, CC: r.CC},
		})
	}
	return New(study, "v0-test", "6.12.117", 40)
}

func TestLabGolden(t *testing.T) {
	l := articleLab(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"lab.txt": func(b *bytes.Buffer) error { return l.Text(b, render.Style{Width: 120}) },
		"lab.md":  func(b *bytes.Buffer) error { return l.Markdown(b) },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		rendertest.Golden(t, name, got.String())
	}
}

func TestLabTextKeepsToTheWidth(t *testing.T) {
	var b bytes.Buffer
	if err := articleLab(t).Text(&b, render.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
		}
	}
}

// A table with a row for every cell is shown where it is asked for.
func TestLabTextLongTables(t *testing.T) {
	l := articleLab(t)
	text := func(l Report) string {
		var b bytes.Buffer
		if err := l.Text(&b, render.Style{Width: 120}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if whole := text(l); !strings.Contains(whole, "Cells: 54 rows; --part every-cell shows them") {
		t.Errorf("the whole report has no word of the cells:\n%s", whole)
	}
	part, err := l.Only("every-cell")
	if err != nil {
		t.Fatal(err)
	}
	if alone := text(part); strings.Count(alone, "rtt=50ms,loss=5%") < 2 {
		t.Errorf("the part alone lacks cells:\n%s", alone)
	}
}

// The page asks the network for nothing, and what a sweep is named cannot
// break out of its place.
func TestLabHTML(t *testing.T) {
	var b bytes.Buffer
	if err := articleLab(t).HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if i := strings.Index(page, "article <script>"); i >= 0 {
		t.Errorf("the sweep's name is not escaped: …%q", page[i:i+40])
	}
	for _, bad := range []string{`src="`, `src='`, "@import", "url(", "fetch(", "XMLHttpRequest", "<link"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if others := regexp.MustCompile(`https?://[^"'\s]*`).FindAllString(page, -1); len(others) != 1 || others[0] != "http://www.w3.org/2000/svg" {
		t.Errorf("addresses in the page: %v", others)
	}
	data := regexp.MustCompile(`(?s)id="figures">(.*?)</script>`).FindStringSubmatch(page)
	if data == nil {
		t.Fatal("no data in the page")
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(data[1]), &doc); err != nil {
		t.Fatal(err)
	}
	for _, plot := range regexp.MustCompile(`data-plot="(\w+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(pageScript, "\n  "+plot[1]+"(into)") {
			t.Errorf("page.js has no plot %q", plot[1])
		}
	}
}

// What others read of the document must not change its name.
func TestLabJSONKeys(t *testing.T) {
	var b bytes.Buffer
	if err := articleLab(t).JSON(&b); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc["schema"] != "unchoke.lab.report/1" {
		t.Errorf("schema %v", doc["schema"])
	}
	for _, key := range []string{"name", "runs", "missing_runs", "cells", "jitter_curves", "loss_curves", "chaos_cells", "contrasts", "ratio_maps", "profiles", "sharing", "buffer_curves", "guide", "orders", "varying", "traces", "agreement", "rules", "version", "kernel"} {
		if v, ok := doc[key]; !ok || v == nil {
			t.Errorf("key %s: %v", key, v)
		}
	}
}

// Cells are named by what their paths do not share.
func TestLabPaths(t *testing.T) {
	cells := func(paths ...string) []analysis.Cell {
		var out []analysis.Cell
		for _, text := range paths {
			p, err := path.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, analysis.Cell{Path: p})
		}
		return out
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{nil, ""},
		{[]string{"rtt=50ms,loss=1%"}, "rtt=50ms,loss=1%"},
		{[]string{"rtt=50ms,loss=1%", "rtt=50ms,loss=1%"}, "rtt=50ms,loss=1% rtt=50ms,loss=1%"},
		{[]string{"rtt=50ms", "rtt=50ms,loss=1%,rate=1mbit", "rtt=50ms,loss=2%,rate=1mbit"}, "nothing else loss=1%,rate=1mbit loss=2%,rate=1mbit"},
		{[]string{"rtt=50ms", "rtt=60ms"}, "rtt=50ms rtt=60ms"},
	} {
		all := cells(c.paths...)
		l := Report{shared: sharedPath(all)}
		var got []string
		for _, cell := range all {
			got = append(got, l.path(cell))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q are named %q, want %q", c.paths, text, c.want)
		}
	}
}

// What a stream gets beside another, and by its buffers.
func TestLabSharingAndBuffers(t *testing.T) {
	var study analysis.Study
	add := func(spec traffic.Spec, arm grid.Arm, own, neighbor float64) {
		p, err := path.Parse("rtt=40ms,rate=50mbit")
		if err != nil {
			t.Fatal(err)
		}
		spec.Kind, spec.Duration = traffic.Bulk, 10*time.Second
		for i := range 3 {
			study.Rows = append(study.Rows, grid.Row{
				Cell: len(study.Rows), Repetition: i, Seed: uint64(i), Path: p, Traffic: spec, Arm: arm,
				Result: traffic.Result{Throughput: own + float64(i)*1e5, NeighborThroughput: neighbor, CC: arm.CC},
			})
		}
	}
	add(traffic.Spec{}, grid.Arm{CC: "bbr", Neighbor: "cubic"}, 40e6, 8e6)
	add(traffic.Spec{}, grid.Arm{CC: "cubic"}, 48e6, 0)
	for i, rate := range []float64{13e6, 26e6, 47e6} {
		add(traffic.Spec{ReceiveBuffer: unit.Size(64<<10) << i}, grid.Arm{CC: "cubic"}, rate, 0)
	}
	var b bytes.Buffer
	if err := New(study, "v0", "6.12", 0).Text(&b, render.Style{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"BESIDE ANOTHER STREAM",
		`bbr beside cubic +40\.1 Mbit/s +8\.00 Mbit/s +83\.4 % \[83\.[0-9]–83\.[0-9] %\] +50 % +more`,
		"Throughput by the size of the receive buffer",
		`64 KiB +128 KiB +256 KiB +autotuning +enough from`,
		`cubic, 40ms, 50 Mbit/s +13\.1 Mbit/s +26\.1 Mbit/s +47\.1 Mbit/s +48\.1 Mbit/s +256 KiB`,
	} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

func TestLabOfNothing(t *testing.T) {
	l := New(analysis.Study{Name: "empty"}, "v0", "", 10)
	var text, md, page, doc bytes.Buffer
	for _, err := range []error{l.Text(&text, render.Style{Width: 80}), l.Markdown(&md), l.HTML(&page), l.JSON(&doc)} {
		if err != nil {
			t.Error(err)
		}
	}
	if strings.Contains(doc.String(), "null") {
		t.Errorf("a list of nothing is null: %s", doc.String())
	}
	if !strings.Contains(text.String(), "0 runs in 0 cells, 10 more to come") {
		t.Errorf("text: %q", text.String())
	}
}

// A run that carried nothing has no place on a logarithmic axis, and stands at
// its left end.
func TestLabOfAFailedRun(t *testing.T) {
	p, err := path.Parse("rtt=40ms,rate=50mbit")
	if err != nil {
		t.Fatal(err)
	}
	var study analysis.Study
	for i, rate := range []float64{0, 4e6, 40e6, 40e6} {
		row := grid.Row{
			Cell: 1, Repetition: i, Seed: uint64(i), Path: p, Arm: grid.Arm{CC: "cubic"},
			Traffic: traffic.Spec{Kind: traffic.Bulk, Duration: 10 * time.Second},
			Result:  traffic.Result{Throughput: rate, CC: "cubic"},
		}
		if rate == 0 {
			row.Failed = "connection refused"
		}
		study.Rows = append(study.Rows, row)
	}
	l := New(study, "v0", "6.12", 0)
	var text, md, page bytes.Buffer
	for _, err := range []error{l.Text(&text, render.Style{Width: 160}), l.Markdown(&md), l.HTML(&page)} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{
		"Each distribution from 4.00 Mbit/s to 40.0 Mbit/s, logarithmic; runs that carried nothing",
		"│•                      •│",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// A path that changes is shown beside the one that does not, with what its
// episodes do.
func TestLabVarying(t *testing.T) {
	var study analysis.Study
	for rep := range 2 {
		for cell, text := range []string{"rtt=27ms,schedule=every 15s for 200ms rtt=+50ms", "rtt=27ms"} {
			p, err := path.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			study.Rows = append(study.Rows, grid.Row{
				Cell: cell, Repetition: rep, Seed: uint64(rep), Path: p, Arm: grid.Arm{CC: "bbr"}, Traffic: traffic.Spec{Kind: traffic.Chunked, Chunk: time.Second},
				Result: traffic.Result{Throughput: float64(cell+1)*1e6 + float64(rep), Stalled: time.Duration(3-cell) * time.Second, CC: "bbr"},
			})
		}
	}
	l := New(study, "v0-test", "", 0)
	l.Varying[0].Episodes = []analysis.Around{{Episode: "every 15s for 200ms rtt=+50ms", Times: 4, Before: 9e6, First: 3e6, Cost: -0.25, Recovery: -1, RTT: 0.08, Cwnd: 40, LowCwnd: 7, Retransmits: 3}}
	l, err := l.Only("paths-that-change")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := l.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := l.HTML(&page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), `data-plot="episodes"`) || !strings.Contains(pageScript, "\n  episodes(into)") {
		t.Error("the page has no plot of the episodes")
	}
	for _, want := range []string{
		`| rtt=27ms | every 15s for 200ms rtt=+50ms | bbr | 1.00 Mbit/s`,
		`| 2.00 Mbit/s | 0.500×`, `| 3.00 s | 2.00 s |`,
		`| rtt=27ms | every 15s for 200ms rtt=+50ms | bbr | 4 | 9.00 Mbit/s | 3.00 Mbit/s | -250 ms | more than 5s | 80.0 ms | 40 | 7 | 3 |`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
