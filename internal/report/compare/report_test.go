package compare

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"unchoke/internal/compare"
	"unchoke/internal/lab/preset"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/report/rendertest"
	"unchoke/internal/stats"
)

// twoArms is a comparison such as a lab path with random loss gives.
func twoArms() (*record.Comparison, compare.Analysis) {
	c := &record.Comparison{
		Schema: record.ComparisonSchema, ID: "20260101-000010-ad8cbe", Started: time.Date(2026, 1, 1, 0, 0, 10, 0, time.UTC),
		Version: "0.1.0", Target: "far:5201",
		Config: record.ComparisonConfig{Seed: 42, MaxBlocks: 30, Duration: 10, Omit: 2, Pause: 1},
		Arms:   []record.Arm{{Name: "cc=cubic", CC: "cubic", Direction: record.Down}, {Name: "cc=bbr", CC: "bbr", Direction: record.Down}},
		Near:   record.Host{Kernel: "6.12.117"}, Far: []record.Peer{{Software: "iperf 3.12"}},
	}
	cubic := []float64{80.1e6, 87.3e6, 79.9e6, 84.2e6, 82.5e6, 81.0e6}
	bbr := []float64{269e6, 248e6, 253e6, 260e6, 251e6, 249e6}
	for block := range cubic {
		c.Trials = append(c.Trials,
			record.Trial{Block: block, Arm: 0, Rate: cubic[block], Retransmits: 12, RTTLoad: 0.0412, Duration: 8},
			record.Trial{Block: block, Arm: 1, Rate: bbr[block], Retransmits: 903, RTTLoad: 0.0711, Duration: 8})
	}
	a := compare.Analysis{
		Blocks: 6, Stopped: compare.Firm,
		Arms: []compare.Summary{
			{Arm: 0, Label: "cubic", Rate: 81.75e6, Interval: stats.Interval{Low: 80.1e6, High: 84.2e6}, CV: 0.034, Retransmits: 0.0012, RTTLoad: 0.0412, CPUNear: 0.82, CPUFar: 1.31, Drift: 1},
			{Arm: 1, Label: "bbr", Rate: 252e6, Interval: stats.Interval{Low: 249e6, High: 260e6}, CV: 0.032, Retransmits: 0.1004, RTTLoad: 0.0711, CPUNear: 0.64, CPUFar: 1.02, Drift: 1},
		},
		Contrasts: []compare.Contrast{{
			Arm: 1, Blocks: 6, Ratio: 3.08, Interval: stats.Interval{Low: 2.84, High: 3.36}, P: 0.03125, Answer: compare.Faster,
			Sentence: "bbr carries 3.1× [2.8–3.4] of cubic's rate; 6 blocks; p = 0.031",
		}},
		Warnings: []string{"cubic's rate changed over the run, by a factor of 0.91 (p = 0.02): the path was not the same throughout"},
	}
	return c, a
}

// grid8 is a comparison of arms that differ in three keys, as `--grid` makes
// them, over rates of two orders of magnitude.
func grid8() (*record.Comparison, compare.Analysis) {
	c, _ := twoArms()
	c.Arms, c.Trials = nil, nil
	a := compare.Analysis{Blocks: 4, Stopped: compare.Fixed}
	for _, direction := range record.Directions {
		for _, target := range []string{"far", "far.underlay"} {
			for _, cc := range []string{"cubic", "bbr"} {
				arm := len(c.Arms)
				c.Arms = append(c.Arms, record.Arm{
					Name: "cc=" + cc + ",target=" + target + ",direction=" + string(direction),
					CC:   cc, Target: target, Direction: direction,
				})
				middle := 5e6 * math.Pow(2, float64(arm))
				a.Arms = append(a.Arms, compare.Summary{Arm: arm, Label: cc + " " + target + " " + string(direction), Rate: middle, Interval: stats.Interval{Low: 0.9 * middle, High: 1.1 * middle}, CV: 0.08, Retransmits: -1})
				if arm > 0 {
					k := math.Pow(2, float64(arm))
					a.Contrasts = append(a.Contrasts, compare.Contrast{
						Arm: arm, Blocks: 4, Ratio: k, Interval: stats.Interval{Low: 0.9 * k, High: 1.1 * k}, P: 0.125, Answer: compare.Faster,
						Sentence: a.Arms[arm].Label + " carries " + render.Times(k) + " of " + a.Arms[0].Label + "'s rate",
					})
				}
			}
		}
	}
	for block := range 4 {
		for arm := range c.Arms {
			c.Trials = append(c.Trials, record.Trial{Block: block, Arm: arm, Rate: a.Arms[arm].Rate * (0.9 + 0.06*float64(block)), Retransmits: -1})
		}
	}
	return c, a
}

