package tui

import (
	"fmt"
	"math"
	"strings"

	"unchoke/internal/report/render"
)

var nan = math.NaN()

func known32(v uint32) float64 { return known(float32(v)) }

// limitLines are what held the sender back, as a stacked bar with its key.
func (m model) limitLines() []string {
	l := m.page.flow.Limits
	names := []string{"app", "receive window", "send buffer", "network"}
	letters := []string{"A", "R", "S", "N"}
	shares := []float64{l.App, l.ReceiveWindow, l.SendBuffer, l.Network}
	width := min(m.width-chartName-chartValue-2, mostChart)
	if width < leastChart {
		width = max(m.width-chartName-2, 1)
	}
	var bar, key strings.Builder
	used := 0
	for i, n := range stacked(shares, width) {
		bar.WriteString(m.styles.limits[i].Render(strings.Repeat(letters[i], n)))
		used += n
	}
	bar.WriteString(m.styles.faint.Render(strings.Repeat("·", width-used)))
	var parts []string
	for i, name := range names {
		if shares[i] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s %s", letters[i], name, render.Ratio(shares[i])))
		}
	}
	switch {
	case len(parts) > 0:
	case m.page.flow.ReceivedLately > m.page.flow.SentLately:
		parts = []string{"the far host sends, and knows"}
	default:
		parts = []string{"nothing held the sender back lately"}
	}
	if m.width-chartName-chartValue-2 < leastChart {
		key.WriteString(fitting(strings.Repeat(" ", chartName), "  ", m.width, parts))
		return []string{m.styles.bold.Render(left("limits", chartName)) + bar.String(), key.String()}
	}
	head := m.styles.bold.Render(left("limits", chartName)) + left("lately", chartValue) + "│" + bar.String() + "│"
	return []string{head, fitting(strings.Repeat(" ", chartName+chartValue+1), "   ", m.width, parts)}
}

// figureLines are everything else that is known of the flow.
func (m model) figureLines() []string {
	f := m.page.flow
	size := func(v uint32) string {
		if v == 0 {
			return "not known"
		}
		return render.Size(float64(v))
	}
	rate := func(v float64) string {
		if v == 0 {
			return "not known"
		}
		return render.Rate(v)
	}
	count := func(v uint64) string { return render.Count(float64(v)) }
	timeouts := "not known"
	if f.Timeouts >= 0 {
		timeouts = count(uint64(f.Timeouts))
	}
	return m.pairLines([][2]string{
		{"sent since it began", render.Size(float64(f.Sent))},
		{"received since it began", render.Size(float64(f.Received))},
		{"segments sent", count(f.Segments)},
		{"sent again", count(f.Retransmits)},
		{"of these needlessly", count(f.Spurious)},
		{"marked by queues (ECN), lately", render.Ratio(f.MarkedRatio)},
		{"timeouts", timeouts},
		{"reordering events", count(f.Reordered)},
		{"received out of order", count(f.OutOfOrder)},
		{"rate's variation (CV), lately", render.Ratio(f.RateCV)},
		{"stalled, lately", render.Time(f.Stalled)},
		{"delivery rate", rate(f.DeliveryRate)},
		{"pacing rate", rate(f.PacingRate)},
		{"pacing limit", rate(f.MaxPacing)},
		{"unacknowledged", render.Plural(int(f.Unacked), "segment")},
		{"not sent yet", render.Size(float64(f.NotSent))},
		{"not read yet", render.Size(float64(f.RecvQueue))},
		{"send buffer", size(f.SendBuffer)},
		{"receive buffer", size(f.RecvBuffer)},
		{"peer's window", size(f.SendWindow)},
		{"own window", size(f.RecvWindow)},
		{"segment, path MTU", fmt.Sprintf("%d, %d bytes", f.SegmentSize, f.PMTU)},
	})
}

// pairLines writes names with their figures, in as many columns as there is room
// for.
func (m model) pairLines(pairs [][2]string) []string {
	if len(pairs) == 0 {
		return nil
	}
	const indent, between = 2, 3
	name, value := 0, 0
	for _, p := range pairs {
		name, value = max(name, columns(p[0])), max(value, columns(p[1]))
	}
	name = min(name, max(m.width-indent-value-between, 8))
	one := name + 2 + value
	across := max((m.width-indent+between)/(one+between), 1)
	down := (len(pairs) + across - 1) / across
	lines := make([]string, down)
	for i := range lines {
		var line strings.Builder
		line.WriteString(strings.Repeat(" ", indent))
		for j := i; j < len(pairs); j += down {
			if j > i {
				line.WriteString(strings.Repeat(" ", between))
			}
			line.WriteString(left(pairs[j][0], name) + "  " + left(pairs[j][1], value))
		}
		lines[i] = strings.TrimRight(cut(line.String(), m.width), " ")
	}
	return lines
}
