package packets

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"unchoke/internal/live"
	"unchoke/internal/record"
)

// line is a path with one bottleneck: its rate in bit/s, its delay and its queue in
// seconds, and what it loses by chance. Others keep a part of the queue filled.
type line struct {
	rate, delay, queue, loss float64
	others                   float64 // s
	bucket, fills            float64 // a policer's, in bytes, and its rate in bit/s; none for 0
}

const (
	mss   = 1448
	lasts = 10.0 // s
)

// carries is what the headers of a stream's packets tell that sends a window's worth
// of segments a round trip, in one go, and halves it when one is lost.
func (l line) carries(window float64) live.Packets {
	type event struct {
		at time.Duration
		h  *Header
	}
	var all []event
	r := rand.New(rand.NewPCG(1, 2))
	after := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	seq, free := uint32(1), 0.0 // free: when the bottleneck is done with what it has
	tokens, filled := l.bucket, 0.0
	for now := 0.0; now < lasts; {
		lost, last, cumulative := []uint32{}, now, true
		ack, others := seq, r.Float64()*l.others
		for range int(window) {
			all = append(all, event{after(now), sends(0, seq, mss)})
			wait := max(free-now, 0) + others
			seq += mss
			tokens, filled = min(l.bucket, tokens+(now-filled)*l.fills/8), now
			polices := l.bucket > 0 && tokens < mss
			if !polices {
				tokens -= mss
			}
			if wait > l.queue || polices || r.Float64() < l.loss {
				lost, cumulative = append(lost, seq-mss), false
				continue
			}
			free = max(free, now) + mss*8/l.rate
			arrives := now + others + free - now + l.delay
			last = max(last, arrives)
			if cumulative {
				ack = seq
				all = append(all, event{after(arrives), answers(0, ack)})
			} else {
				all = append(all, event{after(arrives), answers(0, ack, [2]uint32{seq - mss, seq})})
			}
		}
		last = max(last, now+l.delay)
		if len(lost) > 0 {
			for _, s := range lost {
				all = append(all, event{after(last), sends(0, s, mss)})
			}
			last += l.delay
			all = append(all, event{after(last), answers(0, seq)})
			window = max(window/2, 4)
		} else {
			window++
		}
		now = last
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at < all[j].at })
	s := Sends(mss)
	for _, e := range all {
		e.h.At = began.Add(e.at)
		s.Add(e.h)
	}
	f, _ := Figures(s.Seen())
	return f
}

// near says that a figure is within a tenth.
func near(got, want float64) bool { return math.Abs(got-want) <= want/10 }

// What passes is the line's rate, whether a stream fills it or not.
func TestFiguresOfALine(t *testing.T) {
	for _, window := range []float64{20, 400} {
		f := line{rate: 20e6, delay: 0.05, queue: 10}.carries(window)
		if !near(f.Passes, 20e6) || !near(f.Least, 0.05+mss*8/20e6) || f.Foreign > 0.01 || f.Occasions != 0 {
			t.Errorf("a window of %v: %+v", window, f)
		}
	}
}

// Before what a queue drops, packets waited as long as they ever do; before what is
// lost by chance, as long as any.
func TestFiguresOfLosses(t *testing.T) {
	f := line{rate: 20e6, delay: 0.05, queue: 0.03}.carries(20)
	if f.Occasions < 3 || f.Waited < 0.95 {
		t.Errorf("a queue that overflows: %+v", f)
	}
	f = line{rate: 20e6, delay: 0.05, queue: 10, loss: 0.01}.carries(20)
	if f.Occasions < 10 || f.Waited < 0.3 || f.Waited > 0.75 {
		t.Errorf("losses by chance: %+v", f)
	}
}

// What exceeds a bucket is lost at the end of a burst, and nothing waits; chance does not
// mind bursts.
func TestFiguresOfBursts(t *testing.T) {
	f := line{rate: 1e9, delay: 0.05, queue: 10, bucket: 30 * mss, fills: 20e6}.carries(20)
	if f.Occasions < 3 || f.Burst < 0.9 {
		t.Errorf("a bucket that is emptied: %+v", f)
	}
	f = line{rate: 20e6, delay: 0.05, queue: 10, loss: 0.01}.carries(20)
	if f.Burst > 0.8 {
		t.Errorf("losses by chance: %+v", f)
	}
}

// Where others' packets stand before this stream's, its own do not explain how long
// they wait.
func TestFiguresOfOthers(t *testing.T) {
	f := line{rate: 50e6, delay: 0.01, queue: 10, others: 0.05}.carries(10)
	if f.Foreign < 0.5 {
		t.Errorf("others' queue: %+v", f)
	}
}

// Few acknowledgements tell nothing.
func TestFiguresOfFew(t *testing.T) {
	s := Sends(mss)
	s.Add(sends(0, 1, mss))
	s.Add(answers(100, 1+mss))
	if f, _ := Figures(s.Seen()); f != (live.Packets{}) {
		t.Errorf("%+v", f)
	}
	if f, _ := Figures(nil); f != (live.Packets{}) {
		t.Errorf("of no packets: %+v", f)
	}
}

// A receiver that reads now and then answers most of what is on its way at once; one
// that answers every two segments does not, however its packets bunch.
func TestAnsweredTogether(t *testing.T) {
	for name, c := range map[string]struct {
		answers int // segments
		want    float64
	}{"all ten at once": {10, 1}, "two by two": {2, 0}, "four of ten": {4, 0}} {
		p := &record.Packets{SegmentSize: mss}
		for range 80 {
			for k := 0; k < 10; k += c.answers {
				gap := int32(50)
				if k == 0 {
					gap = 30_000
				}
				p.Gap, p.RTT = append(p.Gap, gap), append(p.RTT, 30_000)
				p.Bytes, p.Flight = append(p.Bytes, int32(min(c.answers, 10-k)*mss)), append(p.Flight, 10*mss)
			}
		}
		if f, _ := Figures(p); math.Abs(f.Together-c.want) > 0.01 {
			t.Errorf("%s: %v, want %v", name, f.Together, c.want)
		}
	}
}