// A rate of one block stands without an interval, in the table and in the plots.
func TestSingleBlock(t *testing.T) {
	c, _ := twoArms()
	c.Trials = c.Trials[:2]
	for name, text := range texts(t, New(c, compare.Analyse(c)), 80) {
		if !strings.Contains(text, "80.1 Mbit/s") || strings.Contains(text, "80.1 Mbit/s [") || strings.Contains(text, "∞") {
			t.Errorf("%s: %s", name, text)
		}
		plot, _, _ := strings.Cut(text, "└")
		if name == "txt" && strings.Contains(plot, "─") {
			t.Errorf("an interval in the plot:\n%s", text)
		}
	}
}

func texts(t *testing.T, c Report, width int) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"txt":  func(b *bytes.Buffer) error { return c.Text(b, render.Style{Width: width}) },
		"md":   func(b *bytes.Buffer) error { return c.Markdown(b) },
		"html": func(b *bytes.Buffer) error { return c.HTML(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = b.String()
	}
	return out
}

func TestComparisonGolden(t *testing.T) {
	two, grid := New(twoArms()), New(grid8())
	two = two.OnPreset(preset.Preset{
		Name: "cellular", Direction: "down", Arms: []string{"cc=cubic", "cc=bbr"}, Path: "rtt=10ms,down.loss=0.03%", Assumed: []string{"rtt: not told"},
		Claim: preset.Claim{Source: "an article", Said: "alternating back-to-back on the same path", Arms: []preset.Figure{
			{Rate: stats.Interval{Low: 80e6, High: 87e6}}, {Rate: stats.Interval{Low: 257e6, High: 257e6}},
		}},
	})
	for name, c := range map[string]Report{"ab": two, "ab-grid": grid} {
		for form, got := range texts(t, c, 80) {
			rendertest.Golden(t, name+"."+form, got)
		}
	}
}

// No view shows what is not in the JSON: of the document alone, each is the
// same again.
func TestComparisonViewsAreOfTheJSON(t *testing.T) {
	for _, c := range []Report{New(twoArms()), New(grid8())} {
		var doc bytes.Buffer
		if err := c.JSON(&doc); err != nil {
			t.Fatal(err)
		}
		var back Report
		if err := json.Unmarshal(doc.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		want := texts(t, c, 80)
		for form, got := range texts(t, back, 80) {
			if got != want[form] {
				t.Errorf("%s of the JSON differs:\n%s", form, got)
			}
		}
	}
}

func TestComparisonJSON(t *testing.T) {
	half, _ := twoArms()
	half.Trials = half.Trials[:3]
	for name, c := range map[string]Report{
		"two arms":  New(twoArms()),
		"one block": New(half, compare.Analyse(half)),
		"nothing":   New(&record.Comparison{}, compare.Analysis{}),
	} {
		var b bytes.Buffer
		if err := c.JSON(&b); err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"schema", "target", "record", "started", "config", "command", "near", "verdict", "sentence", "error"} {
			if _, ok := doc[key]; !ok && key != "error" {
				t.Errorf("%s: no key %s", name, key)
			}
		}
		for _, key := range []string{"arms", "far", "trials", "costs", "warnings"} {
			if _, ok := doc[key].([]any); !ok {
				t.Errorf("%s: %s is no array: %v", name, key, doc[key])
			}
		}
		analysis, _ := doc["analysis"].(map[string]any)
		for _, key := range []string{"arms", "contrasts"} {
			if _, ok := analysis[key].([]any); !ok {
				t.Errorf("%s: analysis.%s is no array: %v", name, key, analysis[key])
			}
		}
		if doc["schema"] != "unchoke.ab/1" {
			t.Errorf("%s: schema %v", name, doc["schema"])
		}
	}
}

// The screen keeps to its width but for the command, which wraps between its
// words only.
func TestComparisonKeepsToTheWidth(t *testing.T) {
	for _, width := range []int{40, 60, 80, 100} {
		for name, c := range map[string]Report{"two": New(twoArms()), "grid": New(grid8())} {
			for line := range strings.SplitSeq(texts(t, c, width)["txt"], "\n") {
				if n := utf8.RuneCountInString(line); n > width && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%s at %d: %d columns: %q", name, width, n, line)
				}
			}
		}
	}
}

