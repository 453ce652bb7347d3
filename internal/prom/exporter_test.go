package prom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
)

var options = Options{Version: "test", Ephemeral: [2]uint16{32768, 60999}}

// values are the exporter's series by name and labels; of a histogram, how much
// it observed.
func values(t testing.TB, e *Exporter) map[string]float64 {
	t.Helper()
	families, err := e.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			parts := []string{family.GetName()}
			for _, l := range m.GetLabel() {
				parts = append(parts, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			key := strings.Join(parts, " ")
			switch family.GetType() {
			case dto.MetricType_COUNTER:
				all[key] = m.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				all[key] = m.GetGauge().GetValue()
			case dto.MetricType_HISTOGRAM:
				all[key+" count"] = float64(m.GetHistogram().GetSampleCount())
				all[key+" sum"] = m.GetHistogram().GetSampleSum()
			default:
				t.Fatalf("%s is a %v", key, family.GetType())
			}
		}
	}
	return all
}

// one is a flow that cubic carries for a web server.
func one(id string, change func(*live.Flow)) live.Flow {
	f := live.Flow{
		ID: id, Local: netip.MustParseAddrPort("192.0.2.1:443"), Remote: netip.MustParseAddrPort("192.0.2.2:51000"),
		CC: "cubic", Unit: "nginx.service", Verdict: "healthy", Timeouts: -1,
	}
	if change != nil {
		change(&f)
	}
	return f
}

const nginx = ` algorithm="cubic" service_port="443" unit="nginx.service"`

func at(second int, flows ...live.Flow) *live.Snapshot {
	return &live.Snapshot{Time: livetest.Start.Add(time.Duration(second) * time.Second), Interval: 1, Flows: flows}
}

// A flow adds what it grew by: from its beginning where that was seen, until its
// last figures, once; not again when it comes back from behind a filter.
func TestGrowth(t *testing.T) {
	const counter = "unchoke_tcp_bytes_total algorithm=\"cubic\" direction=\"sent\" service_port=\"443\" unit=\"nginx.service\""
	sent := func(id string, bytes uint64, change func(*live.Flow)) live.Flow {
		return one(id, func(f *live.Flow) {
			f.Sent = bytes
			if change != nil {
				change(f)
			}
		})
	}
	whole := func(f *live.Flow) { f.Whole, f.Age = true, 0.5 }
	closed := func(f *live.Flow) { f.Closed = true }
	e := New(options)
	for i, c := range []struct {
		snapshot *live.Snapshot
		want     float64
	}{
		{at(0, sent("old", 1000, nil)), 0},
		{at(1, sent("old", 1500, nil), sent("new", 70, whole)), 570},
		{at(2, sent("old", 1400, nil), sent("new", 70, nil)), 570}, // a figure that went back
		{at(3, sent("old", 1600, nil)), 670},
		{at(4, sent("old", 1600, nil), sent("new", 100, closed)), 700},
		{at(5, sent("new", 100, closed)), 700}, // shown once more
		{at(6), 700},
		{at(90, sent("old", 2000, nil)), 1100}, // out of sight, not gone
		{at(700), 1100},
		{at(800, sent("old", 9000, func(f *live.Flow) { f.Whole, f.Age = true, 900 })), 1100}, // forgotten, so not from its beginning
		{at(801, sent("old", 9001, nil)), 1101},
	} {
		e.Observe(c.snapshot)
		if got := values(t, e)[counter]; got != c.want {
			t.Fatalf("after snapshot %d %v bytes, want %v", i, got, c.want)
		}
	}
}

func TestFiguresOfAFlow(t *testing.T) {
	e := New(options)
	e.Observe(at(0, one("a", nil)))
	e.Observe(at(1, one("a", func(f *live.Flow) {
		f.SentRate, f.ReceivedRate, f.Sent, f.Received = 8e6, 0, 1e6, 0
		f.Segments, f.Retransmits, f.Spurious, f.Timeouts = 700, 7, 2, 1
		f.Busy, f.WindowLimited, f.BufferLimited = 0.75, 0.25, 0.125
		f.RTT, f.Jitter, f.JitterRatio = 0.05, 0.01, 0.2
		f.Verdict, f.Warnings = "loss-limited", []live.Warning{live.ChaosZone, live.ChaosZone}
	})))
	got := values(t, e)
	for key, want := range map[string]float64{
		"unchoke_tcp_segments_sent_total" + nginx:                                                                               700,
		"unchoke_tcp_segments_retransmitted_total" + nginx:                                                                      7,
		"unchoke_tcp_spurious_retransmits_total" + nginx:                                                                        2,
		"unchoke_tcp_timeouts_total" + nginx:                                                                                    1,
		"unchoke_tcp_flows_seen_total" + nginx:                                                                                  1,
		"unchoke_tcp_rtt_seconds" + nginx + " count":                                                                            1,
		"unchoke_tcp_rtt_seconds" + nginx + " sum":                                                                              0.05,
		"unchoke_tcp_jitter_rtt_ratio" + nginx + " sum":                                                                         0.2,
		`unchoke_tcp_limited_seconds_total algorithm="cubic" limit="app" service_port="443" unit="nginx.service"`:               0.25,
		`unchoke_tcp_limited_seconds_total algorithm="cubic" limit="receive_window" service_port="443" unit="nginx.service"`:    0.25,
		`unchoke_tcp_limited_seconds_total algorithm="cubic" limit="send_buffer" service_port="443" unit="nginx.service"`:       0.125,
		`unchoke_tcp_limited_seconds_total algorithm="cubic" limit="network" service_port="443" unit="nginx.service"`:           0.375,
		`unchoke_tcp_flow_rate_bytes_per_second algorithm="cubic" direction="sent" service_port="443" unit="nginx.service" sum`: 1e6,
		`unchoke_tcp_flows algorithm="cubic" service_port="443" unit="nginx.service" verdict="loss-limited"`:                    1,
		`unchoke_tcp_warned_flows algorithm="cubic" service_port="443" unit="nginx.service" warning="chaos-zone"`:               1,
		"unchoke_watch_snapshots_total":                                                                                         2,
	} {
		if math.Abs(got[key]-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", key, got[key], want)
		}
	}
	for key := range got {
		if key == `unchoke_tcp_flows algorithm="cubic" service_port="443" unit="nginx.service" verdict="healthy"` {
			t.Error("a verdict that no flow has any more is still exported")
		}
	}
	// An idle flow is not observed again.
	e.Observe(at(2, one("a", func(f *live.Flow) { f.RTT, f.Sent = 0.05, 1e6 })))
	if n := values(t, e)["unchoke_tcp_rtt_seconds"+nginx+" count"]; n != 1 {
		t.Errorf("%v observations", n)
	}
}

