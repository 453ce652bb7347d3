package flow

import (
	"math"
	"slices"
	"testing"
	"time"

	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

const (
	ms  = time.Millisecond
	mss = 1448
)

// series takes n samples at equal distances, as a look at each time gives them.
func series(sender bool, every float64, n int, at func(t float64) (bytes int64, i tcpinfo.Info)) record.Series {
	s := record.Series{Sender: sender}
	for k := 1; k <= n; k++ {
		t := every * float64(k)
		bytes, i := at(t)
		if i.Length == 0 {
			i.Length = int(tcpinfo.FieldAccECN)
		}
		s.Samples = append(s.Samples, record.Sample{At: t, Bytes: bytes, Info: i})
	}
	return s
}

func seconds(t float64) time.Duration { return time.Duration(t * float64(time.Second)) }

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b), 1) }

// A sender that writes ahead has not delivered what it wrote.
func TestOf(t *testing.T) {
	s := series(true, 0.1, 50, func(t float64) (int64, tcpinfo.Info) {
		retrans := uint32(0)
		if t > 2.05 {
			retrans = 8
		}
		return int64(2e6 * t), tcpinfo.Info{
			BytesAcked: uint64(1e6 * t), SndMSS: mss, SndCwnd: 100, Unacked: 100, NotsentBytes: 1e6, SndWnd: 1 << 22,
			RTT: 50 * ms, MinRTT: 40 * ms, BusyTime: seconds(t), RwndLimited: seconds(t / 10),
			DataSegsOut: uint32(1e6 * t / mss), TotalRetrans: retrans, DSACKDups: retrans / 4, TotalRTO: uint16(retrans / 8),
		}
	})
	f := saidOf(s, Since(1), 0)
	if !near(f.Rate, 8e6) || f.SegmentSize != mss || f.MinRTT != 0.04 || f.RTT.Mid != 0.05 {
		t.Errorf("rate %g, segment %d, RTT %g least %g", f.Rate, f.SegmentSize, f.RTT.Mid, f.MinRTT)
	}
	if f.Losses.Resent != 8 || f.Losses.Spurious != 2 || f.Losses.Real != 6 || f.Timeouts != 1 {
		t.Errorf("losses %+v, %d timeouts", f.Losses, f.Timeouts)
	}
	if !near(f.Limits.ReceiveWindow, 0.1) || !near(f.Limits.Network, 0.9) || f.Limits.App > 1e-6 || f.Limits.Starved != 0 {
		t.Errorf("limits %+v", f.Limits)
	}
	if later := saidOf(s, Since(3), 0); later.Losses.Resent != 0 || later.Timeouts != 0 {
		t.Errorf("after the loss: %+v, %d timeouts", later.Losses, later.Timeouts)
	}
	if len(f.Stalls) != 0 {
		t.Errorf("stalls %v", f.Stalls)
	}
}

// Records may lack anything.
func TestOfNothing(t *testing.T) {
	for _, s := range []record.Series{
		{},
		{Sender: true},
		{Sender: true, Samples: []record.Sample{{At: 1}}},
		{Samples: []record.Sample{{At: 1}, {At: 1}}},
	} {
		for _, in := range []Span{All, Since(0.5), Since(2), {1, 1}, {2, 1}} {
			f := saidOf(s, in, 0)
			if f.Rate != 0 || f.RTT.N != 0 || len(f.Stalls) != 0 || f.Timeouts > 0 || math.IsNaN(f.Limits.Network+f.Limits.App) {
				t.Errorf("%+v over %v: %+v", s, in, f)
			}
		}
	}
}

// Linux before 6.7 does not count timeouts, which is not the same as none.
func TestTimeoutsUnknown(t *testing.T) {
	if n := Timeouts(tcpinfo.Info{}, tcpinfo.Info{Length: int(tcpinfo.FieldRehash)}); n != -1 {
		t.Errorf("%d timeouts of a kernel that does not count them", n)
	}
}

