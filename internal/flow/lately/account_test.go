package lately

import (
	"math"
	"testing"
	"time"

	"unchoke/internal/live"
	"unchoke/tcpinfo"
)

const ms = time.Millisecond

// sender is a connection that can be moved on.
type sender struct {
	t     testing.TB
	at    time.Duration
	info  tcpinfo.Info
	a     Account
	queue uint32
	begun bool
}

func newSender(t testing.TB) *sender {
	return &sender{t: t, at: time.Hour, info: tcpinfo.Info{
		Length: int(tcpinfo.FieldAccECN), State: tcpinfo.Established, SndMSS: 1000, SndCwnd: 100, SndWnd: 1 << 30,
		RTT: 50 * ms, MinRTT: 40 * ms, RTTVar: 2 * ms, RcvRTT: 70 * ms,
	}}
}

// look lets so much time pass, in which as much is acknowledged as the rate in
// bit/s says, and looks.
func (s *sender) look(d time.Duration, rate float64) bool {
	bytes := uint64(rate / 8 * d.Seconds())
	s.at += d
	s.info.BytesAcked += bytes
	s.info.DataSegsOut += uint32(bytes / 1000)
	s.info.SegsOut += uint32(bytes/1000) + 1 // a keepalive
	s.info.SegsIn += uint32(bytes/2000) + 1
	if rate > 0 {
		s.info.BusyTime += d
	}
	l := Look{At: s.at, Info: &s.info, Queued: s.queue, SendBuffer: 90_000}
	if !s.begun {
		s.begun = true
		s.a = Begin(l)
		return true
	}
	return s.a.Add(l)
}

func (s *sender) figures() (f live.Flow) {
	s.a.Figures(&f, &s.info)
	return f
}

func near(a, b, within float64) bool { return math.Abs(a-b) <= within*math.Abs(b) }

// A busy sender whose congestion window is full.
func TestSender(t *testing.T) {
	s := newSender(t)
	s.info.Unacked, s.info.NotsentBytes = 100, 50_000
	for k := range 40 {
		if k == 20 {
			s.info.BytesRetrans = 40_000
			s.info.TotalRetrans, s.info.DSACKDups, s.info.ReordSeen, s.info.TotalRTO, s.info.DeliveredCE = 40, 10, 3, 1, 60
			s.info.RTT = 90 * ms
		} else {
			s.info.RTT = 50 * ms
		}
		if !s.look(time.Second, 8e6) {
			t.Fatal("nothing happened")
		}
	}
	f := s.figures()
	if f.SentRate != 8e6 || !near(f.SentLately, 8e6, 1e-9) || !near(f.PeakRate, 8e6, 1e-9) || f.ReceivedRate != 0 || f.RateCV > 1e-9 || math.Abs(f.Growth) > 1e-9 {
		t.Errorf("rates %v, lately %v, peak %v, variation %v, growth %v", f.SentRate, f.SentLately, f.PeakRate, f.RateCV, f.Growth)
	}
	if f.SegmentsLately != 30_000 || !near(f.RetransmitRatio, 40./30_000, 1e-9) || !near(f.SpuriousRatio, 10./30_000, 1e-9) || f.MarkedRatio != 0.002 || f.Lossy != 1 || f.RTTAtLoss != 0.09 || f.ReorderLately != 3 || f.TimeoutsLately != 1 {
		t.Errorf("losses %+v", f)
	}
	if f.RTT != 0.05 || f.RTTLately != 0.05 || f.MinRTT != 0.04 || f.RTTVar != 0.002 || f.Jitter < 0.002 || f.Jitter > 0.004 || f.JitterRatio != f.Jitter/0.05 {
		t.Errorf("RTT %v, lately %v, least %v, jitter %v, %v", f.RTT, f.RTTLately, f.MinRTT, f.Jitter, f.JitterRatio)
	}
	if f.Limits != (live.Limits{Network: 1}) {
		t.Errorf("limits %+v", f.Limits)
	}
	// What was longer ago than the window is not lately.
	for range 15 {
		s.look(time.Second, 8e6)
	}
	if f := s.figures(); f.Lossy != 0 || f.RetransmitRatio != 0 || f.RTTAtLoss != 0 || f.TimeoutsLately != 0 || f.Timeouts != 1 || f.Retransmits != 40 {
		t.Errorf("35 s later %+v", f)
	}
	if age := s.a.Age(); age != 54*time.Second {
		t.Errorf("its age is %v", age)
	}
}

