package closely

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"unchoke/internal/flow/lately"
	"unchoke/internal/live"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// sender is a connection that has lived for a while, looked at every 10 ms for
// ten seconds: each look adds what step says.
func sender(step func(k int, x *record.Sample)) *record.Run { return senderFor(10, step) }

// senderFor is one that is looked at for so many seconds.
func senderFor(seconds int, step func(k int, x *record.Sample)) *record.Run {
	x := record.Sample{Info: tcpinfo.Info{
		Length: int(tcpinfo.FieldRcvWnd) + 4, State: 1, SndMSS: 1448, RcvMSS: 1448, SndCwnd: 100, Unacked: 100, SndWnd: 1 << 20, NotsentBytes: 1 << 20,
		RTT: 50 * time.Millisecond, MinRTT: 50 * time.Millisecond, BytesAcked: 1e9, DataSegsOut: 700_000, TotalRetrans: 500, BytesRetrans: 724_000, BusyTime: time.Hour,
	}, Memory: &record.SocketMemory{Queued: 1 << 20, SendBuffer: 1 << 21}}
	first := x.Info.BytesAcked
	var all []record.Sample
	for k := range 100*seconds + 1 {
		x.At = float64(k) / 100
		if k > 0 {
			x.Info.BusyTime += 10 * time.Millisecond
			step(k, &x)
		}
		x.Bytes = int64(x.Info.BytesAcked - first)
		all = append(all, x)
	}
	return &record.Run{Flow: &record.Flow{Sends: true}, Transfers: []record.Transfer{{CC: "cubic", Series: []record.Series{{Sender: true, Samples: all}}}}}
}

func near(a, b, within float64) bool { return math.Abs(a-b) <= within }

// What the connection did before the looks does not count.
func TestLive(t *testing.T) {
	f := Live(sender(func(k int, x *record.Sample) {
		x.Info.BytesAcked += 12_500
		x.Info.DataSegsOut += 9
		if k%100 == 50 {
			x.Info.TotalRetrans++
		}
	}))
	if !near(f.SentLately, 10e6, 1e4) || !near(f.RetransmitRatio, 10.0/9000, 1e-4) || f.Lossy != 10 || !near(f.Age, 10, 0.01) || f.CC != "cubic" || f.Limits.Network < 0.99 {
		t.Errorf("%+v", f)
	}
}

// What stands still for a second and a half does so between two looks a second apart.
func TestStands(t *testing.T) {
	f := Live(sender(func(k int, x *record.Sample) {
		if k%400 > 240 && k%400 < 400 || k > 880 {
			return
		}
		x.Info.BytesAcked += 12_500
		x.Info.DataSegsOut += 9
	}))
	if !near(f.Stalled, 2*1.6+1.2, 0.1) || !near(f.Standing, 1.2, 0.05) {
		t.Errorf("nothing arrived for %.2f s, of that at the end %.2f", f.Stalled, f.Standing)
	}
}

// A program that has nothing to send for a third of each half-second shows in
// the limits, which a look a second does not meet.
func TestBursts(t *testing.T) {
	f := Live(sender(func(k int, x *record.Sample) {
		x.Info.BytesAcked += 12_500
		x.Info.DataSegsOut += 9
		x.Info.NotsentBytes, x.Info.Unacked = 1<<20, 100
		if k%50 >= 30 && k%50 < 48 {
			x.Info.NotsentBytes, x.Info.Unacked = 0, 5
			x.Memory = &record.SocketMemory{Queued: 1000, SendBuffer: 1 << 21}
		}
	}))
	if !near(f.Limits.App, 0.36, 0.03) {
		t.Errorf("%+v", f.Limits)
	}
}

// A program that gives a piece every two seconds is found with nothing to send
// after each, though the path takes most of the time for it; one whose buffer is
// full is not, nor is one that never ends.
func TestDries(t *testing.T) {
	pieces := func(gives bool, queued uint32) live.Closely {
		return Live(sender(func(k int, x *record.Sample) {
			x.Info.BytesAcked += 12_500
			x.Info.NotsentBytes, x.Info.Unacked = 1<<20, 100
			x.Memory = &record.SocketMemory{Queued: queued, SendBuffer: 1 << 21}
			if gives && k%200 >= 190 {
				x.Info.NotsentBytes, x.Info.Unacked = 0, 80
			}
		})).Closely
	}
	if c := pieces(true, 100e3); c.Dries != 5 || !near(c.DrySpan, 8.1, 0.02) {
		t.Errorf("pieces: %+v", c)
	}
	if c := pieces(true, 2<<20); c.Dries != 0 {
		t.Errorf("a full buffer: %+v", c)
	}
	if c := pieces(false, 100e3); c.Dries != 0 || c.DrySpan != 0 {
		t.Errorf("no pieces: %+v", c)
	}
}

