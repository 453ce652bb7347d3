package vantage

import (
	"fmt"
	"math"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/theory"
)

// reference is a cause as the affected places have it, by which the others are
// asked whether they have it too.
type reference struct {
	cause finding.Cause
	dir   record.Direction
	size  float64 // loss or reordering as a ratio, a wait in seconds, a policer's bit/s
	rate  float64 // bit/s that the affected places come to at the most
	rtt   float64 // of the affected places, the longest
}

func referenceOf(views []*view, cause finding.Cause, d record.Direction) reference {
	r := reference{cause: cause, dir: d}
	var sizes []float64
	for _, v := range views {
		w := v.ways[d]
		if w == nil || w.has(cause) != affected {
			continue
		}
		if size, ok := w.size(cause); ok {
			sizes = append(sizes, size)
		}
		r.rate = max(r.rate, w.capacity.Median)
		r.rtt = max(r.rtt, v.seen.RTT.Median)
	}
	r.size = figureOf(sizes).Median
	return r
}

// size is how large the cause is in a direction, in its own unit.
func (w *way) size(cause finding.Cause) (float64, bool) {
	var all []float64
	for _, f := range w.figures {
		switch cause {
		case finding.LossLimited:
			all = append(all, lossOf(f))
		case finding.Reordering:
			if f.Seen > 0 {
				all = append(all, float64(f.Strays)/float64(f.Seen))
			}
		case finding.Policed:
			if f.Policer > 0 {
				all = append(all, f.Policer)
			} else {
				all = append(all, f.Capacity)
			}
		case finding.Bufferbloat, finding.Congested:
			all = append(all, waitOf(f))
		}
	}
	return figureOf(all).Median, len(all) > 0
}

// lossOf is a round's loss: of UDP below the ceiling, else the stream's own.
func lossOf(f diagnose.Figures) float64 {
	if f.Probed > 0 {
		return float64(f.Lost) / float64(f.Probed)
	}
	return f.Losses.RealRatio()
}

// waitOf is the longest wait that load brought about in a round, in seconds.
func waitOf(f diagnose.Figures) float64 {
	wait := max(f.OwnWait, f.Wait, 0)
	for _, s := range []float64{f.Loaded.Mid, f.Busier.Mid} {
		if s > 0 && f.Idle.N > 0 {
			wait = max(wait, s-f.Idle.Mid)
		}
	}
	return wait
}

// inFlight is what one stream had on the way, in bytes, by the round that had
// most.
func (w *way) inFlight() float64 {
	most := 0.0
	for _, f := range w.figures {
		most = max(most, f.InFlight, f.Rate/8*f.Idle.Mid)
	}
	return most
}

// ask says whether a place has the cause as well.
func (r reference) ask(v *view, w *way) tells {
	if t := w.has(r.cause); t != clean {
		return t
	}
	switch r.cause {
	case finding.LossLimited:
		return r.askLoss(v, w)
	case finding.Reordering:
		return r.askOrder(w)
	case finding.Policed:
		size, _ := w.size(r.cause)
		switch {
		case w.capacity.Median > beyondLimit*r.size:
			return clean
		case size > r.size/atLimit && w.policed():
			return affected
		}
		return silent
	case finding.Bufferbloat, finding.Congested:
		wait, _ := w.size(r.cause)
		switch {
		case w.capacity.Median < reached*r.rate:
			return silent // it did not fill what they fill
		case wait > r.size/alike:
			return silent
		}
		return clean
	}
	// What depends on the distance shows at places as far away alone.
	s := w.summary(r.dir)
	if s.Verdict == finding.Healthy && w.rate.Median > Matters*r.rate ||
		s.Verdict == finding.Healthy && v.seen.RTT.Median >= r.rtt/2 && w.rate.Median >= reached*r.rate {
		return clean
	}
	return silent
}

// policed says that a policer showed in any round.
func (w *way) policed() bool {
	for _, f := range w.figures {
		if f.Policer > 0 {
			return true
		}
	}
	return false
}

// askLoss holds a place's losses against the affected ones'. Packets sent below
// the ceiling tell either way. Where there are none, a stream tells that carried
// far more than such a loss would have let it.
func (r reference) askLoss(v *view, w *way) tells {
	var lost, probed int64
	real, segments := int64(0), int64(0)
	resistant := false
	for _, f := range w.figures {
		lost, probed = lost+f.Lost, probed+f.Probed
		real, segments = real+f.Losses.Real, segments+f.Losses.Segments
		resistant = resistant || !congestion.LossBasedOrUnknown(f.CC)
	}
	if probed >= leastPackets {
		switch low, high := between(lost, probed); {
		case high < r.size/alike:
			return clean
		case low > r.size/alike:
			return affected
		}
	}
	if segments >= leastPackets {
		if _, high := between(real, segments); high < r.size/alike {
			return clean
		}
	}
	f := w.figures[len(w.figures)-1]
	if !resistant && w.rate.Median > 2*theory.CubicRate(v.seen.RTT.Median, r.size, f.MSS) {
		return clean
	}
	return silent
}

func (r reference) askOrder(w *way) tells {
	var strays, seen int64
	for _, f := range w.figures {
		strays, seen = strays+f.Strays, seen+f.Seen
	}
	if seen < leastPackets {
		return silent
	}
	switch low, high := between(strays, seen); {
	case high < r.size/alike:
		return clean
	case low > r.size/alike:
		return affected
	}
	return silent
}

// between is the 95 % interval of a proportion: Wilson, "Probable Inference, the
// Law of Succession, and Statistical Inference" (1927).
func between(k, n int64) (low, high float64) {
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(centre-half, 0), min(centre+half, 1)
}

// words are the figures that a segment rests on.
func (r reference) words(s *survey, said map[*view]tells) []string {
	var out []string
	for _, v := range s.views {
		w := v.ways[r.dir]
		if w == nil {
			continue
		}
		what := r.figure(w)
		switch said[v] {
		case affected:
			out = append(out, fmt.Sprintf("%s has it: %s.", v.seen.Name, what))
		case clean:
			out = append(out, fmt.Sprintf("%s has it not: %s.", v.seen.Name, what))
		case silent:
			out = append(out, fmt.Sprintf("%s cannot tell: %s.", v.seen.Name, what))
		}
	}
	return out
}

// figure is what of a place speaks for or against the cause.
func (r reference) figure(w *way) string {
	carries := "one stream carries " + rate(w.rate.Median)
	size, known := w.size(r.cause)
	switch r.cause {
	case finding.LossLimited:
		return fmt.Sprintf("%s of its packets lost, %s", percent(size), carries)
	case finding.Reordering:
		if known {
			return fmt.Sprintf("%s of its packets out of order, %s", percent(size), carries)
		}
	case finding.Policed:
		if w.policed() {
			return fmt.Sprintf("packets above %s vanish, %s", rate(size), carries)
		}
		return fmt.Sprintf("it reaches %s", rate(w.capacity.Median))
	case finding.Bufferbloat, finding.Congested:
		return fmt.Sprintf("under load packets wait %s at %s", duration(size), rate(w.capacity.Median))
	}
	return carries
}
