package tui

import (
	"strings"
	"time"

	"unchoke/internal/live"
	"unchoke/internal/live/table"
	"unchoke/internal/report/render"
)

// Widths of what stands beside a chart.
const (
	chartName  = 8  // its name
	chartValue = 19 // the figure now
	chartAxis  = 11 // its ends
)

// series is one chart of a page.
type series struct {
	name     string
	now      []string // beside it, a line each
	values   []float64
	fromZero bool
	print    func(float64) string // of the axis
}

// chartLines are the charts below each other, as high as the screen allows, and
// the time below them.
func (m model) chartLines() []string {
	width := min(m.width-chartName-chartValue-chartAxis-2, mostChart)
	if width < leastChart { // no room for the values beside: the charts go
		return m.narrowFigures()
	}
	all := m.series(width)
	heights := m.chartHeights(len(all))
	var lines []string
	for i, c := range all {
		lines = append(lines, m.chartRows(c, width, heights[i])...)
	}
	return append(lines, m.timeLine(width))
}

// chartRows are one chart with its name, the figures of now and its axis.
func (m model) chartRows(s series, width, height int) []string {
	low, high := scale(s.values, s.fromZero || height == 1) // one line has no room to say where it begins
	lines := chart(s.values, low, high, width, height)
	for i, bars := range lines {
		name, now, axis := "", "", ""
		switch {
		case high == 0:
		case i == 0:
			axis = s.print(high)
		case i == height-1 && low > 0:
			axis = s.print(low)
		case i == height-1:
			axis = "0"
		}
		if i == 0 {
			name = s.name
		}
		if i < len(s.now) {
			now = s.now[i]
		}
		lines[i] = m.styles.bold.Render(left(name, chartName)) + left(now, chartValue) + "│" +
			m.styles.chart.Render(bars) + "│" + m.styles.faint.Render(cut(axis, chartAxis))
	}
	return lines
}

// Bounds of a chart's size, in columns and lines of the screen.
const (
	leastChart   = 16
	mostChart    = 300
	lowestChart  = 1
	highestChart = 5
)

// chartHeights share out the lines that the rest of the page leaves, the first
// chart first.
func (m model) chartHeights(charts int) []int {
	rest := m.pageRows() - len(m.verdictLines()) - len(m.limitLines()) - 2*len(m.spacer()) - 1
	heights := make([]int, charts)
	for i := range heights {
		heights[i] = min(max((rest+charts-1-i)/charts, lowestChart), highestChart)
	}
	return heights
}

// series are the charts, with the figures of now.
func (m model) series(width int) []series {
	f := m.page.flow
	end := m.endOfHistory()
	points := m.page.points
	if m.tape != nil {
		points = withoutJumps(points, m.interval())
	}
	w := newWindow(points, end, m.interval(), width, m.page.whole)
	rate := func(p table.Point) float64 { return float64(p.Sent) }
	arrow, other := "↑ ", "↓ "+render.Rate(f.ReceivedRate)
	busier, sends := f.Busier()
	if !sends {
		rate = func(p table.Point) float64 { return float64(p.Received) }
		arrow, other = "↓ ", "↑ "+render.Rate(f.SentRate)
	}
	resent := w.retransmits()
	return []series{
		{"rate", []string{arrow + render.Rate(busier), other}, w.mean(rate, 0), true, render.Rate},
		{"RTT", []string{timeWords(f.RTT), "least " + timeWords(f.MinRTT)}, w.mean(func(p table.Point) float64 { return known(p.RTT) }, nan), false, render.Time},
		{"jitter", []string{timeWords(f.Jitter), jitterWords(f)}, w.mean(func(p table.Point) float64 { return known(p.Jitter) }, nan), true, render.Time},
		{"cwnd", []string{render.Plural(int(f.Cwnd), "segment"), ssthreshWords(f)}, w.mean(func(p table.Point) float64 { return known32(p.Cwnd) }, nan), true, render.Count},
		{"resent", []string{render.Ratio(f.RetransmitRatio) + " lately", render.Plural(int(f.Retransmits), "segment") + " ever"}, resent, true, render.Count},
	}
}

// endOfHistory is the time of the snapshot that is shown; of a flow that is
// over, that of its last figures.
func (m model) endOfHistory() time.Time {
	if n := len(m.page.points); n > 0 && (m.page.over() || m.snapshot == nil) {
		return m.page.points[n-1].Time()
	}
	if m.snapshot == nil {
		return time.Time{}
	}
	return m.snapshot.Time
}

// timeLine is the axis of time below the charts.
func (m model) timeLine(width int) string {
	w := newWindow(m.page.points, m.endOfHistory(), m.interval(), width, m.page.whole)
	from := "−" + render.BriefTime((w.each * time.Duration(width)).Seconds())
	to := "now"
	switch {
	case m.page.over():
		to = "the end"
	case m.frozen:
		to = m.snapshot.Time.Format("15:04:05")
	}
	between := width - columns(from) - columns(to)
	return strings.Repeat(" ", chartName+chartValue+1) + m.styles.faint.Render(from+strings.Repeat(" ", max(between, 1))+to)
}

// narrowFigures stand for the charts where there is no room.
func (m model) narrowFigures() []string {
	var pairs [][2]string
	for _, s := range m.series(1) {
		pairs = append(pairs, [2]string{s.name, s.now[0]})
	}
	return m.pairLines(pairs)
}

func timeWords(v float64) string {
	if v == 0 {
		return "not known"
	}
	return render.Time(v)
}

func jitterWords(f *live.Flow) string {
	if f.RTT == 0 || f.Jitter == 0 {
		return ""
	}
	return render.Ratio(f.JitterRatio) + " of the RTT"
}

func ssthreshWords(f *live.Flow) string {
	if f.Ssthresh == 0 {
		return "first slow start"
	}
	return "ssthresh " + render.Count(float64(f.Ssthresh))
}