// A look for longer than "lately" tells of its last 30 s, in what looks so close tell as
// in the other figures.
func TestLongLook(t *testing.T) {
	f := Live(senderFor(60, func(k int, x *record.Sample) {
		x.Info.BytesAcked += 12_500
		x.Info.DataSegsOut += 9
		x.Info.NotsentBytes, x.Info.Unacked = 1<<20, 100
		x.Memory = &record.SocketMemory{Queued: 100e3, SendBuffer: 1 << 21}
		if k < 1800 && k%600 >= 590 {
			x.Info.NotsentBytes, x.Info.Unacked = 0, 80
		}
		if k%300 == 0 {
			x.Info.TotalRetrans++
		}
	}))
	c := f.Closely
	if c.Dries != 0 || c.DrySpan != 0 || c.Losses.N != f.Lossy || !near(float64(c.Looks), 3000, 2) {
		t.Errorf("%d intervals with losses, %+v", f.Lossy, c)
	}
}

// Losses at what fits and losses by chance are told apart by the flight before
// them, whatever their number.
func TestFlights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	grow := func(loses func(flight uint32) bool) live.Losses {
		return Live(sender(func(k int, x *record.Sample) {
			x.Info.BytesAcked += uint64(x.Info.Unacked) * 290
			x.Info.Unacked++
			if loses(x.Info.Unacked) {
				x.Info.TotalRetrans += 2
				x.Info.Unacked = x.Info.Unacked * 7 / 10
			}
		})).Closely.Losses
	}
	fits := grow(func(flight uint32) bool { return flight >= 140 })
	chance := grow(func(flight uint32) bool { return r.Float64() < 0.02 })
	if fits.N < 5 || fits.FlightCV > 0.05 || !near(fits.Flight, 140, 3) || !near(fits.RTT, 0.05, 1e-6) {
		t.Errorf("what fits: %+v", fits)
	}
	if chance.N < 5 || chance.FlightCV < 0.18 {
		t.Errorf("chance: %+v", chance)
	}
}

// Alone at a full bottleneck, the round trip follows what is under way; where
// others fill the queue as well, it does not.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	queue := func(others func(k int) float64) live.Queue {
		var sent [1001]float64 // by look
		return Live(sender(func(k int, x *record.Sample) {
			x.Info.BytesAcked += 12_500
			x.Info.Unacked = uint32(120 + k%200/4)
			sent[k] = float64(x.Info.Unacked)
			queued := sent[max(k-6, 0)] + others(k)
			x.Info.RTT = time.Duration(queued / 2000 * float64(time.Second))
		})).Closely.Queue
	}
	alone := queue(func(int) float64 { return 0 })
	shared := queue(func(k int) float64 { return 100 + 20*math.Sin(float64(k)/40) + r.Float64() })
	if alone.Looks < 900 || alone.Own < 0.97 || alone.Sway < 0.05 {
		t.Errorf("alone: %+v", alone)
	}
	if shared.Looks < 900 || shared.Own > 0.7 || shared.Sway < 0.05 {
		t.Errorf("shared: %+v", shared)
	}
	if few := queue(func(int) float64 { return 5000 }); few.Looks != 0 {
		t.Errorf("four round trips: %+v", few)
	}
}

// A link that changes its rate has small steps and two rates; traffic of others
// has large steps.
func TestSteps(t *testing.T) {
	link := Live(sender(func(k int, x *record.Sample) {
		x.Info.BytesAcked += 25_000
		if k > 500 && k < 700 {
			x.Info.BytesAcked -= 20_000
		}
	})).Closely
	if !link.Steady || link.Step > 0.01 || !near(link.Typical, 20e6, 1e5) {
		t.Errorf("a link: %+v", link)
	}
	r := rand.New(rand.NewPCG(1, 1))
	level := 20_000.0
	others := Live(sender(func(k int, x *record.Sample) {
		if k%40 == 0 {
			level = 10_000 + 20_000*r.Float64()
		}
		x.Info.BytesAcked += uint64(level)
	})).Closely
	if !others.Steady || others.Step < 0.1 {
		t.Errorf("others: %+v", others)
	}
}

// The peer's window shuts twice a second for a tenth of the time.
func TestShut(t *testing.T) {
	f := Live(sender(func(k int, x *record.Sample) {
		x.Info.BytesAcked += 12_500
		if x.Info.SndWnd = 1 << 20; k%50 >= 45 {
			x.Info.SndWnd = 1000
		}
	})).Closely
	if f.Shuts != 20 || !near(f.Shut, 0.1, 0.01) {
		t.Errorf("%+v", f)
	}
}

