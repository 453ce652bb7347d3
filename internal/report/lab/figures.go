package lab

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/path"
	"unchoke/internal/report/render"
	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// guideSection is the decision guide.
func (l Report) guideSection() *section {
	if len(l.Guide) == 0 {
		return nil
	}
	s := &section{Title: "Which congestion control", Words: []string{analysis.GuideRule}}
	for _, a := range l.Guide {
		t := newTable("<"+axisWords(a.Axis), "<use", a.CC+" faster", "cubic faster", "same", "undecided", "median "+a.CC+"/cubic")
		for _, b := range a.Bands {
			t.add(bandWords(a, b), useWords(b), fmt.Sprint(b.Faster), fmt.Sprint(b.Slower), fmt.Sprint(b.Same), fmt.Sprint(b.Unclear), render.Times(b.Ratio))
		}
		s.Tables = append(s.Tables, t.done("Conditions by "+axisWords(a.Axis)+", measured from "+render.Ratio(a.Least)+" to "+render.Ratio(a.Most), 1))
	}
	return s
}

func axisWords(a analysis.Axis) string {
	if a == analysis.AlongLoss {
		return "loss"
	}
	return "jitter/RTT"
}

func bandWords(a analysis.Advice, b analysis.Band) string {
	switch {
	case b.To < 0 && b.From == 0:
		return render.Ratio(a.Least) + " to " + render.Ratio(a.Most)
	case b.To < 0:
		return "above " + render.Ratio(b.From)
	case b.From == 0:
		return "below " + render.Ratio(b.To)
	}
	return render.Ratio(b.From) + " to " + render.Ratio(b.To)
}

func useWords(b analysis.Band) string {
	switch {
	case b.Unclear == b.Conditions:
		return "not decided: more runs are needed"
	case b.Use == analysis.UseEither:
		return "either: they carry the same"
	case b.Use == analysis.UseMeasure:
		return "measure both: conditions disagree"
	}
	return b.Use
}

// cliffSection is the curves along jitter.
func (l Report) cliffSection() *section {
	if len(l.Jitter) == 0 {
		return nil
	}
	t := newTable("<curve", "cliff at", "95 %", "bracket", "article's", "chaos zone")
	for _, c := range l.Jitter {
		t.add(append([]string{c.Label}, cliffCells(c)...)...)
	}
	return &section{
		Title: "The jitter cliff", Plot: "retention",
		Words:  []string{analysis.CliffRule, fmt.Sprintf("The chaos zone is where the coefficient of variation is %s or more. The article reports the first step of its 4 ms grid below half, with both sender rates pooled.", render.Ratio(analysis.ChaosCV))},
		Tables: []table{t.done("Jitter (standard deviation) over RTT", 1)},
	}
}

func cliffCells(c analysis.Curve) []string {
	last := c.Levels[len(c.Levels)-1].At
	cells := []string{"beyond " + render.Ratio(last), "", "", "", "none"}
	if c.Cliff != nil {
		cells[0], cells[2] = render.Ratio(c.Cliff.At), span(c.Cliff.Bracket)
		if c.Cliff.Interval != nil {
			cells[1] = span(*c.Cliff.Interval)
		}
	}
	if c.Article > 0 {
		cells[3] = render.Ratio(c.Article)
	}
	if c.Zone != nil {
		cells[4] = span(*c.Zone)
	}
	return cells
}

// span prints an interval of ratios in per cent.
func span(i stats.Interval) string {
	end := func(v float64) string { return strings.TrimSuffix(render.Ratio(v), " %") }
	switch {
	case math.IsInf(i.High, 1):
		return "above " + render.Ratio(i.Low)
	case i.Low == i.High:
		return render.Ratio(i.Low)
	}
	return end(i.Low) + "–" + render.Ratio(i.High)
}

// drawnColumn is the head of a column that holds a drawing in characters.
const drawnColumn = "distribution"

// chaosRows is as many of the wildest cells as a table shows.
const chaosRows = 30