func TestArrived(t *testing.T) {
	sender := series(true, 1, 4, func(t float64) (int64, tcpinfo.Info) {
		return int64(1000 * t), tcpinfo.Info{BytesAcked: uint64(100 * t)}
	})
	receiver := series(false, 1, 4, func(t float64) (int64, tcpinfo.Info) { return int64(10 * t), tcpinfo.Info{} })
	for at, want := range map[float64]float64{0: 0, 0.5: 50, 2: 200, 2.5: 250, 9: 400} {
		if got := Arrived(sender, at); !near(got, want) {
			t.Errorf("by %g s %g bytes had arrived, want %g", at, got, want)
		}
	}
	if got := Rate([]record.Series{sender, receiver}, Span{1, 3}); !near(got, 110*8) {
		t.Errorf("both streams carry %g bit/s, want %d", got, 110*8)
	}
	parts := Intervals([]record.Series{sender, receiver}, 4, 8)
	if len(parts) != 8 || parts[7].At != 4 || parts[3].Bytes != 55 || parts[3].Rate != 55*8/0.5 {
		t.Errorf("intervals %+v", parts)
	}
}

func TestSteadyAndGrowing(t *testing.T) {
	level := Goodput(func(from, to float64) float64 { return 10 })
	rising := Goodput(func(from, to float64) float64 { return 10 * (from + to) })
	if level.Steady() != 10 || level.Growing(0.05, 5) {
		t.Error("a level stream grows")
	}
	if got := rising.Steady(); got != 17.5 || !rising.Growing(0.05, 5) {
		t.Errorf("a rising stream carries %g, growing %v", got, rising.Growing(0.05, 5))
	}
	// Its quarters hold two round trips: one more is no growth.
	if rising.Growing(2, 16) {
		t.Error("one flight more is taken for growth")
	}
}

