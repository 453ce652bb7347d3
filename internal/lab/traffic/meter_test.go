package traffic

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"unchoke/tcpinfo"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// Bytes count that were read after the omitted time, over the time after it.
func TestRate(t *testing.T) {
	a := account{
		marks:   []mark{{500 * ms, 1000}, {sec, 2000}, {1500 * ms, 4000}, {3 * sec, 8000}},
		elapsed: 3 * sec,
	}
	for _, c := range []struct {
		omit    time.Duration
		bytes   int64
		elapsed time.Duration
		bits    float64
	}{
		{0, 15000, 3 * sec, 40_000},
		{sec, 12000, 2 * sec, 48_000}, // what was read at that instant was sent before
		{500 * ms, 14000, 2500 * ms, 44_800},
		{3 * sec, 0, 0, 0},
		{4 * sec, 0, -sec, 0}, // over before figures began
	} {
		bits, bytes, elapsed := a.rate(c.omit)
		if bits != c.bits || bytes != c.bytes || elapsed != c.elapsed {
			t.Errorf("after %v: %v bit/s, %d bytes in %v; want %v, %d in %v", c.omit, bits, bytes, elapsed, c.bits, c.bytes, c.elapsed)
		}
	}
}

// Counts are those since the omitted time, gaps those that end after it.
func TestResult(t *testing.T) {
	at := func(at, rtt time.Duration, cwnd uint32, inStats bool) look {
		return look{at: at, inStats: inStats, info: tcpinfo.Info{RTT: rtt, SndCwnd: cwnd}}
	}
	a := account{
		marks: []mark{{100 * ms, 10}, {900 * ms, 20}, {1100 * ms, 40}, {1110 * ms, 80}, {1130 * ms, 160}, {2 * sec, 320}},
		looks: []look{
			at(500*ms, 400*ms, 1, true), // omitted
			at(sec, 20*ms, 10, true),
			at(1250*ms, 900*ms, 99, false), // for the series alone
			at(1500*ms, 40*ms, 30, true),
			at(2*sec, 60*ms, 20, true),
		},
		first:   tcpinfo.Info{DataSegsOut: 100, TotalRetrans: 10, DSACKDups: 4, ReordSeen: 3, TotalRTO: 1},
		last:    tcpinfo.Info{Length: int(tcpinfo.FieldTotalRTO), DataSegsOut: 300, TotalRetrans: 15, DSACKDups: 6, ReordSeen: 10, TotalRTO: 2, MinRTT: 18 * ms},
		elapsed: 2 * sec, stalled: 70 * ms, cc: "bbr",
	}
	want := Result{
		Throughput: 600 * 8, Bytes: 600, Elapsed: sec,
		Segments: 200, Retransmits: 5, Spurious: 2, Reordering: 7, Timeouts: 1,
		MinRTT: 18 * ms, MeanRTT: 40 * ms, P95RTT: 60 * ms,
		MeanCwnd: 20, MinCwnd: 10, MaxCwnd: 30,
		GapP50: 20 * ms, GapP99: 870 * ms, GapMax: 870 * ms, // of 10, 20, 200 and 870 ms
		Stalled: 70 * ms, CC: "bbr",
	}
	if got := resultOf([]account{a}, sec); got != want {
		t.Errorf("one flow\n%+v, want\n%+v", got, want)
	}
	// Of several, rates and counts add; the least RTT and the longest time are
	// of any, and windows of all looks together.
	b := account{
		marks: []mark{{1200 * ms, 100}}, looks: []look{at(sec, 80*ms, 40, true)},
		last: tcpinfo.Info{DataSegsOut: 7, MinRTT: 5 * ms}, elapsed: 3 * sec, cc: "bbr",
	}
	want.Throughput, want.Bytes, want.Elapsed, want.Segments = want.Throughput+400, 700, 2*sec, 207
	want.MinRTT, want.MeanRTT, want.P95RTT, want.MeanCwnd, want.MaxCwnd = 5*ms, 50*ms, 80*ms, 25, 40
	if got := resultOf([]account{a, b}, sec); got != want {
		t.Errorf("two flows\n%+v, want\n%+v", got, want)
	}
}

// A flow of which nothing was seen gives no figures, and no division by zero.
func TestResultOfNothing(t *testing.T) {
	if got := resultOf([]account{{elapsed: sec, cc: "cubic"}}, 0); got != (Result{Elapsed: sec, CC: "cubic"}) {
		t.Errorf("%+v", got)
	}
	one := account{marks: []mark{{500 * ms, 125}}, elapsed: sec} // no gap has an end
	if got := resultOf([]account{one}, 0); got != (Result{Throughput: 1000, Bytes: 125, Elapsed: sec}) {
		t.Errorf("%+v", got)
	}
}

func TestQuantile(t *testing.T) {
	values := make([]time.Duration, 100)
	for i := range values {
		values[i] = time.Duration(i + 1)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	for p, want := range map[float64]time.Duration{0: 1, 0.01: 1, 0.5: 50, 0.501: 51, 0.95: 95, 0.99: 99, 1: 100} {
		if got := quantile(values, p); got != want {
			t.Errorf("of 1 to 100, %g is not above %d, want %d", p, got, want)
		}
	}
	if got := quantile([]time.Duration{7}, 0.99); got != 7 {
		t.Errorf("of one value: %d", got)
	}
}

// A sample has what its look saw, and the bytes read until then.
func TestSeries(t *testing.T) {
	info := tcpinfo.Info{
		SndCwnd: 10, SndSsthresh: 7, CAState: 3, RTT: 50 * ms, MinRTT: 49 * ms, Reordering: 3, ReordSeen: 2,
		DSACKDups: 1, TotalRetrans: 5, Lost: 4, Delivered: 100, PacingRate: 8000, BytesAcked: 12345,
	}
	got := seriesOf(account{
		marks: []mark{{100 * ms, 1}, {200 * ms, 2}, {201 * ms, 4}, {900 * ms, 8}},
		looks: []look{
			{at: 0, inSeries: true},
			{at: 150 * ms, inStats: true},
			{at: 200 * ms, inSeries: true, inStats: true, info: info},
			{at: 400 * ms, inSeries: true},
		},
	})
	want := []Sample{
		{},
		{
			At: 200 * ms, Cwnd: 10, Ssthresh: 7, State: 3, RTT: 50 * ms, MinRTT: 49 * ms, Reordering: 3, ReordSeen: 2,
			DSACKs: 1, Retrans: 5, Lost: 4, Delivered: 100, Pacing: 1000, Acked: 12345, Received: 3,
		},
		{At: 400 * ms, Received: 7},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("series\n%+v, want\n%+v", got, want)
	}
	if got := seriesOf(account{looks: []look{{inStats: true}}}); got != nil {
		t.Errorf("a series that nobody asked for: %v", got)
	}
}