// chaosSection is how far repeated runs scatter.
func (l Report) chaosSection() *section {
	if len(l.Chaos) == 0 {
		return nil
	}
	t := newTable("<path", "<arm", "<traffic", "runs", "mean", "least–most", "CV", "article's CV", "<modes", "<"+drawnColumn)
	shown := l.Chaos[:min(chaosRows, len(l.Chaos))]
	low, high, idle := l.stripEnds(shown)
	for _, i := range shown {
		c := l.Cells[i]
		theirs := ""
		if c.Reference != nil {
			theirs = render.Ratio(c.Reference.CV)
		}
		scale, name := render.RateScale(c.Throughput.Max)
		digits := unit.Decimals(c.Throughput.Max / scale)
		t.add(l.path(c), c.Arm, c.Traffic, fmt.Sprint(c.Throughput.N), render.Rate(c.Throughput.Mean),
			strconv.FormatFloat(c.Throughput.Min/scale, 'f', digits, 64)+"–"+strconv.FormatFloat(c.Throughput.Max/scale, 'f', digits, 64)+" "+name,
			render.Ratio(c.Throughput.CV), theirs, modeWords(c), strip(c.Runs, low, high))
	}
	words := fmt.Sprintf("%d of %s have a coefficient of variation of %s or more: a single run there is not representative.", len(l.Chaos), render.Plural(len(l.Cells), "cell"), render.Ratio(analysis.ChaosCV))
	if len(l.Chaos) > chaosRows {
		words += fmt.Sprintf(" The %d most variable:", chaosRows)
	}
	caption := fmt.Sprintf("Each distribution from %s to %s, logarithmic", render.Rate(low), render.Rate(high))
	if idle {
		caption += "; runs that carried nothing stand at its left end"
	}
	return &section{Title: "The chaos zone", Plot: "chaos", Words: []string{words}, Tables: []table{t.done(caption, 3)}}
}

// stripEnds are the least and the most rate of the cells' runs. A logarithmic
// axis has no place for a run that carried nothing: idle says that there is one.
func (l Report) stripEnds(cells []int) (low, high float64, idle bool) {
	for _, i := range cells {
		for _, r := range l.Cells[i].Runs {
			switch {
			case r.Throughput <= 0:
				idle = true
			case low == 0 || r.Throughput < low:
				low = r.Throughput
			}
			high = max(high, r.Throughput)
		}
	}
	return low, high, idle
}

func modeWords(c analysis.Cell) string {
	switch {
	case c.Throughput.N < analysis.ModesFrom:
		return ""
	case c.Bimodal:
		return "two"
	}
	return "one"
}

// stripColumns is the width of a distribution in text.
const stripColumns = 24

// strip draws the runs' rates over a logarithmic axis: a dot for one, more ink
// for more. Its low end is above zero, unless no run carried anything.
func strip(runs []analysis.Run, low, high float64) string {
	count := make([]int, stripColumns)
	for _, r := range runs {
		at := 0.0
		if high > low && r.Throughput > 0 {
			at = math.Log(r.Throughput/low) / math.Log(high/low)
		}
		count[int(math.Round(min(max(at, 0), 1)*(stripColumns-1)))]++
	}
	ink := []rune(" ·•●█")
	var b strings.Builder
	for _, n := range count {
		b.WriteRune(ink[min(n, len(ink)-1)])
	}
	return "│" + b.String() + "│"
}

// lossSection is the curves along random loss.
func (l Report) lossSection() *section {
	if len(l.Loss) == 0 {
		return nil
	}
	s := &section{
		Title: "Loss tolerance", Plot: "loss",
		Words: []string{"Theory for CUBIC is " + theoryWords + " It holds for long transfers: a short one is still in slow start. The loss that halves the throughput is found as the jitter cliff is, on a logarithmic axis."},
	}
	t := newTable("<curve", "halved at", "95 %", "bracket")
	for _, c := range l.Loss {
		cells := cliffCells(c)
		t.add(c.Label, cells[0], cells[1], cells[2])
	}
	s.Tables = append(s.Tables, t.done("Loss that halves the throughput", 1))
	t = newTable("<curve", "loss", "throughput", "retention", "theory", "of theory", "article's", "of article's")
	for _, c := range l.Loss {
		for _, level := range c.Levels {
			cell := l.Cells[level.Cell]
			theory, ofTheory := "", ""
			if level.Theory > 0 {
				theory, ofTheory = render.Rate(level.Theory), render.Ratio(cell.Throughput.Mean/level.Theory)
			}
			theirs, of := referenceCells(cell)
			t.add(c.Label, render.Ratio(level.At), rateWithin(cell.Throughput), render.Ratio(level.Retention), theory, ofTheory, theirs, of)
		}
	}
	s.Tables = append(s.Tables, t.done("Throughput by loss", 2))
	return s
}

const theoryWords = "RFC 9438's mean window, W = 1.054·RTT^¾/p^¾ segments never below Reno's √(1.5/p), and at most the throughput without loss. For BBR it is the throughput without loss times 1−p."

func referenceCells(c analysis.Cell) (mean, share string) {
	if c.Reference == nil {
		return "", ""
	}
	return render.Rate(c.Reference.Mean), render.Ratio(c.Reference.Ratio)
}