// What a lost packet held back belongs to the time in which it did, at both ends of the span
// of a steady rate; a stream that stands still, and goes on as ever, held nothing back.
func TestSteadyBesideHoles(t *testing.T) {
	mean := func(slices []float64) Goodput {
		return func(from, to float64) float64 {
			part := slices[int(math.Round(from*Slices)):int(math.Round(to*Slices))]
			sum := 0.0
			for _, x := range part {
				sum += x
			}
			return sum / float64(len(part))
		}
	}
	level := slices.Repeat([]float64{10}, Slices)
	held := slices.Clone(level)
	copy(held[20:], []float64{0, 0, 0, 0, 50})
	within := slices.Clone(level)
	copy(within[20:], []float64{0, 0, 0, 0, 0, 0, 70})
	stood := slices.Clone(level)
	copy(stood[20:], []float64{0, 0, 0, 0, 10})
	open := slices.Clone(level)
	copy(open[45:], []float64{0, 0, 0})
	stands := slices.Clone(level)
	clear(stands[42:])
	for name, c := range map[string]struct {
		slices []float64
		want   float64
	}{"level": {level, 10}, "held back": {held, 10}, "held back on": {within, 10}, "stood still": {stood, 10}, "still held back": {open, 10}, "stands still": {stands, 7.5}} {
		if got := mean(c.slices).Steady(); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
	if got := Steady(&record.Transfer{Series: make([]record.Series, 1)}); got != 0 {
		t.Errorf("in no time: %g", got)
	}
	// A sender knows what arrived behind a lost packet.
	sender := series(true, 0.1, Slices, func(t float64) (int64, tcpinfo.Info) {
		info := tcpinfo.Info{BytesAcked: uint64(1e6 * t), SndMSS: 1000}
		if t > 2 && t < 3.5 {
			info.BytesAcked, info.Sacked = 2e6, uint32(1000*(t-2))
		}
		return 0, info
	})
	if got := Steady(&record.Transfer{Series: []record.Series{sender}, Duration: Slices / 10.0}); math.Abs(got-8e6) > 0.05e6 {
		t.Errorf("by selective acknowledgements: %g bit/s, want 8e6", got)
	}
	// Of several streams each has its own holes.
	var both []record.Series
	for _, s := range [][]float64{held, open} {
		sum := 0.0
		one := record.Series{Samples: make([]record.Sample, len(s))}
		for i, x := range s {
			sum += x
			one.Samples[i] = record.Sample{At: float64(i+1) / 10, Bytes: int64(1e6 * sum / 80)}
		}
		both = append(both, one)
	}
	if got := Steady(&record.Transfer{Series: both, Duration: Slices / 10.0}); math.Abs(got-20e6) > 0.01e6 {
		t.Errorf("two streams: %g bit/s, want 20e6", got)
	}
}

func TestRTTs(t *testing.T) {
	unmeasured := series(true, 1, 1, func(float64) (int64, tcpinfo.Info) {
		return 0, tcpinfo.Info{MinRTT: math.MaxUint32 * time.Microsecond}
	})
	receiver := series(false, 1, 3, func(t float64) (int64, tcpinfo.Info) {
		return 0, tcpinfo.Info{RTT: 9 * ms, RcvRTT: seconds(t / 100)}
	})
	if got := MinRTT([]record.Series{unmeasured}); got != 0 {
		t.Errorf("an unmeasured RTT is %g s", got)
	}
	if got := RTTs(receiver, Since(2)); len(got) != 2 || got[1] != 0.03 {
		t.Errorf("the receiver's RTTs are %v", got)
	}
}

// Losses of slow start, while its queue stood, are told from those after it.
func TestRTTAtLoss(t *testing.T) {
	s := series(true, 1, 5, func(t float64) (int64, tcpinfo.Info) {
		if t < 3 {
			return 0, tcpinfo.Info{RTT: 90 * ms, TotalRetrans: uint32(30 * t)}
		}
		return 0, tcpinfo.Info{RTT: 30 * ms, TotalRetrans: 60 + uint32(t)}
	})
	if got, ok := RTTAtLoss(s, Since(3.5)); !ok || !near(got, 0.03) {
		t.Errorf("after slow start %g s (%v)", got, ok)
	}
	if got, ok := RTTAtLoss(s, All); !ok || got < 0.08 {
		t.Errorf("of all %g s (%v)", got, ok)
	}
	if _, ok := RTTAtLoss(s, Since(9)); ok {
		t.Error("after its end a stream loses")
	}
}

// A stall is a time in which data was under way and none arrived.
func TestStalls(t *testing.T) {
	blocked := func(unacked uint32) record.Series {
		return series(true, 0.1, 100, func(t float64) (int64, tcpinfo.Info) {
			acked := t
			if t > 3 && t < 5.5 {
				acked = 3
			}
			return 0, tcpinfo.Info{BytesAcked: uint64(1e6 * acked), Unacked: unacked}
		})
	}
	got := Stalls(blocked(10), All, 0.05)
	if len(got) != 1 || !near(got[0].At, 3) || !near(got[0].Duration, 2.5) {
		t.Errorf("stalls %v, want one of 2.5 s at 3 s", got)
	}
	if got := Stalls(blocked(10), All, 0.7); len(got) != 0 {
		t.Errorf("2.5 s is less than four round trips of 0.7 s, stalls %v", got)
	}
	if got := Stalls(blocked(0), All, 0.05); len(got) != 0 {
		t.Errorf("an idle program stalls: %v", got)
	}
	if got := Stalls(blocked(10), Span{0, 4.5}, 0.05); len(got) != 1 || !near(got[0].Duration, 1.4) {
		t.Errorf("a stall that goes on to the span's end: %v", got)
	}
}

// Before any data came a receiver knows no size, and Linux guesses 536 bytes.
func TestSegmentSizeOfReceiver(t *testing.T) {
	for name, c := range map[string]struct {
		guess, later uint32
		want         int
	}{
		"data after the first look":      {536, mss, mss},
		"a path that has no larger ones": {536, 536, 536},
		"nothing came":                   {536, 0, 0},
	} {
		s := series(false, 0.02, 20, func(t float64) (int64, tcpinfo.Info) {
			if t < 0.1 || c.later == 0 {
				return 0, tcpinfo.Info{RcvMSS: c.guess}
			}
			return int64(1e6 * t), tcpinfo.Info{RcvMSS: c.later, BytesReceived: uint64(1e6 * t)}
		})
		if got := SegmentSize([]record.Series{s}); got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}