// Whatever flows come and go, no counter goes back.
func TestCountersNeverGoBack(t *testing.T) {
	source := livetest.NewSource(300, 1)
	o := options
	o.Sets, o.Top = 4, 3
	e := New(o)
	before := map[string]float64{}
	for range 60 {
		s, err := source.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e.Observe(s)
		now := values(t, e)
		for key, was := range before {
			if is, there := now[key]; isCounter(key) && (!there || is < was) {
				t.Fatalf("%s went from %v to %v", key, was, is)
			}
		}
		before = now
	}
	var bytes float64
	for key, v := range before {
		if len(key) > 23 && key[:23] == "unchoke_tcp_bytes_total" {
			bytes += v
		}
	}
	if bytes == 0 {
		t.Error("nothing was counted")
	}
}

func isCounter(key string) bool {
	for i := range key {
		if key[i] == ' ' {
			return i > 6 && key[i-6:i] == "_total"
		}
	}
	return false
}

// The sets are bounded, and which there are does not depend on the order in
// which a snapshot has its flows.
func TestBound(t *testing.T) {
	var flows []live.Flow
	for port := range 400 {
		for n := range 1 + port%3 {
			flows = append(flows, one(fmt.Sprint(port, "-", n), func(f *live.Flow) {
				f.Local = netip.AddrPortFrom(f.Local.Addr(), uint16(1000+port))
				f.CC = []string{"bbr", "cubic", "reno", "vegas"}[port%4]
				f.Whole, f.Sent = true, 1000
			}))
		}
	}
	o := options
	o.Sets = 10
	run := func(flows []live.Flow) map[string]float64 {
		e := New(o)
		e.Observe(at(0, flows...))
		all := values(t, e)
		for key := range all {
			if len(key) > 8 && key[:8] == "process_" {
				delete(all, key)
			}
		}
		return all
	}
	want := run(flows)
	if n := want["unchoke_watch_label_sets"]; n != 10 {
		t.Errorf("%v sets", n)
	}
	if len(want) > (10+4)*20+10 {
		t.Errorf("%d series", len(want))
	}
	var sum float64
	for key, v := range want {
		if len(key) > 23 && key[:23] == "unchoke_tcp_bytes_total" {
			sum += v
		}
	}
	if sum != float64(1000*len(flows)) {
		t.Errorf("%v bytes of %d flows: some were not counted", sum, len(flows))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(flows), func(i, j int) { flows[i], flows[j] = flows[j], flows[i] })
	got := run(flows)
	for key := range want {
		if got[key] != want[key] {
			t.Errorf("%s: %v in another order, %v before", key, got[key], want[key])
		}
	}
}

// A set without flows gives its place up after an hour, not before.
func TestPlaces(t *testing.T) {
	o := options
	o.Sets = 1
	e := New(o)
	second := func(f *live.Flow) { f.Unit = "second.service" }
	const series = `unchoke_tcp_flows_seen_total algorithm="cubic" service_port="443" unit="second.service"`
	e.Observe(at(0, one("a", nil)))
	e.Observe(at(3599, one("b", second)))
	if _, there := values(t, e)[series]; there {
		t.Error("a set lost its place early")
	}
	e.Observe(at(3600, one("c", second)))
	now := values(t, e)
	if now[series] != 1 {
		t.Error("an idle set keeps its place")
	}
	if _, there := now["unchoke_tcp_flows_seen_total"+nginx]; there {
		t.Error("the idle set's series are still there")
	}
}

func TestTop(t *testing.T) {
	o := options
	o.Top = 2
	e := New(o)
	flow := func(id string, rate float64) live.Flow {
		return one(id, func(f *live.Flow) { f.SentRate, f.Process = rate, livetest.HostileProcess })
	}
	e.Observe(at(0, flow("a", 800), flow("b", 8000), flow("c", 0), flow("d", 8000)))
	got := map[string]float64{}
	for key, v := range values(t, e) {
		var id string
		if _, err := fmt.Sscanf(key, `unchoke_tcp_top_flow_rate_bytes_per_second algorithm="cubic" direction="sent" flow=%q`, &id); err == nil {
			got[id] = v
		}
	}
	if len(got) != 2 || got["b"] != 1000 || got["d"] != 1000 {
		t.Errorf("%v", got)
	}
}

func BenchmarkObserve(b *testing.B) {
	flows := livetest.Flows(10000, 1)
	e := New(options)
	for i := 0; b.Loop(); i++ {
		e.Observe(at(i, flows...))
	}
}