// A name cannot draw on the terminal, and not put markup into a page.
func TestHostileNames(t *testing.T) {
	const evil = "a\x1b[31m\r\n\u202e<script>alert(1)</script>|`x`*b*[c](javascript:d)"
	c, a := twoArms()
	c.Target, c.Arms[1].Name, c.Far[0].Software, c.Error, a.Arms[1].Label = evil, evil, evil, evil, evil
	c.Warnings, c.Trials[0].Warnings = []string{evil}, []string{evil}
	a.Contrasts[0].Sentence, a.Warnings[0] = evil, evil
	for form, got := range texts(t, New(c, a), 80) {
		for _, r := range got {
			if r != '\n' && !unicode.IsGraphic(r) {
				t.Errorf("%s lets %U through", form, r)
			}
		}
		if form != "txt" && strings.Contains(withoutCode(got), "<script>alert") {
			t.Errorf("%s lets markup through:\n%s", form, got)
		}
		if form == "md" && strings.Contains(withoutCode(got), "[c](javascript") {
			t.Errorf("markdown lets a link through:\n%s", got)
		}
	}
	if got := string(Block(c, 0, render.Style{Width: 80})); strings.ContainsAny(got, "\x1b\r\u202e") {
		t.Errorf("the block's line lets a control character through: %q", got)
	}
}

// withoutCode leaves markdown's code spans out: in them markup is text.
func withoutCode(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '`')
		if i > 0 && s[i-1] == '\\' {
			b.WriteString(s[:i+1])
			s = s[i+1:]
			continue
		}
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		rest := strings.TrimLeft(s[i:], "`")
		fence := s[i : len(s)-len(rest)]
		_, after, ok := strings.Cut(rest, fence)
		if !ok {
			s = rest
			continue
		}
		s = after
	}
	b.WriteString(s)
	return b.String()
}

// A comparison on a preset's path with other arms than the preset's is repeated
// there, and has nothing reported to stand beside.
func TestOnPreset(t *testing.T) {
	p, err := preset.Find("cellular")
	if err != nil {
		t.Fatal(err)
	}
	own := New(twoArms()).OnPreset(p)
	if own.Reported == nil || own.Command != "unchoke ab --lab cellular --duration 10s --omit 2s --seed 42" {
		t.Errorf("reported %v, repeated by %s", own.Reported, own.Command)
	}
	c, a := twoArms()
	c.Arms[1].Streams, c.Arms[1].Name = 8, "cc=bbr,streams=8"
	c.Config.Duration, c.Config.Omit, c.Config.Blocks = p.Duration.Seconds(), p.Omit.Seconds(), 6
	other := New(c, a).OnPreset(p)
	if other.Reported != nil || other.Command != "unchoke ab --lab cellular --arm cc=cubic --arm cc=bbr,streams=8 --blocks 6 --seed 42" {
		t.Errorf("reported %v, repeated by %s", other.Reported, other.Command)
	}
}

// The presets' arms are such as ab takes.
func TestPresetArms(t *testing.T) {
	for _, p := range preset.All {
		if got := presetArms(p); len(got) != len(p.Arms) {
			t.Errorf("%s: arms %q are read as %v", p.Name, p.Arms, got)
		}
	}
}

func TestBlock(t *testing.T) {
	c, _ := twoArms()
	if got, want := string(Block(c, 2, render.Style{Width: 80})), "block  3  cubic 79.9 Mbit/s, bbr 253 Mbit/s, 3.17×\n"; got != want {
		t.Errorf("block 3 is %q, want %q", got, want)
	}
	c.Trials = c.Trials[:5]
	if got, want := string(Block(c, 2, render.Style{Width: 80})), "block  3  cubic 79.9 Mbit/s\n"; got != want {
		t.Errorf("half a block is %q, want %q", got, want)
	}
	if got := Block(c, 3, render.Style{Width: 80}); got != "" {
		t.Errorf("a block that has not run is %q", got)
	}
}

func TestRateAxis(t *testing.T) {
	for _, c := range []struct {
		rates []float64
		log   bool
		ticks string
	}{
		{[]float64{80e6, 269e6}, false, "0 50 100 150 200 250 300"},
		{[]float64{9.6e6, 10e6}, false, "0 2 4 6 8 10"},
		{[]float64{5e6, 90e6}, true, "5 10 20 50 100"},
		{[]float64{30e3, 900e6, 0}, true, "0.1 1 10 100 1000"},
	} {
		a, ok := render.NewRateAxis(c.rates)
		var labels []string
		for _, v := range a.Ticks {
			labels = append(labels, a.Label(v))
		}
		if got := strings.Join(labels, " "); !ok || a.Log != c.log || got != c.ticks {
			t.Errorf("axis of %v: log %v, ticks %s; want %v, %s", c.rates, a.Log, got, c.log, c.ticks)
		}
		last := -1.0
		for _, v := range a.Ticks {
			at := a.At(v)
			if at < 0 || at > 1 || at <= last {
				t.Errorf("axis of %v: tick %v at %v after %v", c.rates, v, at, last)
			}
			last = at
		}
	}
	if _, ok := render.NewRateAxis([]float64{0, 0}); ok {
		t.Error("an axis of nothing")
	}
}

