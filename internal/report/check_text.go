package report

import (
	"fmt"
	"io"
	"strings"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// Style is what the terminal can show.
type Style struct {
	Width  int // columns
	Colour bool
}

func (s Style) paint(code, text string) string {
	if !s.Colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

// maxTextWidth keeps lines readable on a wide terminal.
const maxTextWidth = 100

// Text writes one screen: the path, what streams carried, the verdict, its
// evidence, what to do.
func (c Check) Text(w io.Writer, s Style) error {
	width := min(max(s.Width, 40), maxTextWidth)
	var b strings.Builder
	fmt.Fprintln(&b, s.paint(bold, c.Target)+"  "+c.pathLine())
	fmt.Fprintln(&b, s.paint(dim, c.hostLine()))
	if line := c.bufferLine(); line != "" {
		fmt.Fprintln(&b, s.paint(dim, line))
	}
	fmt.Fprintln(&b)
	for _, d := range record.Directions {
		c.directionLines(&b, s, d, width)
	}
	c.verdictLines(&b, s, width)
	c.noteLines(&b, s, width)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c Check) pathLine() string {
	parts := []string{}
	if c.Route.Device != "" {
		parts = append(parts, "over "+c.Route.Device+tunnelWords(c.Path.Tunnel))
	}
	if c.Path.RTT > 0 {
		parts = append(parts, fmt.Sprintf("RTT %s ±%s", milliseconds(c.Path.RTT), milliseconds(c.Path.Jitter)))
	}
	if c.Route.MTU > 0 {
		parts = append(parts, fmt.Sprintf("MTU %d", c.Route.MTU))
	}
	return strings.Join(parts, ", ")
}

func tunnelWords(t record.Tunnel) string {
	switch {
	case t.Kind == "" || t.Kind == "none":
		return ""
	case t.Relayed:
		return " (" + t.Kind + ", relayed)"
	}
	return " (" + t.Kind + ")"
}

func (c Check) hostLine() string {
	parts := []string{}
	if c.Near.Kernel != "" {
		parts = append(parts, "here: Linux "+c.Near.Kernel)
	}
	if c.Near.CC != "" {
		parts = append(parts, c.Near.CC)
	}
	if len(c.Route.Qdiscs) > 0 {
		parts = append(parts, c.Route.Qdiscs[0].Kind)
	}
	if c.Far.Software != "" {
		parts = append(parts, "there: "+c.Far.Software)
	}
	return strings.Join(parts, ", ")
}

// bufferLine holds this host's largest buffers against the path's
// bandwidth-delay product.
func (c Check) bufferLine() string {
	most := 0.0
	for _, w := range []*diagnose.Way{c.Path.Down, c.Path.Up} {
		if w != nil {
			most = max(most, w.Capacity)
		}
	}
	if c.Near.TCPWmem[2] == 0 || most == 0 {
		return ""
	}
	return fmt.Sprintf("buffers: send ≤ %s, receive ≤ %s; the path holds %s",
		unit.Size(c.Near.TCPWmem[2]).Human(), unit.Size(c.Near.TCPRmem[2]).Human(), unit.Size(most/8*c.Path.RTT).Human())
}

// sparkColumns is the width of a rate's drawing.
const sparkColumns = 24

func (c Check) directionLines(b *strings.Builder, s Style, d record.Direction, width int) {
	one, many := c.transfer(d, false), c.transfer(d, true)
	if one == nil {
		return
	}
	top := peak(one, sparkColumns)
	fmt.Fprintf(b, "  %-9s %-9s %12s  %s\n", directionWords[d], "1 stream",
		unit.BitRate(one.SteadyRate).Human(), sparkline(one, sparkColumns, top))
	if many != nil {
		fmt.Fprintf(b, "  %-9s %-9s %12s  %s\n", "", fmt.Sprintf("%d streams", many.Streams),
			unit.BitRate(many.SteadyRate).Human(), sparkline(many, sparkColumns, peak(many, sparkColumns)))
	}
	if rungs := c.ladder(d); len(rungs) > 0 {
		var steps []string
		for _, r := range rungs {
			loss := float64(r.UDP.Lost) / float64(r.UDP.Packets)
			steps = append(steps, fmt.Sprintf("%s %s", unit.BitRate(r.UDP.Sent).Human(), unit.Ratio(loss).Human()))
		}
		for i, line := range wrapItems(steps, width-23) {
			label := ""
			if i == 0 {
				label = "UDP lost"
			}
			fmt.Fprintf(b, "  %-9s %-9s %s\n", "", label, s.paint(dim, line))
		}
	}
}

// wrapItems joins items with commas into lines of at most width columns.
func wrapItems(items []string, width int) []string {
	var lines []string
	line := ""
	for _, item := range items {
		switch {
		case line == "":
			line = item
		case len([]rune(line))+2+len([]rune(item)) > width:
			lines = append(lines, line+",")
			line = item
		default:
			line += ", " + item
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

func (c Check) verdictLines(b *strings.Builder, s Style, width int) {
	lead, where := c.leading()
	code := red
	switch lead.Cause {
	case diagnose.Healthy:
		code = green
	case diagnose.Unclear:
		code = yellow
	}
	var ways []string
	for _, d := range where {
		ways = append(ways, directionWords[d])
	}
	fmt.Fprintf(b, "\n%s  %s\n", s.paint(code, strings.ToUpper(string(lead.Cause))), plain[lead.Cause])
	if len(ways) > 0 {
		fmt.Fprintln(b, s.paint(dim, fmt.Sprintf("%s; %.0f %% sure", strings.Join(ways, " and "), lead.Confidence*100)))
	}
	fmt.Fprintln(b)
	for _, line := range wrap(lead.Summary, width-2) {
		fmt.Fprintln(b, "  "+line)
	}
	if len(lead.Evidence) > 0 {
		fmt.Fprintln(b)
	}
	for _, e := range lead.Evidence {
		fmt.Fprintf(b, "  %-48s %14s\n", e.What, figure(e))
		if e.Source != "" {
			for _, line := range wrap("("+e.Source+")", width-4) {
				fmt.Fprintln(b, s.paint(dim, "    "+line))
			}
		}
	}
	c.remedyLines(b, s, lead, width)
	if c.Proof != "" {
		fmt.Fprintf(b, "\n  Proof: %s\n", c.Proof)
	}
	for _, f := range c.others() {
		fmt.Fprintf(b, "\n%s %s (%s): ", s.paint(yellow, "also"), f.Cause, directionWords[f.Direction])
		for i, line := range wrap(f.Summary, width-6) {
			if i == 0 {
				fmt.Fprintln(b)
			}
			fmt.Fprintln(b, "  "+line)
		}
	}
}

func (c Check) remedyLines(b *strings.Builder, s Style, f diagnose.Finding, width int) {
	if len(f.Remedies) == 0 {
		return
	}
	fmt.Fprintln(b)
	for i, r := range f.Remedies {
		for j, line := range wrap(remedyWords(r), width-5) {
			lead := "   "
			if j == 0 {
				lead = fmt.Sprintf("%d. ", i+1)
			}
			fmt.Fprintln(b, "  "+lead+line)
		}
		if r.Command != "" {
			fmt.Fprintln(b, "       "+s.paint(bold, r.Command))
		}
	}
}

// remedyWords puts the host on which a remedy belongs in front of it.
func remedyWords(r diagnose.Remedy) string {
	switch {
	case r.Where == diagnose.Network:
		return "In the network: " + r.What
	case r.Host == "near":
		return fmt.Sprintf("Here (the %s): %s", r.Where, r.What)
	case r.Host == "far":
		return fmt.Sprintf("On the far host (the %s): %s", r.Where, r.What)
	}
	return r.What
}

func (c Check) noteLines(b *strings.Builder, s Style, width int) {
	note := func(label, text string) {
		for i, line := range wrap(label+": "+text, width) {
			if i > 0 {
				line = "  " + line
			}
			fmt.Fprintln(b, s.paint(dim, line))
		}
	}
	fmt.Fprintln(b)
	for _, w := range c.Warnings {
		note("warning", w)
	}
	for _, skip := range c.leftOut() {
		note("left out", skip)
	}
	if c.Error != "" {
		note("incomplete", c.Error)
	}
	if c.Record != "" {
		note("record", c.Record+" (unchoke record show "+c.Record+")")
	}
}