// The figures are nearly the same, however often one looks.
func TestInterval(t *testing.T) {
	for _, every := range []time.Duration{100 * ms, 300 * ms, time.Second, 7 * time.Second, 10 * time.Second} {
		s := newSender(t)
		s.info.Unacked = 40 // of 100: starved
		for passed := time.Duration(0); passed < 70*time.Second; passed += every {
			s.look(every, 4e6)
		}
		f := s.figures()
		if !near(f.SentLately, 4e6, 0.02) || f.RateCV > 0.02 || !near(f.Limits.App, 1, 0.01) || f.Limits.Network > 0.01 || !near(float64(f.SegmentsLately), 15_000, 0.2) {
			t.Errorf("every %v: %v bit/s, variation %v, %d segments, limits %+v", every, f.SentLately, f.RateCV, f.SegmentsLately, f.Limits)
		}
	}
}

// What holds a sender back, seen from the looks where the kernel's account does
// not tell.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		unacked, notSent, window, queued uint32
		kernel                           func(*tcpinfo.Info, time.Duration)
		want                             live.Limits
	}{
		"congestion window":  {100, 9000, 1 << 30, 90_000, nil, live.Limits{Network: 1}},
		"full send buffer":   {40, 0, 1 << 30, 60_000, nil, live.Limits{SendBuffer: 1}},
		"idle program":       {40, 0, 1 << 30, 59_999, nil, live.Limits{App: 1}},
		"window of the peer": {40, 9000, 40_500, 90_000, nil, live.Limits{ReceiveWindow: 1}},
		"window by the kernel": {
			100, 9000, 1 << 30, 90_000,
			func(i *tcpinfo.Info, d time.Duration) { i.RwndLimited += d / 2 },
			live.Limits{ReceiveWindow: 0.5, Network: 0.5},
		},
		"half of the time nothing to send": {
			100, 9000, 1 << 30, 90_000,
			func(i *tcpinfo.Info, d time.Duration) { i.BusyTime -= d / 2 },
			live.Limits{App: 0.5, Network: 0.5},
		},
	} {
		s := newSender(t)
		s.info.Unacked, s.info.NotsentBytes, s.info.SndWnd, s.queue = c.unacked, c.notSent, c.window, c.queued
		for range 100 {
			if c.kernel != nil {
				c.kernel(&s.info, 200*ms)
			}
			s.look(200*ms, 8e6)
		}
		got := s.figures().Limits
		for _, x := range []struct{ got, want float64 }{
			{got.App, c.want.App}, {got.ReceiveWindow, c.want.ReceiveWindow}, {got.SendBuffer, c.want.SendBuffer}, {got.Network, c.want.Network},
		} {
			if math.Abs(x.got-x.want) > 0.01 {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
				break
			}
		}
	}
}

// A connection with nothing to do costs a comparison and keeps no history; when
// it wakes, it was idle for the window.
func TestIdle(t *testing.T) {
	s := newSender(t)
	for range 5 {
		s.look(time.Second, 8e6)
	}
	changes := 0
	for range 100 {
		if s.look(time.Second, 0) {
			changes++
		}
	}
	if changes != Window/1000 || s.a.history != nil {
		t.Errorf("%d of 100 looks changed something, history %v", changes, s.a.history)
	}
	f := s.figures()
	if f.SentRate != 0 || f.SentLately != 0 || f.Limits != (live.Limits{App: 1}) || f.SegmentsLately != 0 || f.Jitter != 0 || f.RTTLately != 0.05 {
		t.Errorf("idle: %+v", f)
	}
	quiet := newSender(t)
	for k := range 20 {
		if quiet.look(time.Second, 0) != (k == 0) || quiet.a.history != nil {
			t.Fatalf("look %d at a connection that never did anything: %+v", k, quiet.a)
		}
	}
	quiet.look(time.Second, 20*8e6)
	if f := quiet.figures(); !near(f.SentLately, 8e6, 0.01) || f.SegmentsLately != 20_000 || f.Limits.App < 0.9 {
		t.Errorf("20 s after it was first seen it sends: %v bit/s lately, %d segments, limits %+v", f.SentLately, f.SegmentsLately, f.Limits)
	}
	if n := testing.AllocsPerRun(100, func() { s.look(time.Second, 0) }); n != 0 {
		t.Errorf("%v allocations a look", n)
	}
	for k := range 60 {
		s.look(time.Second, 8e6)
		f := s.figures()
		busy := min(float64(k+1), 30) / 30
		if !near(f.Limits.App, 1-busy, 0.05) && math.Abs(f.Limits.App-(1-busy)) > 0.04 {
			t.Errorf("%d s after it woke the program limits %v of the time, want %v", k+1, f.Limits.App, 1-busy)
		}
		if math.Abs(float64(f.SegmentsLately)-30_000*busy) > 1000 {
			t.Errorf("%d s after it woke: %d segments lately", k+1, f.SegmentsLately)
		}
	}
}

