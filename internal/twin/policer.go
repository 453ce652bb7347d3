package twin

import (
	"cmp"
	"math"
	"slices"

	"unchoke/internal/record"
)

// rung is UDP that met a policer: when, how fast, what of it came through.
type rung struct {
	start, duration float64 // s
	sent            float64 // bit/s of payload
	arrived         float64 // bits of payload
	whole           float64 // of these, before the first packet was lost; 0 where that is not known
}

// Bucket is a token bucket that could be.
type Bucket struct {
	Rate   float64 // bit/s of link-layer frames
	Burst  float64 // bytes of frames
	misfit float64
}

// policer is what a direction's rungs tell of a bucket of about a rate in bit/s.
func (w *Way) policer(r *record.Run, d record.Direction, limit, frame float64) Policer {
	return policerOf(rungsOf(r, d, w.figures.Lost > 0), limit, datagram(frame, w.figures.MSS))
}

// policerOf finds the bucket's rate and size. A bucket lets pass what it holds
// at the start of a rung and what it earns meanwhile, and fills up again in
// between: so each rung above the rate tells of both, and rungs of one length
// of one as much as of the other. All are tried that could be; those that 95 of
// 100 records allow remain.
func policerOf(rungs []rung, limit, frame float64) Policer {
	out := Policer{Sure: 1}
	best := math.Inf(1)
	for i := range rateSteps {
		rate := limit * math.Exp(float64(i)/(rateSteps-1)*math.Log(mostRate/leastRate)) * leastRate
		for j := range burstSteps {
			burst := leastBurst * math.Exp(float64(j)/(burstSteps-1)*math.Log(mostBurst/leastBurst))
			b := Bucket{rate * frame, burst, misfit(rungs, rate, burst*8/frame)}
			best = min(best, b.misfit)
			out.Buckets = append(out.Buckets, b)
		}
	}
	out.Buckets = slices.DeleteFunc(out.Buckets, func(b Bucket) bool { return b.misfit > best+unlikely })
	slices.SortStableFunc(out.Buckets, func(a, b Bucket) int { return cmp.Compare(a.Burst, b.Burst) })
	return out
}

// unlikely is half of the 95th percentile of χ² with two degrees of freedom: how
// much more than the best one's a bucket's misfit may be.
const unlikely = 3.0

// What is tried: rates about that of the rungs above, which lies above the
// bucket's by what it held, and bursts from two packets to a second's worth of
// 24 Mbit/s.
const (
	rateSteps, burstSteps = 41, 49
	leastRate, mostRate   = 0.65, 1.06
	leastBurst, mostBurst = 3e3, 3e6
)

// clearlyAbove a bucket's rate, that rate's error changes little of when it is empty.
const clearlyAbove = 1.3

// rungsOf are a direction's rungs in order of time. Where packets are lost below the
// policer's rate as well, the first that is lost need not be the policer's.
func rungsOf(r *record.Run, d record.Direction, lossy bool) []rung {
	var out []rung
	for _, t := range r.Transfers {
		if u := t.UDP; t.Direction == d && u != nil && u.Packets > 0 && t.Duration > 0 {
			bits := float64(u.Payload) * 8
			x := rung{t.Started, t.Duration, u.Sent, float64(u.Packets-u.Lost) * bits, float64(u.BeforeLoss) * bits}
			if lossy {
				x.whole = 0
			}
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b rung) int { return cmp.Compare(a.start, b.start) })
	return out
}

// misfit is how far a bucket's fluid is from what arrived, and from what did before the
// first packet was lost, as half the sum of squares in standard errors. The error is two
// hundredths of what arrived, a tenth of what did before the first loss, and two packets.
func misfit(rungs []rung, rate, burst float64) float64 {
	level, at, sum := burst, 0.0, 0.0 // a bucket that nobody used is full
	for _, x := range rungs {
		level = min(burst, level+rate*max(x.start-at, 0))
		sent := x.sent * x.duration
		if x.whole > 0 && x.sent > clearlyAbove*rate {
			whole := level / (1 - rate/x.sent)
			off := (x.whole - whole) / (0.1*whole + 2*1500*8)
			sum += off * off / 2
		}
		passed := min(sent, level+rate*x.duration)
		level = min(burst, level+rate*x.duration-passed)
		at = x.start + x.duration
		if x.sent > rate {
			off := (x.arrived - passed) / (0.02*x.arrived + 2*1500*8)
			sum += off * off / 2
		}
	}
	return sum
}
