package prom

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"unchoke/internal/live"
)

// set is one set of labels with its series.
type set struct {
	labels
	seen time.Time // when a flow last had these labels

	sent, received                      prometheus.Counter
	segments, retransmits, spurious     prometheus.Counter
	app, window, buffer, network        prometheus.Counter
	timeouts, flows                     prometheus.Counter
	rtt, jitter, sentRate, receivedRate prometheus.Observer
}

func newSet(m *metrics, l labels, now time.Time) *set {
	plain := l.values()
	return &set{
		labels: l, seen: now,
		sent: m.bytes.WithLabelValues(l.values(sent)...), received: m.bytes.WithLabelValues(l.values(received)...),
		segments: m.segments.WithLabelValues(plain...), retransmits: m.retransmits.WithLabelValues(plain...), spurious: m.spurious.WithLabelValues(plain...),
		app: m.limited.WithLabelValues(l.values("app")...), window: m.limited.WithLabelValues(l.values("receive_window")...),
		buffer: m.limited.WithLabelValues(l.values("send_buffer")...), network: m.limited.WithLabelValues(l.values("network")...),
		timeouts: m.timeouts.WithLabelValues(plain...), flows: m.flows.WithLabelValues(plain...),
		rtt: m.rtt.WithLabelValues(plain...), jitter: m.jitter.WithLabelValues(plain...),
		sentRate: m.rate.WithLabelValues(l.values(sent)...), receivedRate: m.rate.WithLabelValues(l.values(received)...),
	}
}

// add counts what a flow did since it was last seen.
func (s *set) add(f *live.Flow, by totals, first bool) {
	if first {
		s.flows.Inc()
	}
	if by == (totals{elapsed: by.elapsed}) {
		return // most flows are idle most of the time
	}
	s.sent.Add(by.sent)
	s.received.Add(by.received)
	s.segments.Add(by.segments)
	s.retransmits.Add(by.retransmits)
	s.spurious.Add(by.needless)
	s.timeouts.Add(by.timeouts)
	s.window.Add(by.window)
	s.buffer.Add(by.buffer)
	// Linux counts time limited by the window or the buffer as busy, too.
	s.network.Add(max(0, by.busy-by.window-by.buffer))
	if by.segments > 0 {
		s.app.Add(max(0, by.elapsed-by.busy))
	}
	if by.sent == 0 && by.received == 0 {
		return
	}
	if f.RTT > 0 {
		s.rtt.Observe(f.RTT)
	}
	if f.Jitter > 0 {
		s.jitter.Observe(f.JitterRatio)
	}
	if f.SentRate > 0 {
		s.sentRate.Observe(f.SentRate / 8)
	}
	if f.ReceivedRate > 0 {
		s.receivedRate.Observe(f.ReceivedRate / 8)
	}
}
