package trial

import (
	"math"
	"reflect"
	"testing"
	"time"

	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// steady is a stream of so many bytes a second for ten seconds, of which the
// first brought nothing.
func steady(rate float64) record.Series {
	s := record.Series{Sender: true}
	for i := range 101 {
		at := float64(i) / 10
		bytes := uint64(max(0, at-1) * rate)
		s.Samples = append(s.Samples, record.Sample{
			At: at, Bytes: int64(bytes) + 1e6, // written, and not all arrived
			Info: tcpinfo.Info{Length: 232, BytesAcked: bytes, RTT: 30 * time.Millisecond, MinRTT: 20 * time.Millisecond, SndMSS: 1448},
		})
	}
	return s
}

func TestTrial(t *testing.T) {
	beside := &outcome{from: 2, to: 10, series: []record.Series{steady(500)}, cc: "cubic"}
	o := outcome{
		from: 2, to: 10, series: []record.Series{steady(1000), steady(3000)},
		cc: "bbr", retransmits: 7, cpuNear: 0.95, cpuFar: 0.1, neighbor: beside,
	}
	got := o.trial(probesOf(19, 40, 0, 40, 60, 40))
	want := record.Trial{
		Duration: 8, Rate: 32000, Bytes: 32000, CC: "bbr", Retransmits: 7, MSS: 1448,
		RTTMin: 0.019, RTTLoad: 0.04, RTTP95: 0.056,
		CPUNear: 0.95, CPUFar: 0.1, Neighbor: &record.Neighbor{CC: "cubic", Rate: 4000},
		Warnings: []string{"a core of this host was more than 90 % busy: the rate may be the core's limit"},
	}
	got.RTTP95 = math.Round(got.RTTP95*1e6) / 1e6
	got.Rate, got.Neighbor.Rate = math.Round(got.Rate), math.Round(got.Neighbor.Rate)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}

	// Too few echoes: TCP's own round trips.
	if got := o.trial(probesOf(19, 40, 0)); got.RTTLoad != 0.03 || got.RTTMin != 0.019 {
		t.Errorf("RTT %g under load, at least %g", got.RTTLoad, got.RTTMin)
	}
}

// Two runs beside each other count where both ran.
func TestShorten(t *testing.T) {
	start := time.Now()
	a := outcome{start: start, from: 1, to: 5}
	b := outcome{start: start.Add(300 * time.Millisecond), from: 1, to: 5}
	a.shorten(b.since(), b.until())
	b.shorten(a.since(), a.until())
	if math.Abs(a.from-1.3) > 1e-9 || a.to != 5 || b.from != 1 || math.Abs(b.to-4.7) > 1e-9 {
		t.Errorf("%g to %g and %g to %g", a.from, a.to, b.from, b.to)
	}
	if d := a.since().Sub(b.since()); d > time.Microsecond || d < -time.Microsecond {
		t.Errorf("one counts %v before the other", d)
	}
}

func TestNothingArrived(t *testing.T) {
	o := outcome{from: 2, to: 2, series: []record.Series{steady(1000)}}
	if got := o.trial(nil); got.Rate != 0 || got.Bytes != 0 {
		t.Errorf("%+v", got)
	}
}
