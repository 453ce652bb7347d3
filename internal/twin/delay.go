package twin

import (
	"math"

	"unchoke/internal/flow"
	"unchoke/internal/path"
	"unchoke/internal/record"
)

// delays fits both directions' delay and jitter. An echo's RTT holds both
// directions, whose variances add. Where one of them alone reorders, and so
// surely varies, its jitter is all there is: a queue's would show in both.
func (f *Fit) delays(r *record.Run) {
	idle := f.Down.figures.Idle.Or(f.Up.figures.Idle)
	// The standard error of a median is 1.25 σ/√n, of a normal distribution
	// (Kenney and Keeping, "Mathematics of Statistics", 1951); twice that holds it
	// in 95 of 100.
	base, off := idle.Mid, 2*1.25*idle.Dev/math.Sqrt(float64(max(idle.N, 1)))
	if base <= 0 {
		f.NotRebuilt = append(f.NotRebuilt, "no round-trip time was measured: no echo probe was answered, and no sender here told one")
	}
	up, down := f.Up.strays(), f.Down.strays()
	shares := map[record.Direction]float64{record.Up: 0.5, record.Down: 0.5}
	switch {
	case up && !down:
		shares = map[record.Direction]float64{record.Up: 1}
	case down && !up:
		shares = map[record.Direction]float64{record.Down: 1}
	}
	for _, d := range record.Directions {
		w := f.way(d)
		w.Delay, w.Quiet = Param{base / 2, (base - off) / 2, (base + off) / 2}, idle.Low/2
		if w.figures.Shared {
			w.Delay.Low = w.Quiet // what stands in the queue for others
		}
		w.Dist, w.Order = path.Normal, path.Keep
		if idle.N > 1 {
			w.Jitter = probed(idle, shares[d])
		} else if w.Jitter = w.unprobed(f.way(d.Opposite()), base); w.Jitter.Known() {
			w.Delay.High += lateMost * w.Jitter.Value // the floor of a stream's RTT is its packets' that were fastest
		}
		if !w.Jitter.Known() {
			continue
		}
		if w.strays() {
			w.Order = path.Free
		}
		w.Dist = shape(idle)
		if w.Order == path.Free && f.Down.figures.DelaysEvenly {
			w.Dist = path.Uniform // seen one way, and both ways vary for the same reason
		}
	}
}

// probed is the jitter of a way that has a share of the variance of the echoes' RTT. The
// standard error of a standard deviation is σ/√2n.
func probed(idle flow.Spread, share float64) Param {
	sigma := idle.Dev * math.Sqrt(share)
	if sigma < telling(idle.Mid) {
		return Param{}
	}
	return about(sigma, 1+2/math.Sqrt(2*float64(idle.N)))
}

// unprobed is the jitter of a way on which no echo tells of it, at an RTT in seconds: what
// the packets have that this host timed there, or on the other way, which may have none
// of it. Where none were timed it is not known. Packets that overtook each other had
// some.
func (w *Way) unprobed(other *Way, rtt float64) Param {
	least := telling(rtt)
	f, o := w.figures, other.figures
	switch {
	case f.Timed && (f.DelayDev >= least || w.strays()):
		return about(max(f.DelayDev, least), timedError)
	case f.Timed:
		return Param{}
	case w.strays():
		return Param{unseenLikely * rtt, least, max(unseenMost*rtt, least)}
	case o.Timed && o.DelayDev < least:
		return Param{}
	case o.Timed:
		return Param{o.DelayDev, 0, timedError * o.DelayDev}
	}
	return Param{0, 0, unseenLikely * rtt}
}

const (
	// timedError: of 18 kept downloads with jitter, the delays of packets that were sent
	// evenly had 0.5 to 1.7 times its standard deviation; of 90 without, 0.01 ms.
	timedError = 2
	// As a share of the RTT, jitter that nothing tells: 19 kept paths with jitter have 0.04
	// to 0.4, most of them 0.1 to 0.2.
	unseenLikely, unseenMost = 0.1, 0.4
	// lateMost is how many standard deviations the mean of many delays lies above their
	// least.
	lateMost = 3
)

// telling is the least jitter in seconds that counts at an RTT.
func telling(rtt float64) float64 { return max(leastJitter*rtt, leastJitterSeconds) }

// Jitter below a fortieth of the RTT moves neither HyStart, which waits for an
// eighth (tcp_cubic.c), nor a queue's length; below a fifth of a millisecond it
// is the probes' own.
const (
	leastJitter        = 0.025
	leastJitterSeconds = 0.0002
)

// strays says that packets of a direction overtook each other: three at least,
// one in two thousand.
func (w *Way) strays() bool {
	f := w.figures
	return f.Strays >= 3 && float64(f.Strays) > 0.0005*float64(f.Seen) || f.Reordered && f.Losses.ReordSeen > 0
}

// shape tells a distribution with a long tail from a symmetrical one: of the
// normal one, the distances of both outer quantiles to the median are the same.
func shape(s flow.Spread) path.Dist {
	if s.High-s.Mid > longTail*(s.Mid-s.Low) {
		return path.ParetoNormal
	}
	return path.Normal
}

// longTail: of seventy samples the two distances of a normal distribution
// differ by less in nine of ten cases.
const longTail = 1.6
