// Package prom gives what is seen of a host's connections to Prometheus: counters,
// histograms and gauges that are made of snapshots (package live), and the HTTP
// handler that a server scrapes.
//
// No series is of one flow: a flow's address and process would make as many
// series as a host has had connections. Flows are added up by the port of the
// service, systemd's unit and the congestion control; how many such sets of
// labels there are is bounded, and what is beyond goes into one that is called
// other. The fastest flows one by one are there for who asks (Options.Top).
package prom

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"unchoke/internal/live"
)

// DefaultSets is how many sets of labels there are at most where nothing else is
// asked for. Each has at most 68 series beside those by verdict and warning: 100
// of them are as much as two node exporters.
const DefaultSets = 100

// Options are what an exporter needs to know.
type Options struct {
	Version string // this program's
	// Ephemeral is the range of ports that this host gives to connections which
	// it opens (net.ipv4.ip_local_port_range), both included: none of them names
	// a service.
	Ephemeral [2]uint16
	Sets      int // the most sets of labels; 0: DefaultSets
	Top       int // as many of the fastest flows get series of their own
}

// Exporter adds up snapshots. Its methods may be called from any goroutine.
type Exporter struct {
	options  Options
	registry *prometheus.Registry
	metrics  *metrics

	mu     sync.Mutex
	labels *labeller
	sets   *sets
	past   past
	lost   int64 // of the last snapshot
	now    *present
}

// New returns an exporter that has seen nothing.
func New(o Options) *Exporter {
	if o.Sets <= 0 {
		o.Sets = DefaultSets
	}
	e := &Exporter{options: o, registry: prometheus.NewRegistry(), metrics: newMetrics(), labels: newLabeller(o.Ephemeral), past: past{}, now: &present{}}
	e.sets = newSets(o.Sets, e.metrics)
	e.metrics.version.WithLabelValues(o.Version).Set(1)
	e.registry.MustRegister(e.metrics.all()...)
	e.registry.MustRegister(e, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return e
}

// Observe adds a snapshot.
func (e *Exporter) Observe(s *live.Snapshot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	keys := make([]labels, len(s.Flows))
	for i := range s.Flows {
		keys[i] = e.labels.of(&s.Flows[i])
	}
	e.sets.admit(keys, s.Time)
	now := newPresent()
	for i := range s.Flows {
		f := &s.Flows[i]
		set := e.sets.of(keys[i])
		grown, first := e.past.grow(f, s)
		set.add(f, grown, first)
		now.add(f, set.labels)
	}
	e.past.forget(s.Time)
	now.rank(s.Flows, keys, e.options.Top)
	e.now = now

	m := e.metrics
	m.snapshots.Inc()
	m.lastSnapshot.Set(float64(s.Time.UnixNano()) / float64(time.Second))
	m.interval.Set(s.Interval)
	m.short.Add(float64(max(0, s.Short)))
	m.lost.Add(float64(max(0, s.LostEvents-e.lost)))
	e.lost = max(e.lost, s.LostEvents)
	m.sets.Set(float64(len(e.sets.named)))
}