// Data under way and nothing delivered; a program with nothing to send does not
// stall.
func TestStalled(t *testing.T) {
	s := newSender(t)
	s.info.Unacked = 10
	s.look(time.Second, 8e6)
	for range 3 {
		s.look(100*ms, 8e6)
	}
	for range 25 {
		s.look(100*ms, 0)
	}
	if f := s.figures(); !near(f.Stalled, 2.55, 0.03) || f.Standing != f.Stalled {
		t.Errorf("stalled for %v s, %v until now", f.Stalled, f.Standing)
	}
	s.look(100*ms, 8e6)
	for range 9 { // shorter than a stall
		s.look(100*ms, 0)
	}
	s.look(100*ms, 8e6)
	s.info.Unacked = 0
	for range 50 {
		s.look(100*ms, 0)
	}
	if f := s.figures(); !near(f.Stalled, 2.55, 0.03) || f.Standing != 0 {
		t.Errorf("stalled for %v s after it went on, %v until now", f.Stalled, f.Standing)
	}
}

// Looks that are further apart than the least stall are none.
func TestStalledBetweenLooks(t *testing.T) {
	for _, every := range []time.Duration{1001 * ms, 10 * time.Second} {
		s := newSender(t)
		s.info.Unacked = 10
		for range 20 {
			s.look(every, 8e6)
		}
		if f := s.figures(); f.Stalled != 0 {
			t.Errorf("looks every %v: stalled for %v s", every, f.Stalled)
		}
		s.look(every, 0)
		if f := s.figures(); f.Stalled != every.Seconds() {
			t.Errorf("nothing was delivered for %v: stalled for %v s", every, f.Stalled)
		}
	}
}

// The rate's figures leave out the first second of a connection that was seen
// from its beginning.
func TestGrowth(t *testing.T) {
	s := newSender(t)
	s.begun = true
	s.info.LastDataRecv = 400 * ms
	s.look(0, 0)
	s.a = BeginWhole(Look{At: s.at, Info: &s.info}, s.at-time.Second)
	if age := s.a.Age(); age != 400*ms {
		t.Errorf("its age is %v", age)
	}
	s.look(time.Second, 80e6)
	for k := range 9 {
		s.look(time.Second, float64(k+1)*1e6)
	}
	f := s.figures()
	if !near(f.SentLately, 5e6, 0.01) || !near(f.PeakRate, 9e6, 0.01) || !near(f.Growth, 24./15-1, 0.01) || !near(f.RateCV, 0.516, 0.01) {
		t.Errorf("mean %v, peak %v, growth %v, variation %v", f.SentLately, f.PeakRate, f.Growth, f.RateCV)
	}
}

// A rate that has two values and changes between them now and then is level; one
// that others share is not.
func TestRateLevel(t *testing.T) {
	for name, c := range map[string]struct {
		rate func(k int) float64
		want func(level float64) bool
	}{
		"one":   {func(int) float64 { return 5e6 }, func(l float64) bool { return l == 1 }},
		"two":   {func(k int) float64 { return []float64{11e6, 5e6}[k/4%2] }, func(l float64) bool { return l > 0.6 && l < 0.9 }},
		"moves": {func(k int) float64 { return 5e6 + 1e6*float64(k*7%5) }, func(l float64) bool { return l == 0 }},
	} {
		s := newSender(t)
		for k := range 30 {
			s.look(time.Second, c.rate(k))
		}
		if f := s.figures(); !c.want(f.RateLevel) {
			t.Errorf("%s: %v", name, f.RateLevel)
		}
	}
}

// A receiver tells its own estimate of the round trip, and no jitter.
func TestReceiver(t *testing.T) {
	s := newSender(t)
	for range 20 {
		s.info.BytesReceived += 1e6
		s.info.DataSegsIn += 1000
		s.look(time.Second, 0)
	}
	f := s.figures()
	if f.ReceivedRate != 8e6 || f.RTT != 0.07 || f.Jitter != 0 || f.Limits != (live.Limits{}) || f.PeakRate != 8e6 {
		t.Errorf("%+v", f)
	}
}

// What is under way, in bytes: what was sent but not resent, less what arrived.
func TestUnacked(t *testing.T) {
	s := newSender(t)
	s.info.Unacked, s.info.BytesSent, s.info.BytesRetrans = 3, 11_674, 8688
	s.info.BytesAcked = 40
	s.look(time.Second, 0)
	if f := s.figures(); f.UnackedBytes != 2946 {
		t.Errorf("%d bytes", f.UnackedBytes)
	}
	s.info.Length = int(tcpinfo.FieldBytesSent)
	if f := s.figures(); f.UnackedBytes != 0 {
		t.Errorf("%d bytes, of a kernel that does not tell", f.UnackedBytes)
	}
}

