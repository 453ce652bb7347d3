package analysis

import (
	"cmp"
	"math"
	"slices"
	"time"

	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/stats"
)

// Varying is a cell whose path changes with time.
type Varying struct {
	Cell int `json:"cell"`
	// Steady is the cell of the same path without its schedule, -1 where there
	// is none, and Ratio the mean throughput over that one's, with the 95 %
	// bootstrap over repetitions.
	Steady   int             `json:"steady_cell"`
	Ratio    float64         `json:"ratio,omitempty"`
	Interval *stats.Interval `json:"interval,omitempty"`
	// Episodes has what the series show around each of the schedule's episodes;
	// empty without series, and of chunked traffic, which rests between chunks.
	Episodes []Around `json:"episodes"`
}

// Around is what a transfer does around an episode: medians over all times that
// it came, in all runs with a series.
type Around struct {
	Episode string  `json:"episode"`
	Times   int     `json:"times"`
	Before  float64 `json:"before_bps"`  // in the AroundBefore before it begins
	First   float64 `json:"first_s_bps"` // in the first second from its beginning
	// Cost is the time for which the rate from before would have carried what
	// it falls short of in the AroundAfter from its beginning. It is negative
	// where it carries more.
	Cost float64 `json:"cost_s"`
	// Recovery is when from its beginning the rate over recoveredOver is first
	// again recoveredShare of the one before, having been below; 0 where it
	// never falls below, -1 where it stays there for AroundAfter.
	Recovery    float64 `json:"recovery_s"`
	RTT         float64 `json:"peak_rtt_s"` // the largest smoothed RTT of the first second
	Cwnd        float64 `json:"before_cwnd_segments"`
	LowCwnd     float64 `json:"least_cwnd_segments"` // in the AroundAfter from its beginning
	Retransmits float64 `json:"retransmits"`         // in the same time
	// Course is the rate and the RTT from AroundBefore before it begins to
	// AroundAfter from there.
	Course []Moment `json:"course"`
}

// Moment is a step of a course.
type Moment struct {
	At   float64 `json:"at_s"`     // from the episode's beginning
	Rate float64 `json:"rate_bps"` // over the courseStep from then
	RTT  float64 `json:"rtt_s"`    // smoothed, at its end
}

// The times that Around looks at, and what counts as recovered.
const (
	AroundBefore   = 2 * time.Second
	AroundAfter    = 5 * time.Second
	recoveredOver  = 500 * time.Millisecond
	recoveredShare = 0.9
	courseStep     = 100 * time.Millisecond
)

// varying finds the cells with a schedule and what their episodes do.
func varying(all []Cell, series []Series) []Varying {
	at := places(all)
	out := []Varying{}
	for i := range all {
		c := &all[i]
		if !c.scheduled() {
			continue
		}
		v := Varying{Cell: i, Steady: -1, Episodes: []Around{}}
		steady := c.condition()
		steady.path = steady.path.Steady()
		if s, ok := at[steady]; ok && all[s].Throughput.Mean > 0 {
			between := contrast(all, s, i, len(out))
			v.Steady, v.Ratio, v.Interval = s, between.Ratio, between.Interval
		}
		if c.Spec.Kind != traffic.Chunked {
			v.Episodes = c.around(series)
		}
		out = append(out, v)
	}
	return out
}

func (c *Cell) scheduled() bool { return c.Path.Schedule != path.Schedule{} }

// around is what the cell's runs do around each episode.
func (c *Cell) around(series []Series) []Around {
	out := []Around{}
	for _, e := range c.Path.Schedule.Episodes() {
		var seen []Around
		for _, s := range series {
			if conditionOf(s.Row) != c.condition() {
				continue
			}
			for _, begin := range c.alone(e) {
				if a, ok := look(s.Samples, begin-c.Path.RTT()*3/2); ok {
					seen = append(seen, a)
				}
			}
		}
		if len(seen) == 0 {
			continue
		}
		median := func(of func(Around) float64) float64 {
			xs := make([]float64, len(seen))
			for i, a := range seen {
				xs[i] = of(a)
			}
			return stats.Median(xs)
		}
		var course []Moment
		for i, m := range seen[0].Course {
			course = append(course, Moment{
				m.At,
				median(func(a Around) float64 { return a.Course[i].Rate }),
				median(func(a Around) float64 { return a.Course[i].RTT }),
			})
		}
		a := Around{
			Episode: e.String(), Times: len(seen),
			Before:      median(func(a Around) float64 { return a.Before }),
			First:       median(func(a Around) float64 { return a.First }),
			Cost:        median(func(a Around) float64 { return a.Cost }),
			RTT:         median(func(a Around) float64 { return a.RTT }),
			Cwnd:        median(func(a Around) float64 { return a.Cwnd }),
			LowCwnd:     median(func(a Around) float64 { return a.LowCwnd }),
			Recovery:    median(func(a Around) float64 { return a.Recovery }),
			Retransmits: median(func(a Around) float64 { return a.Retransmits }),
			Course:      course,
		}
		if math.IsInf(a.Recovery, 1) {
			a.Recovery = -1
		}
		out = append(out, a)
	}
	return out
}