func rateWithin(s analysis.Sample) string {
	if s.Interval == nil {
		return render.Rate(s.Mean)
	}
	return render.RateInterval(s.Mean, *s.Interval)
}

// ratioSection is the congestion controls against CUBIC.
func (l Report) ratioSection() *section {
	if len(l.Maps) == 0 {
		return nil
	}
	s := &section{
		Title: "Against CUBIC", Plot: "ratios",
		Words: []string{fmt.Sprintf("The ratio of mean throughputs. ~ marks a ratio that the runs cannot distinguish from 1. A difference of less than %s counts as none.", render.Times(analysis.SameMargin))},
	}
	for _, m := range l.Maps {
		heads := []string{"<RTT"}
		for _, x := range m.Columns {
			if m.Axis == analysis.AlongLoss {
				heads = append(heads, render.Ratio(x))
			} else {
				heads = append(heads, render.SetTime(x))
			}
		}
		t := newTable(heads...)
		for i, rtt := range m.RTTs {
			cells := []string{render.SetTime(rtt)}
			for _, k := range m.At[i] {
				text := "–"
				if k >= 0 {
					text = contrastWords(l.Contrasts[k])
				}
				cells = append(cells, text)
			}
			t.add(cells...)
		}
		s.Tables = append(s.Tables, t.done(mapWords(m), 1))
	}
	return s
}

func mapWords(m analysis.RatioMap) string {
	words := m.CC + "/cubic by RTT and " + map[analysis.Axis]string{analysis.AlongJitter: "jitter", analysis.AlongLoss: "loss"}[m.Axis]
	if m.Path != "" {
		words += ", " + m.Path
	}
	if m.Order == path.Keep {
		words += ", order kept"
	}
	if m.Traffic != "" {
		words += ", " + m.Traffic
	}
	return words
}

func contrastWords(c analysis.Contrast) string {
	if c.Answer == analysis.Unclear {
		return "~" + render.Times(c.Ratio)
	}
	return render.Times(c.Ratio)
}

// profileSection is the paths with jitter and loss together.
func (l Report) profileSection() *section {
	if len(l.Profiles) == 0 {
		return nil
	}
	t := newTable("<profile", "<path", "<traffic", "jitter/RTT", "cubic", "<video", "other", "<is", "<video ", "ratio [95 %]")
	for _, p := range l.Profiles {
		k := l.Contrasts[p.Contrast]
		base, other := l.Cells[k.Base], l.Cells[k.Other]
		within := render.Times(k.Ratio)
		if k.Interval != nil {
			within = render.RatioInterval(k.Ratio, *k.Interval)
		}
		t.add(base.Sweep, l.path(base), base.Traffic, render.Ratio(base.JitterRatio), render.Rate(base.Throughput.Mean), viewWords(p.Base), render.Rate(other.Throughput.Mean), k.CC, viewWords(p.Other), within)
	}
	var ladder []string
	for _, q := range analysis.Qualities[1:] {
		ladder = append(ladder, q.Name+" from "+render.Rate(q.From))
	}
	return &section{
		Title: "Jitter and loss together", Plot: "profiles",
		Words:  []string{"The video quality that each throughput supports, by the article's mapping for H.264 (" + strings.Join(ladder, ", ") + "): for the mean and, in brackets, for the slowest tenth of the runs."},
		Tables: []table{t.done("Profiles", 3)},
	}
}

func viewWords(v analysis.View) string { return v.Mean + " (" + v.Slowest + ")" }

// gapSection is the time between packets and between reads.
func (l Report) gapSection() *section {
	t := newTable("<path", "<arm", "<traffic", "packets sent every", "reads: median", "99 %", "longest", "stalled")
	measured := false
	for _, c := range l.Cells {
		if c.Gap.Max == 0 && c.Gap.Packets == 0 {
			continue
		}
		measured = true
		stalled := ""
		if c.Stalled > 0 {
			stalled = render.Time(c.Stalled)
		}
		t.add(l.path(c), c.Arm, c.Traffic, render.Time(c.Gap.Packets), render.Known(c.Gap.P50, render.Time), render.Known(c.Gap.P99, render.Time), render.Known(c.Gap.Max, render.Time), stalled)
	}
	if !measured {
		return nil
	}
	return &section{
		Title: "Gaps", Plot: "gaps", Long: true,
		Words:  []string{"The mean time between two sent packets, and the time between two reads that returned bytes. The article reports, at 50 ms, 0.5 ms between packets below the cliff; above it, 5 to 8 ms with CUBIC and 2 to 3 ms with BBR."},
		Tables: []table{t.done("Gaps, medians over the runs", 3)},
	}
}
