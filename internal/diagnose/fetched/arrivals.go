package fetched

import (
	"math"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/wire"
)

// arrivals is what a receiver's TCP_INFO says of what came, and when.
type arrivals struct {
	at       []float64 // of each look, in seconds
	segments []float64 // that had come by then, out of order or not
	inOrder  []float64 // bytes
	stray    []float64 // segments out of order
	window   []float64 // bytes that this end offered
}

func arrivalsOf(s record.Series) arrivals {
	var a arrivals
	for _, x := range s.Samples {
		i := x.Info
		a.at = append(a.at, x.At)
		a.segments = append(a.segments, float64(i.DataSegsIn))
		a.inOrder = append(a.inOrder, float64(i.BytesReceived))
		a.stray = append(a.stray, float64(i.RcvOOOPack))
		a.window = append(a.window, flow.Window(&i))
	}
	return a
}

// known says that the kernel tells of arrivals at all.
func (a arrivals) known() bool { return len(a.at) > 1 && a.segments[len(a.at)-1] > 0 }

func (a arrivals) total() float64 { return last(a.segments) }

func (a arrivals) strays() float64 { return last(a.stray) }

// since is the index of the first look at a time or later.
func (a arrivals) since(at float64) int {
	for i, t := range a.at {
		if t >= at {
			return i
		}
	}
	return len(a.at)
}

// segmentSize is the mean payload of a segment in bytes: the kernel's estimate
// begins at 536, and what was lost and sent again hardly counts.
func (a arrivals) segmentSize() float64 {
	if a.total() < 10 {
		return wire.Segment
	}
	return stats.Clamp(last(a.inOrder)/a.total(), 500, 1460)
}

// span is a time in which nothing of a kind happened, in seconds.
type span struct{ at, length float64 }

// holes are the times in which segments came and none was the next in order.
func (a arrivals) holes() []span {
	var out []span
	began := -1
	for i := 1; i < len(a.at); i++ {
		moved, came := a.inOrder[i] > a.inOrder[i-1], a.segments[i] > a.segments[i-1]
		switch {
		case !moved && came && began < 0:
			began = i - 1
		case moved && began >= 0:
			out = append(out, span{a.at[began], a.at[i] - a.at[began]})
			began = -1
			if a.stray[i] > a.stray[i-1] && came {
				began = i // filled, and open again within one look
			}
		}
	}
	if began >= 0 && len(a.at) > 0 {
		out = append(out, span{a.at[began], a.at[len(a.at)-1] - a.at[began]})
	}
	return out
}

// straysOutside counts what came out of order while no hole of a length was
// open.
func (a arrivals) straysOutside(holes []span) float64 {
	n, h := 0.0, 0
	for i := 1; i < len(a.at); i++ {
		for h < len(holes) && holes[h].at+holes[h].length <= a.at[i-1]+1e-9 {
			h++
		}
		inside := h < len(holes) && a.at[i] > holes[h].at
		if !inside {
			n += a.stray[i] - a.stray[i-1]
		}
	}
	return n
}

// pauses are the times from one to another in which nothing came at all.
func (a arrivals) pauses(from, to float64) []span {
	var out []span
	began := -1
	for i := max(a.since(from), 1); i < len(a.at) && a.at[i] <= to; i++ {
		switch quiet := a.segments[i] == a.segments[i-1]; {
		case quiet && began < 0:
			began = i - 1
		case !quiet && began >= 0:
			out = append(out, span{a.at[began], a.at[i] - a.at[began]})
			began = -1
		}
	}
	return out
}

// perLook is how many segments came from look to look, and the looks' distance in
// seconds: nothing where they are too few for a period.
func (a arrivals) perLook(from, to float64) (segments []float64, every float64) {
	first := max(a.since(from), 1)
	for i := first; i < len(a.at) && a.at[i] <= to; i++ {
		segments = append(segments, a.segments[i]-a.segments[i-1])
	}
	if len(segments) < 20 {
		return nil, 0
	}
	return segments, (min(to, last(a.at)) - a.at[first]) / float64(len(segments)-1)
}

// peak is the most segments a second that came within a window of time.
func (a arrivals) peak(from, window float64) float64 {
	most, j := 0.0, a.since(from)
	for i := j; i < len(a.at); i++ {
		for a.at[i]-a.at[j] > window*1.001 {
			j++
		}
		if d := a.at[i] - a.at[j]; d >= 0.7*window {
			most = max(most, (a.segments[i]-a.segments[j])/d)
		}
	}
	return most
}

// recurs is the autocorrelation of what came, at a lag in seconds; looks must be
// at like distances. It is 0 where the series is too short for that.
func (a arrivals) recurs(from, to, lag float64) float64 {
	return a.recursAt(from, to, lag, func(int, float64) bool { return true })
}

// recursBeside is the same at a share of a lag. Where the lag is a few looks long,
// a look next to it is the lag itself, and does not count.
func (a arrivals) recursBeside(from, to, lag, share float64) float64 {
	return a.recursAt(from, to, share*lag, func(k int, every float64) bool { return math.Abs(float64(k)-lag/every) > 0.9 })
}

// strongest is the lag in seconds, of up to so many looks, at which what came
// recurs most, and the autocorrelation there.
func (a arrivals) strongest(from, to float64) (lag, most float64) {
	x, every := a.perLook(from, to)
	for k := 2; k <= longestPeriod && k < len(x)/3; k++ {
		if c := autocorrelation(x, k); c > most {
			lag, most = float64(k)*every, c
		}
	}
	return lag, most
}

// recursAt is the higher one of the autocorrelations at the looks before and
// after a lag, a round trip being no whole number of looks: of those that count.
func (a arrivals) recursAt(from, to, lag float64, counts func(k int, every float64) bool) float64 {
	x, every := a.perLook(from, to)
	if x == nil {
		return 0
	}
	best := 0.0
	for _, k := range []int{int(math.Floor(lag / every)), int(math.Ceil(lag / every))} {
		if k >= 2 && k < len(x)/3 && counts(k, every) {
			best = max(best, autocorrelation(x, k))
		}
	}
	return best
}

func autocorrelation(x []float64, lag int) float64 {
	mean := stats.Mean(x)
	var own, other float64
	for i := range x {
		own += (x[i] - mean) * (x[i] - mean)
		if i >= lag {
			other += (x[i] - mean) * (x[i-lag] - mean)
		}
	}
	if own == 0 {
		return 0
	}
	return other / own
}

func last(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)-1]
}