// alone lists the beginnings of an episode, from the path's time zero, near
// which the path does not change otherwise: time zero is when the sender
// connects.
func (c *Cell) alone(e path.Episode) []time.Duration {
	var out []time.Duration
	for begin := e.At; begin <= c.Spec.Duration; begin += e.Every {
		early, late := begin-AroundBefore, begin+AroundAfter
		undisturbed := early > 0
		for at, more := c.Path.Schedule.Next(early); more && at < late; at, more = c.Path.Schedule.Next(at) {
			undisturbed = undisturbed && (at == begin || at == begin+e.For)
		}
		if undisturbed {
			out = append(out, begin)
		}
		if e.Every == 0 {
			break
		}
	}
	return out
}

// look is what a run does around a moment of its series, which counts from the
// receiver's accept: one and a half round trips after the sender connects.
func look(samples []traffic.Sample, begin time.Duration) (Around, bool) {
	if len(samples) == 0 || samples[0].At > begin-AroundBefore || samples[len(samples)-1].At < begin+AroundAfter {
		return Around{}, false
	}
	rate := func(from, to time.Duration) float64 {
		return (received(samples, begin+to) - received(samples, begin+from)) * 8 / (to - from).Seconds()
	}
	a := Around{Before: rate(-AroundBefore, 0), First: rate(0, time.Second)}
	if a.Before <= 0 {
		return Around{}, false
	}
	a.Cost = AroundAfter.Seconds() * (1 - rate(0, AroundAfter)/a.Before)
	a.Recovery = recovery(func(from time.Duration) float64 { return rate(from, from+recoveredOver) / a.Before })
	for at := -AroundBefore; at < AroundAfter; at += courseStep {
		end, _ := slices.BinarySearchFunc(samples, begin+at+courseStep, compareAt)
		a.Course = append(a.Course, Moment{at.Seconds(), rate(at, at+courseStep), samples[min(end, len(samples)-1)].RTT.Seconds()})
	}
	before, _ := slices.BinarySearchFunc(samples, begin, compareAt)
	a.Cwnd, a.LowCwnd = float64(samples[before-1].Cwnd), math.Inf(1)
	for _, s := range samples[before:] {
		if s.At > begin+AroundAfter {
			break
		}
		if s.At <= begin+time.Second {
			a.RTT = max(a.RTT, s.RTT.Seconds())
		}
		a.LowCwnd = min(a.LowCwnd, float64(s.Cwnd))
		a.Retransmits = float64(s.Retrans - samples[before-1].Retrans)
	}
	return a, !math.IsInf(a.LowCwnd, 1)
}

// recovery finds the time, given the share of the earlier rate in the
// recoveredOver from each.
func recovery(share func(from time.Duration) float64) float64 {
	const step = 50 * time.Millisecond
	fell := false
	for from := time.Duration(0); from+recoveredOver <= AroundAfter; from += step {
		switch s := share(from); {
		case !fell && s < recoveredShare && from <= time.Second:
			fell = true
		case fell && s >= recoveredShare:
			return (from + recoveredOver).Seconds()
		}
	}
	if fell {
		return math.Inf(1)
	}
	return 0
}

// received is what the receiver had read by a time, between two samples on a
// straight line.
func received(samples []traffic.Sample, at time.Duration) float64 {
	i, there := slices.BinarySearchFunc(samples, at, compareAt)
	if there || i == 0 || i == len(samples) {
		return float64(samples[min(i, len(samples)-1)].Received)
	}
	a, b := samples[i-1], samples[i]
	return float64(a.Received) + float64(b.Received-a.Received)*float64(at-a.At)/float64(b.At-a.At)
}

func compareAt(s traffic.Sample, at time.Duration) int { return cmp.Compare(s.At, at) }
