package tui

import (
	"slices"
	"strings"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/report/render"

	"charm.land/lipgloss/v2"
)

// pageRows is how many lines of the page there is room for, below its title.
func (m model) pageRows() int { return max(m.height-len(m.pageTitle())-1, 1) }

// pageScreen is the title and the lines that are visible.
func (m model) pageScreen() []string {
	lines := m.pageLines()
	top := max(min(m.page.top, len(lines)-m.pageRows()), 0)
	return append(m.pageTitle(), lines[top:min(top+m.pageRows(), len(lines))]...)
}

// pageTitle says which flow it is and how it stands.
func (m model) pageTitle() []string {
	f := m.page.flow
	name := clean(f.Process)
	switch {
	case name == "":
		name = "(process not known)"
	case f.PID > 0:
		name += " [" + render.Count(float64(f.PID)) + "]"
	}
	title := fitting("", "  ", m.width, []string{name, clean(f.Local.String()) + " → " + clean(f.Remote.String())})
	if title == "" {
		title = cut(name, m.width)
	}
	var loud []string
	switch {
	case f.Closed:
		loud = append(loud, "CLOSED")
	case m.page.gone:
		loud = append(loud, "NOT LISTED ANY MORE")
	}
	if m.frozen {
		loud = append(loud, "FROZEN")
	}
	if m.tape != nil {
		loud = append(loud, tapeLine(m.tape))
	}
	quiet := []string{clean(f.CC), clean(f.State), "age " + ageWords(f)}
	if owner := ownerWords(f); owner != "" {
		quiet = append([]string{owner}, quiet...)
	}
	if f.Idle >= 1 && !m.page.over() {
		quiet = append(quiet, "idle "+render.BriefTime(f.Idle))
	}
	if m.snapshot != nil {
		quiet = append(quiet, m.snapshot.Time.Format("15:04:05"))
	}
	said := fitting("", "  ", m.width, loud)
	line := m.styles.warn.Render(said)
	between := ""
	if said != "" {
		between = "  "
	}
	line += m.styles.faint.Render(fitting(between, "  ", m.width-columns(said), quiet))
	return append([]string{m.styles.bold.Render(title), line}, m.spacer()...)
}

// ageWords is how long a flow was seen: at least so long, where its beginning
// was not.
func ageWords(f *live.Flow) string {
	if f.Whole {
		return render.BriefTime(f.Age)
	}
	return "≥ " + render.BriefTime(f.Age)
}

func ownerWords(f *live.Flow) string {
	if f.Unit != "" {
		return clean(f.Unit)
	}
	return clean(f.Container)
}

// pageLines are the lines of the page: the verdict, the limits, the charts, the
// figures.
func (m model) pageLines() []string {
	lines := slices.Concat(m.verdictLines(), m.spacer(), m.limitLines(), m.spacer(), m.chartLines(), m.spacer())
	if rest := m.page.flow.Evidence[m.evidenceAbove():]; len(rest) > 0 {
		lines = append(lines, m.evidenceLines(rest)...)
		lines = append(lines, m.spacer()...)
	}
	return append(lines, m.figureLines()...)
}

// spacer is an empty line where there are lines to spare.
func (m model) spacer() []string {
	if m.height < roomyHeight {
		return nil
	}
	return []string{""}
}

// roomyHeight is from where a page has lines to spare.
const roomyHeight = 30

// evidenceAbove is how many pieces of evidence stand by the verdict: as many as
// leave the limits and every chart a place on the screen. The others stand below
// the charts; a few stand by the verdict always.
func (m model) evidenceAbove() int {
	all := m.page.flow.Evidence
	rest := m.pageRows() - len(m.verdictOf(nil)) - len(m.limitLines()) - 2*len(m.spacer()) - 1
	for n := len(all); n > fewEvidence; n-- {
		if len(m.evidenceLines(all[:n])) <= rest-charted {
			return n
		}
	}
	return min(len(all), fewEvidence)
}

// Pieces of evidence that stand by the verdict however small the screen is, and
// charts of a page.
const (
	fewEvidence = 2
	charted     = 5
)

// verdictLines are the verdict in words, what it rests on, what is about to go
// wrong, and what to do.
func (m model) verdictLines() []string {
	return m.verdictOf(m.page.flow.Evidence[:m.evidenceAbove()])
}

func (m model) verdictOf(evidence []finding.Evidence) []string {
	f := m.page.flow
	verdict := clean(string(f.Verdict))
	if verdict == "" {
		verdict = "no verdict"
	}
	text := ""
	if f.Verdict != live.Watching && f.Confidence > 0 {
		text = ", " + render.Ratio(f.Confidence) + " sure"
	}
	summary := clean(f.Summary)
	if summary == "" && f.Verdict == live.Watching {
		summary = "the flow has not told enough yet"
	}
	if summary != "" {
		text += ": " + summary
	}
	lines := m.lead(m.styles.verdict(f), verdict, text)
	lines = append(lines, m.evidenceLines(evidence)...)
	for _, w := range f.Warnings {
		lines = append(lines, m.lead(m.styles.warn, "! "+clean(string(w)), warningWords(w))...)
	}
	if f.Advice != "" {
		lines = append(lines, m.lead(m.styles.bold, "→", " "+clean(f.Advice))...)
	}
	if command := m.page.command(); command != "" {
		lines = append(lines, m.lead(m.styles.bold, "$", " "+command)...)
	}
	return lines
}

// warningWords says what a warning means.
func warningWords(w live.Warning) string {
	if w == live.ChaosZone {
		return ": the delay varies by so large a share of the RTT that a congestion control that answers to loss may lose half of its rate"
	}
	return ""
}

// lead writes a word that stands out and running text after it.
func (m model) lead(style lipgloss.Style, word, text string) []string {
	const indent = 2
	all := wrap(word+text, min(m.width, proseColumns)-indent)
	for i, line := range all {
		switch {
		case i == 0 && len(word) <= len(line) && strings.HasPrefix(line, word):
			all[i] = style.Render(word) + line[len(word):]
		default:
			all[i] = strings.Repeat(" ", indent) + line
		}
	}
	return all
}

// proseColumns is as wide as running text is read with ease.
const proseColumns = 100

// evidenceLines are what the verdict rests on, a figure a line; two to a line
// where there is room.
func (m model) evidenceLines(evidence []finding.Evidence) []string {
	pairs := make([][2]string, 0, len(evidence))
	for _, e := range evidence {
		pairs = append(pairs, [2]string{clean(e.What), render.Evidence(e)})
	}
	return m.pairLines(pairs)
}

// interval is that of the snapshot that is shown.
func (m model) interval() time.Duration {
	if m.snapshot == nil || m.snapshot.Interval <= 0 {
		return time.Second
	}
	return time.Duration(m.snapshot.Interval * float64(time.Second))
}