// A buffer that is full offers no window; a kernel that does not tell the window is not
// one that offers none.
func TestFull(t *testing.T) {
	full := func(told tcpinfo.Field) live.Closely {
		run := sender(func(k int, x *record.Sample) {
			x.Info.Length = int(told)
			x.Info.RcvWnd, x.Memory = 1<<20, &record.SocketMemory{Unread: 1000}
			if x.Info.BytesReceived += 12_500; k > 400 {
				x.Info.RcvWnd, x.Memory = 0, &record.SocketMemory{Unread: 6 << 20}
			}
		})
		run.Transfers[0].Series[0].Sender = false
		return Live(run).Closely
	}
	if f := full(tcpinfo.FieldRcvWnd); f.Shuts != 1 || !near(f.Shut, 0.6, 0.01) || f.Unread != f.Shut {
		t.Errorf("%+v", f)
	}
	if f := full(tcpinfo.FieldSndWnd); f.Shuts != 0 || f.Unread != 0 {
		t.Errorf("a window that is not told: %+v", f)
	}
}

// A record without looks, or with one, tells nothing and fails nowhere.
func TestNothing(t *testing.T) {
	for _, r := range []*record.Run{{}, {Flow: &record.Flow{}}, {Flow: &record.Flow{}, Transfers: []record.Transfer{{Series: []record.Series{{Samples: make([]record.Sample, 1)}}}}}, {Transfers: []record.Transfer{{Series: []record.Series{{Sender: true, Samples: make([]record.Sample, 3)}}}}}} {
		if f, n := Live(r), Live(r).Closely; f.SentLately != 0 || n.Shuts != 0 || n.Losses.N != 0 || math.IsNaN(n.Step) {
			t.Errorf("%+v, %+v", f, n)
		}
	}
}

// An account of a connection that is watched tells the same as a record of it, of
// the last 30 s.
func TestAccount(t *testing.T) {
	run := sender(func(k int, x *record.Sample) {
		x.Info.BytesAcked += 12_500
		x.Info.DataSegsOut += 9
		x.Info.SndWnd = 1 << 20
		if k%50 >= 45 {
			x.Info.SndWnd = 1000
		}
		if x.Info.Unacked++; k%100 == 99 {
			x.Info.TotalRetrans, x.Info.Unacked = x.Info.TotalRetrans+2, 100
		}
	})
	want := Live(run)
	all := run.Transfers[0].Series[0].Samples
	begun := func(seconds float64) *Account {
		l := sampled(all[0])
		l.At += time.Duration(seconds * float64(time.Second))
		return Begin(l, true, false)
	}
	add := func(a *Account, from float64, all []record.Sample) {
		for _, x := range all[1:] {
			l := sampled(x)
			l.At += time.Duration(from * float64(time.Second))
			a.Add(l, 0)
		}
	}
	figures := func(a *Account) (f live.Flow) {
		a.Figures(&f)
		return f
	}
	a := begun(0)
	add(a, 0, all[:200])
	if got := figures(a); got.Closely != (live.Closely{}) {
		t.Errorf("of two seconds: %+v", got.Closely)
	}
	add(a, 0, all[199:])
	if got := figures(a); got.Closely != want.Closely || got.Limits != want.Limits || got.Closely.Losses.N != 10 {
		t.Errorf("%+v, %+v, want %+v, %+v", got.Closely, got.Limits, want.Closely, want.Limits)
	}
	// What is more than 30 s ago is forgotten: then it did nothing.
	still := all[len(all)-1]
	var later []record.Sample
	for k := range 4500 {
		still.At = 10 + float64(k)/100
		later = append(later, still)
	}
	add(a, 0, later)
	if got := figures(a).Closely; got.Losses.N != 0 || got.Looks < 2990 || got.Looks > 3010 || got.Typical != 0 {
		t.Errorf("later: %+v", got)
	}
	if c := cap(a.looks); c > 4*live.Lately*100 {
		t.Errorf("%d looks kept", c)
	}
}

// The beginning of a young connection, and the loss at its end of slow start, say
// nothing of what follows.
func TestYoung(t *testing.T) {
	info := tcpinfo.Info{Length: int(tcpinfo.FieldRcvWnd) + 4, State: 1, SndMSS: 1448, SndWnd: 1 << 20, NotsentBytes: 1 << 20, SndSsthresh: tcpinfo.InfiniteSsthresh, RTT: 50 * time.Millisecond, Unacked: 10}
	a := Begin(lately.Look{Info: &info}, true, true)
	for k := range 1000 {
		switch {
		case k < 50:
			info.BytesAcked += uint64(k) * 4000
			info.Unacked += 20
		case k == 50:
			info.TotalRetrans, info.SndSsthresh, info.Unacked = 300, 500, 100
		case info.Unacked >= 200:
			info.Unacked = 140
			info.TotalRetrans++
		default:
			info.Unacked++
			info.BytesAcked += 12_500
		}
		a.Add(lately.Look{At: time.Duration(k+1) * 10 * time.Millisecond, Info: &info}, 0)
	}
	var f live.Flow
	a.Figures(&f)
	if l := f.Closely.Losses; l.N < 5 || l.FlightCV > 0.02 || !f.Closely.Steady || f.Closely.Step > 0.05 {
		t.Errorf("%+v", f.Closely)
	}
}

func TestMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 200 {
		all := make([]float32, n)
		for k := range all {
			all[k] = float32(r.IntN(1 + n/2)) // many alike
		}
		want := 0.0
		if sorted := slices.Sorted(slices.Values(all)); n > 0 {
			want = float64(sorted[n/2]+sorted[(n-1)/2]) / 2
		}
		if got := median(all); got != want {
			t.Fatalf("%d values: %v, want %v", n, got, want)
		}
	}
}

// What looks so close tell is made anew once a second, however often it is asked
// for; the limits are of now.
func TestToldOnceASecond(t *testing.T) {
	i := tcpinfo.Info{Length: int(tcpinfo.FieldRcvWnd) + 4, SndMSS: 1448, SndCwnd: 100, Unacked: 100, SndWnd: 1 << 20, NotsentBytes: 1 << 20, RTT: 50 * time.Millisecond}
	at := func(k int) lately.Look { return lately.Look{At: time.Duration(k) * 20 * time.Millisecond, Info: &i} }
	a := Begin(at(0), true, false)
	seen := map[int]bool{}
	var f live.Flow
	for k := 1; k <= 500; k++ {
		i.BytesAcked += 12_500
		i.DataSegsOut += 9
		i.BusyTime += 20 * time.Millisecond
		a.Add(at(k), 0)
		if k%5 == 0 {
			if a.Figures(&f); f.Closely.Looks > 0 {
				seen[f.Closely.Looks] = true
			}
		}
	}
	if len(seen) < 6 || len(seen) > 8 || f.Closely.Looks < 450 || f.Limits.Network < 0.99 {
		t.Errorf("%d times, %d looks at last, %+v", len(seen), f.Closely.Looks, f.Limits)
	}
}

// A transfer that begins late, after a greeting, is judged from its beginning: what
// its program had not to send before is no limit of it. One that stood still from
// the first look on had begun, and so had one whose program pauses.
func TestBegun(t *testing.T) {
	begins := func(late int, before uint32) live.Flow {
		run := sender(func(k int, x *record.Sample) {
			x.Info.DataSegsOut++
			if k < late {
				x.Info.BytesAcked += 10
				x.Info.NotsentBytes, x.Info.Unacked = 0, before
				x.Memory = &record.SocketMemory{Queued: 1000, SendBuffer: 1 << 21}
				return
			}
			x.Info.BytesAcked += 12_500
			x.Info.NotsentBytes, x.Info.Unacked = 1<<20, 100
		})
		first := &run.Transfers[0].Series[0].Samples[0]
		first.Info.NotsentBytes, first.Info.Unacked = 0, before
		return Live(run)
	}
	if f := begins(400, 1); f.Limits.App > 0.05 || !near(f.Age, 6, 0.3) || !near(f.SentLately, 10e6, 5e5) {
		t.Errorf("late: app %.2f, age %.1f s, %.3g bit/s", f.Limits.App, f.Age, f.SentLately)
	}
	if f := begins(400, 80); !near(f.Age, 10, 0.1) {
		t.Errorf("standing still at first: age %.1f s", f.Age)
	}
	if f := begins(50, 1); !near(f.Age, 10, 0.1) {
		t.Errorf("hardly late: age %.1f s", f.Age)
	}
	if f := begins(900, 1); !near(f.Age, 10, 0.1) || f.Limits.App < 0.7 {
		t.Errorf("hardly begun: age %.1f s, app %.2f", f.Age, f.Limits.App)
	}
}

// The peer's window is narrow while what arrived waits to be read; while a hole is
// fixed it is narrow as well, which does not count.
func TestDips(t *testing.T) {
	dips := func(state tcpinfo.CAState, narrow uint32) float64 {
		return Live(sender(func(k int, x *record.Sample) {
			x.Info.BytesAcked += 12_500
			x.Info.SndWnd, x.Info.CAState = 1<<20, tcpinfo.CAOpen
			if k%10 < 4 {
				x.Info.SndWnd, x.Info.CAState = 1<<20-narrow*1448, state
			}
		})).Closely.Dips
	}
	if d := dips(tcpinfo.CAOpen, 80); !near(d, 0.4, 0.01) {
		t.Errorf("read in bursts: %.2f", d)
	}
	if d := dips(tcpinfo.CAOpen, 40); d != 0 {
		t.Errorf("less than half of what is under way: %.2f", d)
	}
	if d := dips(tcpinfo.CARecovery, 80); d != 0 {
		t.Errorf("behind a hole: %.2f", d)
	}
}
