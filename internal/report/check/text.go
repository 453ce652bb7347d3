package check

import (
	"fmt"
	"io"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// Text writes one screen: the path, what streams carried, the verdict, its
// evidence, what to do, what changed since an earlier record.
func (c Report) Text(w io.Writer, style render.Style) error {
	s := render.NewScreen(style)
	s.Hang(0, render.Plain, c.pathLine(), render.Bold.Of(c.Target), render.Plain.Of("  "))
	if line := c.flowLine(); line != "" {
		s.Hang(0, render.Plain, line)
	}
	for _, line := range c.setupLines() {
		s.Hang(0, render.Dim, line)
	}
	if line := c.tunnelLine(); line != "" {
		s.Note("tunnel", render.Dim, line)
	}
	for _, line := range c.fetchLines() {
		s.Hang(2, render.Dim, line)
	}
	s.Text("")
	for _, d := range record.Directions {
		c.directionLines(s, d)
	}
	c.verdictLines(s)
	c.noteLines(s)
	c.sinceLines(s)
	return s.Flush(w)
}

func (c Report) pathLine() string {
	parts := []string{}
	if c.Route.Device != "" {
		parts = append(parts, "over "+c.Route.Device+tunnelWords(c.Path.Tunnel))
	}
	if c.Path.RTT > 0 {
		parts = append(parts, fmt.Sprintf("RTT %s ±%s", render.Time(c.Path.RTT), render.Time(c.Path.Jitter)))
	}
	if c.Route.MTU > 0 {
		parts = append(parts, fmt.Sprintf("MTU %d", c.Route.MTU))
	}
	return strings.Join(parts, ", ")
}

func tunnelWords(t record.Tunnel) string {
	switch {
	case !t.There():
		return ""
	case t.Relayed:
		return " (" + t.Kind + ", relayed)"
	}
	return " (" + t.Kind + ")"
}

func (c Report) hostLine() string {
	parts := []string{}
	if here := hostWords(c.Near, c.Route.Qdiscs); here != "" {
		parts = append(parts, "here: "+here)
	}
	if c.Far.Software != "" {
		parts = append(parts, "there: "+c.Far.Software)
	}
	return strings.Join(parts, ", ")
}

// bufferLine holds this host's largest buffers against the path's
// bandwidth-delay product.
func (c Report) bufferLine() string {
	most := c.capacity()
	if c.Near.TCPWmem[2] == 0 || most == 0 || c.Flow != nil {
		return ""
	}
	return fmt.Sprintf("buffers: %s; the path holds %s", bufferWords(c.Near), render.Size(most/8*c.Path.RTT))
}

// The widths of a direction's columns.
const (
	wayColumns    = 9
	streamColumns = 9
	rateColumns   = 12
	sparkColumns  = 24
	rungsFrom     = 2 + wayColumns + 1 + streamColumns + 1
)

func (c Report) directionLines(s *render.Screen, d record.Direction) {
	one, many := c.transfer(d, false), c.transfer(d, true)
	if one == nil {
		return
	}
	labels := func(way, streams string) string {
		return "  " + render.Pad(way, wayColumns) + " " + render.Pad(streams, streamColumns) + " "
	}
	line := func(way, streams string, t *record.Transfer) {
		spark := min(sparkColumns, s.Width-rungsFrom-rateColumns-2)
		if c.Fetch != nil {
			streams = connectionWords(t)
		}
		s.Text(labels(way, streams) + fmt.Sprintf("%*s  %s", rateColumns, render.Rate(c.carried(t)), sparkline(t, spark, peak(t, spark))))
	}
	way := d.Word()
	if first := c.still(d); first != nil {
		line(way, "1 stream", first)
		way = ""
	}
	line(way, streamWords(one), one)
	if t := record.TransferIn(c.Cubic, d); t != nil {
		line("", "by CUBIC", t)
	}
	if many != nil {
		line("", fmt.Sprintf("%d streams", many.Streams), many)
	}
	label := "UDP lost"
	for _, line := range render.WrapItems(rungs(c.Transfers, c.Path.Way(d), d), s.Prose-rungsFrom) {
		s.Line(render.Plain.Of(labels("", label)), render.Dim.Of(line))
		label = ""
	}
}

// streamWords name one stream, and the bound on its segments where there is one.
func streamWords(t *record.Transfer) string {
	if t.MSS > 0 {
		return fmt.Sprintf("MSS %d", t.MSS)
	}
	return "1 stream"
}

// verdictColour is of the verdict's word.
func verdictColour(c finding.Cause) render.Colour {
	switch c {
	case finding.Healthy:
		return render.Green
	case finding.Unclear:
		return render.Yellow
	}
	return render.Red
}

// The widths of the evidence's columns.
const (
	whatColumns   = 48
	figureColumns = 14
)

func (c Report) verdictLines(s *render.Screen) {
	lead, where := c.leading()
	s.Text("")
	s.Lead(verdictColour(lead.Cause), strings.ToUpper(string(lead.Cause)), c.headline())
	if len(where) > 0 {
		s.Hang(0, render.Dim, ways(where)+"; "+c.sureness(lead))
	}
	s.Text("")
	for _, summary := range c.summaries() {
		s.Hang(2, render.Plain, summary)
	}
	if len(lead.Evidence) > 0 {
		s.Text("")
	}
	for _, e := range lead.Evidence {
		s.Figure(2, whatColumns, e.What, fmt.Sprintf("%*s", figureColumns, render.Evidence(e)))
		if e.Source != "" {
			s.Hang(4, render.Dim, "("+e.Source+")")
		}
	}
	if cost := costWords(lead); cost != "" {
		s.Text("")
		s.Hang(2, render.Plain, cost)
	}
	c.stepLines(s)
	belowRemedies(c, s)
	if c.Proof != "" {
		s.Text("")
		s.Text("  Proof: " + c.Proof)
	}
	for _, f := range c.others() {
		s.Text("")
		s.Line(render.Yellow.Of("also"), render.Plain.Of(fmt.Sprintf(" %s (%s):", f.Cause, f.Direction.Word())))
		s.Hang(2, render.Plain, strings.TrimSpace(f.Summary+" "+costWords(f)))
	}
}

// sureness is how often a finding of such confidence was right.
func (c Report) sureness(f finding.Finding) string {
	if f.Cause == finding.Unclear {
		return "not known"
	}
	if c.Flow != nil { // what was counted is of checks
		return fmt.Sprintf("%.0f %% sure", f.Confidence*100)
	}
	return finding.Sureness(f.Confidence)
}

// costWords say what a cause costs, where copies of the path were tried without
// it.
func costWords(f finding.Finding) string {
	if f.Gain == nil {
		return ""
	}
	return fmt.Sprintf("Copies of this path in the lab carry %s as much without it [%s–%s].",
		render.Times(f.Gain.Ratio), render.Times(f.Gain.Low), render.Times(f.Gain.High))
}

// ways names directions.
func ways(list []record.Direction) string {
	var words []string
	for _, d := range list {
		words = append(words, d.Word())
	}
	return strings.Join(words, " and ")
}

func (c Report) stepLines(s *render.Screen) {
	for i, step := range c.steps() {
		if i == 0 {
			s.Text("")
		}
		s.Hang(5, render.Plain, step.words(), render.Plain.Of(fmt.Sprintf("  %d. ", i+1)))
		s.Block(7, render.Bold, step.command())
	}
}

func (c Report) noteLines(s *render.Screen) {
	s.Text("")
	for _, w := range c.problemWords() {
		s.Note("server", render.Yellow, w)
	}
	for _, w := range c.Warnings {
		s.Note("warning", render.Dim, w)
	}
	if words := c.unknownWords(); words != "" {
		s.Note("unknown from this side", render.Dim, words)
	}
	for _, x := range c.tunnelNotes() {
		s.Note("tunnel", render.Dim, x)
	}
	for _, x := range c.flowNotes() {
		s.Note(x.Label, render.Dim, x.Text)
	}
	for _, skip := range c.leftOut() {
		s.Note("left out", render.Dim, skip)
	}
	if c.Error != "" {
		s.Note("incomplete", render.Dim, c.Error)
	}
	if c.Record != "" {
		s.Note("record", render.Dim, c.Record+" (unchoke record show "+c.Record+")")
	}
}
