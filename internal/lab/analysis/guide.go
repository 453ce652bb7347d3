package analysis

import (
	"cmp"
	"math"
	"slices"

	"unchoke/internal/path"
)

// GuideRule says how the decision guide is derived.
const GuideRule = "Only one stream on paths of delay, jitter that may reorder and random loss counts. Conditions are sorted by one impairment, with the other absent, and split into the fewest bands that explain the results: each further band must explain at least two more conditions. A condition is decided if the interval of the throughput ratio excludes 1 or stays within a factor of 1.1. A ratio below 1.1 counts as the same. Undecided conditions count for neither side. A band recommends its most frequent result if at least three quarters of its decided conditions agree; otherwise it says to measure both. Edges lie midway between neighboring conditions."

// Advice is the decision guide along one impairment.
type Advice struct {
	Axis Axis   `json:"axis"`
	CC   string `json:"cc"` // against CUBIC
	// Least and Most are the ends of what was measured: a band says nothing of
	// what is beyond them.
	Least float64 `json:"least_measured"`
	Most  float64 `json:"most_measured"`
	Bands []Band  `json:"bands"`
}

// Band is a range of the impairment with one advice.
type Band struct {
	From float64 `json:"from"` // 0 of the first
	To   float64 `json:"to"`   // -1 of the last: no upper end
	// Use names a congestion control, "either" where both carry the same, or
	// "measure" where the conditions disagree.
	Use        string  `json:"use"`
	Faster     int     `json:"faster"` // conditions in which the other control is faster than CUBIC
	Slower     int     `json:"slower"`
	Same       int     `json:"same"`
	Unclear    int     `json:"unclear"`
	Ratio      float64 `json:"median_ratio"`
	Conditions int     `json:"conditions"`
}

const (
	UseEither  = "either"
	UseMeasure = "measure"
)

// agreementShare is how much of a band's decided conditions must agree for
// advice.
const agreementShare = 0.75

// leastConditions are what a guide along an impairment rests on.
const leastConditions = 4

// bandCost is how many conditions a further band must explain.
const bandCost = 2

// point is a condition on the guide's axis.
type point struct {
	at     float64
	answer Answer
	ratio  float64
}

func guide(all []Cell, list []Contrast) []Advice {
	out := []Advice{}
	var names []string
	for _, c := range list {
		names = append(names, c.CC)
	}
	for _, cc := range distinct(names) {
		for _, axis := range []Axis{AlongJitter, AlongLoss} {
			var points []point
			for _, c := range list {
				cell := &all[c.Other]
				at, other := cell.JitterRatio, cell.Loss
				if axis == AlongLoss {
					at, other = cell.Loss, cell.JitterRatio
				}
				if c.CC != cc || other > 0 || !cell.plain() {
					continue
				}
				points = append(points, point{at, c.Answer, c.Ratio})
			}
			slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
			if len(points) < leastConditions || points[0].at == points[len(points)-1].at {
				continue
			}
			bands := segment(points)
			for i := range bands {
				bands[i].Use = bands[i].advice(cc)
			}
			out = append(out, Advice{axis, cc, points[0].at, points[len(points)-1].at, bands})
		}
	}
	return out
}

// plain says whether nothing but delay, jitter that may reorder and random loss
// decides what the cell's one stream carries. All else, such as a bottleneck of
// any kind or losses in bursts, is another question.
func (c *Cell) plain() bool {
	rest := c.Path
	if rest.MTU == path.DefaultMTU {
		rest.MTU = 0
	}
	for _, d := range []*path.Direction{&rest.Up, &rest.Down} {
		d.Delay, d.Jitter, d.Dist = 0, 0, ""
		if d.Order == path.Free {
			d.Order = ""
		}
		if !d.Loss.Burst {
			d.Loss = path.Loss{}
		}
	}
	rest.Down.Order = "" // acknowledgements add up, in whatever order they come
	return rest == path.Path{} && c.Sides.Streams <= 1 && c.Sides.Neighbor == ""
}

// segment cuts the sorted points into the bands that cost least: the conditions that
// a band's most frequent answer leaves unexplained, and bandCost a band.
func segment(points []point) []Band {
	n := len(points)
	best, from := make([]int, n+1), make([]int, n+1)
	for end := 1; end <= n; end++ {
		best[end] = math.MaxInt
		if end < n && points[end].at == points[end-1].at {
			continue // no edge between equals
		}
		for start := range end {
			if best[start] == math.MaxInt {
				continue
			}
			if cost := best[start] + bandOf(points[start:end]).unexplained() + bandCost; cost < best[end] {
				best[end], from[end] = cost, start
			}
		}
	}
	var bands []Band
	for end := n; end > 0; end = from[end] {
		b := bandOf(points[from[end]:end])
		if from[end] > 0 {
			b.From = (points[from[end]-1].at + points[from[end]].at) / 2
		}
		b.To = -1
		if end < n {
			b.To = (points[end-1].at + points[end].at) / 2
		}
		bands = append(bands, b)
	}
	slices.Reverse(bands)
	return bands
}

func bandOf(points []point) Band {
	b := Band{Conditions: len(points)}
	var ratios []float64
	for _, p := range points {
		ratios = append(ratios, p.ratio)
		switch p.answer {
		case Faster:
			b.Faster++
		case Slower:
			b.Slower++
		case Same:
			b.Same++
		default:
			b.Unclear++
		}
	}
	slices.Sort(ratios)
	b.Ratio = math.Sqrt(ratios[(len(ratios)-1)/2] * ratios[len(ratios)/2])
	return b
}

func (b Band) decided() int { return b.Faster + b.Slower + b.Same }

func (b Band) unexplained() int { return b.decided() - max(b.Faster, b.Slower, b.Same) }

func (b Band) advice(cc string) string {
	most := max(b.Faster, b.Slower, b.Same)
	switch {
	case most == 0 || float64(most) < agreementShare*float64(b.decided()):
		return UseMeasure
	case most == b.Faster:
		return cc
	case most == b.Slower:
		return baseline
	}
	return UseEither
}
