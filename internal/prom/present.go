package prom

import (
	"cmp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"unchoke/internal/live"
	"unchoke/internal/report/render"
)

// present is what is exported of the last snapshot alone.
type present struct {
	verdicts, warnings map[standing]int
	top                []topFlow
}

// standing is a set of labels with a verdict or a warning.
type standing struct {
	labels
	word string
}

// topFlow is one of the fastest flows.
type topFlow struct {
	flow *live.Flow
	labels
}

func newPresent() *present {
	return &present{verdicts: map[standing]int{}, warnings: map[standing]int{}}
}

func (p *present) add(f *live.Flow, l labels) {
	if f.Closed {
		return
	}
	p.verdicts[standing{l, string(cmp.Or(f.Verdict, live.Watching))}]++
	for i, w := range f.Warnings {
		if !slices.Contains(f.Warnings[:i], w) {
			p.warnings[standing{l, string(w)}]++
		}
	}
}

// rank keeps the n fastest flows, which are among those that move data.
func (p *present) rank(flows []live.Flow, keys []labels, n int) {
	for i := range flows {
		if rate, _ := flows[i].Busier(); n > 0 && rate > 0 && !flows[i].Closed {
			p.top = append(p.top, topFlow{&flows[i], keys[i]})
		}
	}
	slices.SortFunc(p.top, func(a, b topFlow) int {
		x, _ := a.flow.Busier()
		y, _ := b.flow.Busier()
		return cmp.Or(cmp.Compare(y, x), strings.Compare(a.flow.ID, b.flow.ID))
	})
	p.top = p.top[:min(n, len(p.top))]
}

var (
	verdictFlows = prometheus.NewDesc("unchoke_tcp_flows", "Flows that are open, by verdict.", append(append([]string(nil), byLabels...), "verdict"), nil)
	warnedFlows  = prometheus.NewDesc("unchoke_tcp_warned_flows", "Flows that are open and have a warning; a flow may have several.", append(append([]string(nil), byLabels...), "warning"), nil)

	byFlow         = append([]string{"flow", "remote", "process"}, byLabels...)
	topRate        = prometheus.NewDesc("unchoke_tcp_top_flow_rate_bytes_per_second", "Payload of one of the fastest flows over the last interval.", append(append([]string(nil), byFlow...), "direction"), nil)
	topRTT         = prometheus.NewDesc("unchoke_tcp_top_flow_rtt_seconds", "Smoothed round-trip time of one of the fastest flows.", byFlow, nil)
	topRetransmits = prometheus.NewDesc("unchoke_tcp_top_flow_retransmit_ratio", "Share of its segments that one of the fastest flows sent again, over the last 30 s.", byFlow, nil)
)

// Describe implements prometheus.Collector for what is of the last snapshot.
func (e *Exporter) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{verdictFlows, warnedFlows, topRate, topRTT, topRetransmits} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (e *Exporter) Collect(out chan<- prometheus.Metric) {
	e.mu.Lock()
	now := e.now
	e.mu.Unlock()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	for at, n := range now.verdicts {
		gauge(verdictFlows, float64(n), at.values(at.word)...)
	}
	for at, n := range now.warnings {
		gauge(warnedFlows, float64(n), at.values(at.word)...)
	}
	for _, t := range now.top {
		f := t.flow
		of := append([]string{f.ID, f.Remote.String(), printable(f.Process)}, t.values()...)
		gauge(topRate, f.SentRate/8, append(slices.Clone(of), sent)...)
		gauge(topRate, f.ReceivedRate/8, append(slices.Clone(of), received)...)
		gauge(topRTT, f.RTT, of...)
		gauge(topRetransmits, f.RetransmitRatio, of...)
	}
}

// printable is a text of somebody else as a label takes it: whole UTF-8 that
// draws nothing but itself.
func printable(s string) string {
	return render.Printable(strings.ToValidUTF8(s, "�"))
}