func TestLeadingContrast(t *testing.T) {
	k := func(arm int, r float64, answer compare.Answer) compare.Contrast {
		return compare.Contrast{Arm: arm, Ratio: r, Answer: answer}
	}
	for _, c := range []struct {
		all  []compare.Contrast
		want int
	}{
		{[]compare.Contrast{k(1, 1.3, compare.Faster), k(2, 3, compare.Faster), k(3, 9, compare.Unstable)}, 2},
		{[]compare.Contrast{k(1, 0.2, compare.Slower), k(2, 1.1, compare.Faster)}, 2},
		{[]compare.Contrast{k(1, 1.4, compare.Unclear), k(2, 1.01, compare.Equivalent)}, 2},
	} {
		if got := leadingContrast(c.all); got.Arm != c.want {
			t.Errorf("of %v leads %d, want %d", c.all, got.Arm, c.want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{"cc=bbr,target=far": "cc=bbr,target=far", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'"} {
		if got := render.ShellWord(in); got != want {
			t.Errorf("shellWord(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestArticleRows(t *testing.T) {
	p, err := preset.Find("cellular")
	if err != nil {
		t.Fatal(err)
	}
	got := ArticlesHead + New(twoArms()).OnPreset(p).ArticleRows()
	want := `| preset | arm | reported | ours [95 %] | ours : reported | its ratio | our ratio [95 %] | resent |
|---|---|---:|---:|---:|---:|---:|---:|
| cellular | cubic | 80–87 Mbit/s | 81.8 Mbit/s \[80.1–84.2\] | within |  |  | 0.12 % |
|  | bbr | 248–269 Mbit/s | 252 Mbit/s \[249–260\] | within | 3× | 3.08× \[2.84–3.36\] | 10 % |
`
	if got != want {
		t.Errorf("the table is\n%swant\n%s", got, want)
	}
}

// What an arm takes from others is told where it grows by enough to matter,
// and only then.
func TestCosts(t *testing.T) {
	base := compare.Summary{Arm: 0, Label: "cubic", Retransmits: 0.001, RTTLoad: 0.040, NeighborRate: 40e6}
	for _, c := range []struct {
		name string
		arm  compare.Summary
		want string
	}{
		{"nothing", compare.Summary{Retransmits: 0.005, RTTLoad: 0.045, NeighborRate: 35e6}, ""},
		{"a policer", compare.Summary{Retransmits: 0.097, RTTLoad: 0.040, NeighborRate: 40e6}, "bbr resends 9.7 % of its segments (cubic: 0.1 %)"},
		{"a queue", compare.Summary{Retransmits: 0.001, RTTLoad: 0.110, NeighborRate: 40e6}, "bbr builds a queue that all traffic waits in: RTT under load 110 ms (cubic: 40.0 ms)"},
		{"a neighbor", compare.Summary{Retransmits: 0.001, RTTLoad: 0.040, NeighborRate: 10e6}, "bbr leaves the neighbor 10.0 Mbit/s (cubic: 40.0 Mbit/s)"},
		{"what nobody told", compare.Summary{Retransmits: -1}, ""},
	} {
		comparison, a := twoArms()
		c.arm.Arm, c.arm.Label = 1, "bbr"
		a.Arms = []compare.Summary{base, c.arm}
		if got := strings.Join(New(comparison, a).Costs, "; "); got != c.want {
			t.Errorf("%s: costs %q, want %q", c.name, got, c.want)
		}
	}
}

// Both shares and Jain's index stand in the table where a neighbor ran.
func TestNeighbor(t *testing.T) {
	c, a := twoArms()
	c.Config.Neighbor = &record.Arm{Name: "cc=cubic", CC: "cubic"}
	a.Arms[0].Jain, a.Arms[0].NeighborRate = 0.998, 80e6
	a.Arms[1].Jain, a.Arms[1].NeighborRate = 0.712, 31e6
	doc := New(c, a)
	for form, got := range texts(t, doc, 100) {
		for _, want := range []string{"neighbor", "Jain", "0.998", "0.712", "80.0 Mbit/s", "31.0 Mbit/s"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q", form, want)
			}
		}
	}
	if !strings.Contains(doc.Command, "--neighbor cc=cubic") {
		t.Errorf("the command lacks the neighbor: %s", doc.Command)
	}
}

// Of colour there is what the style asks for, and none without.
func TestComparisonColour(t *testing.T) {
	c := New(twoArms())
	var plain, painted bytes.Buffer
	if err := c.Text(&plain, render.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if err := c.Text(&painted, render.Style{Width: 80, Colour: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") || !strings.Contains(painted.String(), "\x1b[1;32mFASTER\x1b[0m") {
		t.Error("colour that nobody asked for, or none for the verdict")
	}
}
