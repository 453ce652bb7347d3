package prom

import (
	"github.com/prometheus/client_golang/prometheus"
)

const (
	sent     = "sent"
	received = "received"
)

// metrics are what is exported, but for what is of the last snapshot alone.
type metrics struct {
	bytes, segments, retransmits, spurious *prometheus.CounterVec
	limited, timeouts, flows               *prometheus.CounterVec
	rtt, jitter, rate                      *prometheus.HistogramVec

	snapshots, short, lost       prometheus.Counter
	lastSnapshot, interval, sets prometheus.Gauge
	version                      *prometheus.GaugeVec
}

// byLabels are the names of labels.values.
var byLabels = []string{"service_port", "unit", "algorithm"}

// An observation is made for each flow and interval in which the flow moved
// data: a slow flow counts as much as a fast one, and one that lasts longer
// counts more often.
const observed = " Observed once for each flow and interval in which the flow moved data."

func newMetrics() *metrics {
	counter := func(name, help string, more ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "unchoke_tcp_" + name, Help: help}, append(append([]string(nil), byLabels...), more...))
	}
	histogram := func(name, help string, buckets []float64, more ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "unchoke_tcp_" + name, Help: help + observed, Buckets: buckets,
			// A native bucket is at most 10 % wider than the one before; 160 of them
			// are 20 powers of two.
			NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160,
		}, append(append([]string(nil), byLabels...), more...))
	}
	own := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Name: "unchoke_watch_" + name, Help: help}
	}
	return &metrics{
		bytes:       counter("bytes_total", "Payload that the peers acknowledged (sent) or that arrived in order (received).", "direction"),
		segments:    counter("segments_sent_total", "Segments of data sent, retransmitted ones among them."),
		retransmits: counter("segments_retransmitted_total", "Segments sent again."),
		spurious:    counter("spurious_retransmits_total", "Segments sent again that the receiver had already, as its duplicate SACKs say."),
		limited: counter("limited_seconds_total", "Flow-seconds by what limited the sender: the peer's receive window, the send buffer, the network (its congestion window or pacing), "+
			"or app: nothing to send, counted in intervals in which the flow sent.", "limit"),
		timeouts: counter("timeouts_total", "Retransmission timeouts. Kernels before 6.7 do not tell."),
		flows:    counter("flows_seen_total", "Flows that were seen, by the labels they were first seen with."),

		rtt: histogram("rtt_seconds", "Smoothed round-trip time; of a flow that only receives, the receiver's estimate.",
			[]float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .3, .5, 1}),
		jitter: histogram("jitter_rtt_ratio", "Jitter (standard deviation of the delay, estimated) over the round-trip time, of the last 30 s.",
			[]float64{.01, .02, .05, .1, .15, .2, .3, .5, 1}),
		// 100 kbit/s to 10 Gbit/s.
		rate: histogram("flow_rate_bytes_per_second", "Payload that a flow delivered over the interval, also where the program had no more to send.",
			[]float64{12500, 125000, 312500, 625000, 1.25e6, 3.125e6, 6.25e6, 1.25e7, 3.125e7, 6.25e7, 1.25e8, 1.25e9}, "direction"),

		snapshots:    prometheus.NewCounter(own("snapshots_total", "Looks at all connections.")),
		short:        prometheus.NewCounter(own("short_flows_total", "Flows that began and ended between two looks; they are counted like all others.")),
		lost:         prometheus.NewCounter(own("lost_events_total", "Flows whose end the kernel could not report: flows that lived between two looks may be missing.")),
		lastSnapshot: prometheus.NewGauge(prometheus.GaugeOpts{Name: "unchoke_watch_last_snapshot_timestamp_seconds", Help: "When the last look was taken."}),
		interval:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "unchoke_watch_interval_seconds", Help: "Time between the last two looks."}),
		sets:         prometheus.NewGauge(prometheus.GaugeOpts{Name: "unchoke_watch_label_sets", Help: "Sets of labels that have series of their own; further ones are counted as other."}),
		version:      prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "unchoke_build_info", Help: "1, by the program's version."}, []string{"version"}),
	}
}

// all is what a registry takes.
func (m *metrics) all() []prometheus.Collector {
	return []prometheus.Collector{
		m.bytes, m.segments, m.retransmits, m.spurious, m.limited, m.timeouts, m.flows, m.rtt, m.jitter, m.rate,
		m.snapshots, m.short, m.lost, m.lastSnapshot, m.interval, m.sets, m.version,
	}
}

// remove takes a set's series away.
func (m *metrics) remove(l labels) {
	match := prometheus.Labels{}
	for i, value := range l.values() {
		match[byLabels[i]] = value
	}
	for _, vec := range []*prometheus.CounterVec{m.bytes, m.segments, m.retransmits, m.spurious, m.limited, m.timeouts, m.flows} {
		vec.DeletePartialMatch(match)
	}
	for _, vec := range []*prometheus.HistogramVec{m.rtt, m.jitter, m.rate} {
		vec.DeletePartialMatch(match)
	}
}
