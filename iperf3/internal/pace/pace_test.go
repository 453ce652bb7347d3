package pace

import (
	"math"
	"testing"
	"time"
)

// simulate lets a sender with a pacer run for a time, woken late by the given
// function, and returns when each packet left.
func simulate(p *Pacer, d time.Duration, late func(wake time.Duration) time.Duration) (left []time.Duration) {
	for now := time.Duration(0); now < d; {
		n, wake := p.Due(now)
		if n == 0 {
			now = wake + late(wake)
			continue
		}
		for range n {
			left = append(left, now)
		}
		p.Sent(float64(n))
	}
	return left
}

func onTime(time.Duration) time.Duration { return 0 }

func TestPacerSingly(t *testing.T) {
	// 1,000 bytes at 8 Mbit/s: one each millisecond.
	left := simulate(New(8e6, 1000), time.Second, onTime)
	if len(left) != 1000 {
		t.Fatalf("%d packets", len(left))
	}
	for n, at := range left {
		if want := time.Duration(n) * time.Millisecond; (at - want).Abs() > time.Microsecond {
			t.Fatalf("packet %d left at %v", n, at)
		}
	}
}

func TestPacerRates(t *testing.T) {
	for _, rate := range []int64{100e3, 5e6, 50e6, 150e6, 300e6, 1e9, 10e9} {
		p := New(rate, 1448)
		left := simulate(p, time.Second, onTime)
		if got := float64(len(left)) * 1448 * 8; math.Abs(got/float64(rate)-1) > 0.12 && math.Abs(got-float64(rate)) > 1448*8 {
			t.Errorf("at %d bit/s: %.0f", rate, got)
		}
		group := 1
		for n := 1; n < len(left); n++ {
			if left[n] == left[n-1] {
				group++
			} else {
				group = 1
			}
			if span := time.Duration(float64(group) * p.interval); group > MinGroup && span > groupSpan+time.Microsecond {
				t.Errorf("at %d bit/s: %d packets at once", rate, group)
				break
			}
		}
	}
}

// A sender that is woken late every time still keeps its rate.
func TestPacerWokenLate(t *testing.T) {
	for _, late := range []time.Duration{100 * time.Microsecond, time.Millisecond, 2 * time.Millisecond, 20 * time.Millisecond} {
		left := simulate(New(20e6, 1448), time.Second, func(time.Duration) time.Duration { return late })
		if got := float64(len(left)) * 1448 * 8; got < 18e6 || got > 20.1e6 {
			t.Errorf("woken %v late: %.0f bit/s", late, got)
		}
	}
}

// A sender that was stalled makes good no more than the backlog, of which only
// the last part at an even pace, and leaves out the rest.
func TestPacerAfterStall(t *testing.T) {
	stalled := false
	p := New(8e6, 1000)
	left := simulate(p, time.Second, func(wake time.Duration) time.Duration {
		if wake > 300*time.Millisecond && !stalled {
			stalled = true
			return 200 * time.Millisecond
		}
		return 0
	})
	if p.skipped < 140 || p.skipped > 160 {
		t.Errorf("%d packets left out of a stall of 200", p.skipped)
	}
	if len(left)+int(p.skipped) != 1000 {
		t.Errorf("%d packets sent, %d left out", len(left), p.skipped)
	}
	for n := 60; n < len(left); n++ {
		if span := left[n] - left[n-60]; span < 4*time.Millisecond {
			t.Fatalf("60 packets within %v at %v", span, left[n])
		}
	}
}

// Whatever rate a peer asks for, and however late the sender is, the pacer lets
// no more leave at once than it may, and never less than nothing.
func TestPacerOfAnyRate(t *testing.T) {
	for _, rate := range []int64{1, 1e3, 1e12, math.MaxInt64} {
		for _, size := range []int{16, 1460, 1 << 20} {
			p := New(rate, size)
			if p.burst < 1 || p.group < p.burst {
				t.Errorf("%d bit/s of %d bytes: bursts of %d, groups of %d", rate, size, p.burst, p.group)
			}
			for _, now := range []time.Duration{0, 1, time.Second, time.Hour, 24 * time.Hour} {
				n, _ := p.Due(now)
				if n < 0 || n > p.group {
					t.Errorf("%d bit/s of %d bytes: %d packets are due at %v", rate, size, n, now)
				}
				p.Sent(float64(n))
				if p.skipped < 0 {
					t.Errorf("%d bit/s of %d bytes: %d skipped at %v", rate, size, p.skipped, now)
				}
			}
		}
	}
}