// A SYN that was sent again is no segment of data that was.
func TestHandshake(t *testing.T) {
	for name, told := range map[string]tcpinfo.Field{"now": tcpinfo.FieldAccECN, "before 4.19": tcpinfo.FieldDeliveryRate} {
		s := newSender(t)
		s.info.Length = int(told)
		s.info.Unacked, s.info.TotalRetrans = 1, 1
		s.look(time.Second, 0)
		s.info.TotalRetrans = 2
		s.look(time.Second, 0)
		s.look(time.Second, 8000) // a segment
		if f := s.figures(); f.Segments != 1 || f.RetransmitRatio != 0 || f.Retransmits != 0 || f.Lossy != 0 {
			t.Errorf("%s: %+v", name, f)
		}
		s.info.TotalRetrans, s.info.BytesRetrans = 3, 1000
		s.look(time.Second, 8000)
		if f := s.figures(); f.Segments != 2 || f.RetransmitRatio != 0.5 || f.Retransmits != 1 || f.Lossy != 1 {
			t.Errorf("%s, then one of data: %+v", name, f)
		}
	}
	// One that was seen only after its first segment.
	s := newSender(t)
	s.info.TotalRetrans, s.info.DataSegsOut = 2, 1
	s.a = BeginWhole(Look{At: s.at, Info: &s.info}, s.at-time.Second)
	if f := s.figures(); f.RetransmitRatio != 0 || f.Retransmits != 0 {
		t.Errorf("seen late: %+v", f)
	}
	s.info.Length = int(tcpinfo.FieldDeliveryRate)
	s.a = BeginWhole(Look{At: s.at, Info: &s.info}, s.at-time.Second)
	if f := s.figures(); f.RetransmitRatio != 1 {
		t.Errorf("seen late, before 4.19: %+v", f)
	}
}

// A window of 0 is shut where the kernel tells windows at all.
func TestShut(t *testing.T) {
	s := newSender(t)
	s.look(time.Second, 0)
	for _, c := range []struct {
		told   tcpinfo.Field
		window uint32
		want   bool
	}{{tcpinfo.FieldRcvWnd, 0, true}, {tcpinfo.FieldRcvWnd, 1000, false}, {tcpinfo.FieldSndWnd, 0, false}} {
		s.info.Length, s.info.RcvWnd = int(c.told), c.window
		if f := s.figures(); f.RecvShut != c.want {
			t.Errorf("%+v: shut %v", c, f.RecvShut)
		}
	}
}

// An old kernel tells less: what it lacks is unknown or nothing, not a figure.
func TestOldKernel(t *testing.T) {
	s := newSender(t)
	s.info.Length = int(tcpinfo.FieldTotalRetrans)
	s.look(time.Second, 0)
	if !s.look(time.Second, 0) {
		t.Error("it counts as idle, which is not known")
	}
	if f := s.figures(); f.Timeouts != -1 || f.TimeoutsLately != -1 {
		t.Errorf("%d timeouts", f.Timeouts)
	}
	s.info.MinRTT, s.info.SndSsthresh, s.info.PacingRate = math.MaxUint32*time.Microsecond, math.MaxInt32, tcpinfo.Unlimited
	if f := s.figures(); f.MinRTT != f.RTT || f.Ssthresh != 0 || f.PacingRate != 0 {
		t.Errorf("least RTT %v, threshold %d, pacing %v", f.MinRTT, f.Ssthresh, f.PacingRate)
	}
}

// Whatever the kernel says, no figure is negative or no number.
func FuzzAccount(f *testing.F) {
	f.Add([]byte("0123456789"), uint16(100), uint16(1000))
	f.Fuzz(func(t *testing.T, raw []byte, first, second uint16) {
		b := make([]byte, tcpinfo.FieldAccECN)
		copy(b, raw)
		one, err := tcpinfo.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		for k := range b {
			b[k] ^= byte(k)
		}
		two, _ := tcpinfo.Parse(b)
		at := time.Duration(first) * ms
		a := Begin(Look{At: at, Info: &one})
		for k := range 40 {
			at += time.Duration(second) * ms
			i := &one
			if k%2 == 0 {
				i = &two
			}
			a.Add(Look{At: at, Info: i})
			var fl live.Flow
			a.Figures(&fl, i)
			for _, x := range []float64{fl.RTT, fl.Jitter, fl.JitterRatio, fl.RateCV, fl.SentRate, fl.Limits.App, fl.Limits.Network, fl.Limits.SendBuffer, fl.Limits.ReceiveWindow, fl.Stalled, fl.RetransmitRatio, fl.Growth + 1, fl.PeakRate} {
				if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
					t.Fatalf("%+v", fl)
				}
			}
		}
	})
}
