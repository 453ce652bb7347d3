package analysis

import (
	"fmt"
	"math"

	"unchoke/internal/lab/reference"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
	"unchoke/internal/unit"
)

// Reference is the article's figure for a cell.
type Reference struct {
	Mean     float64         `json:"mean_bps"`
	Interval *stats.Interval `json:"mean_interval_bps"` // 95 %, Student's t
	Runs     int             `json:"runs"`
	CV       float64         `json:"cv_ratio"`
	Ratio    float64         `json:"ratio"` // this study's mean over the article's
}

// Agreement compares a study with the article, each sender rate on its own,
// and with theory.
type Agreement struct {
	Jitter    []Compared `json:"jitter"`
	Loss      []Compared `json:"loss"`
	Ranks     []Rank     `json:"ranks"`
	Published []Compared `json:"published"`
	Theory    []Compared `json:"theory"`
}

// Compared is one cell beside what it is compared with.
type Compared struct {
	Cell   int     `json:"cell"` // -1 where several cells are pooled
	What   string  `json:"what"`
	CC     string  `json:"cc"`
	Mean   float64 `json:"mean_bps"`
	Want   float64 `json:"want_bps"`
	Ratio  float64 `json:"ratio"`  // Mean over Want
	Within float64 `json:"within"` // the factor, either way, that is agreement
	Agrees bool    `json:"agrees"`
}

// Rank is whether both studies have the same congestion control ahead.
type Rank struct {
	Path   path.Path    `json:"path"`
	Rate   unit.BitRate `json:"offered_bps"`
	Ours   float64      `json:"ratio"`         // BBR over CUBIC
	Theirs float64      `json:"article_ratio"` // BBR over CUBIC
	Agrees bool         `json:"agrees"`
}

// Tolerances, as factors either way. A jitter cell near the cliff has a
// coefficient of variation of up to 0.7 over five runs; loss cells stay below
// 0.3.
const (
	jitterWithin = 1.5
	lossWithin   = 1.25
	cubicWithin  = 1.25
	bbrWithin    = 1.10
)

// articleSpec is the article's traffic but for its rate and duration.
var articleSpec = traffic.Spec{Kind: traffic.Paced, Write: 8 * unit.KiB, ReceiveBuffer: 256 * unit.KiB, Read: 16 * unit.KiB}

// article says whether a cell is set up as the article's runs were.
func (c *Cell) article() bool {
	s := c.Spec
	return s.Kind == articleSpec.Kind && s.Write == articleSpec.Write && !s.CatchUp && s.SendBuffer == 0 &&
		s.ReceiveBuffer == articleSpec.ReceiveBuffer && s.Read == articleSpec.Read && s.Omit == 0 &&
		c.Sides.Streams <= 1 && c.Sides.Neighbor == "" && c.Path.Up == c.Path.Down
}

// agree fills in each cell's reference and lists the comparisons.
func agree(all []Cell) Agreement {
	var a Agreement
	loss := references(reference.Loss())
	jitter := references(reference.Jitter())
	a.Jitter = against(all, jitter, jitterWithin)
	a.Loss = against(all, loss, lossWithin)
	a.Ranks = append(append([]Rank{}, ranks(all, jitter)...), ranks(all, loss)...)
	a.Published = published(all)
	a.Theory = againstTheory(all)
	return a
}

// setup is what tells the article's cells apart.
type setup struct {
	path path.Path
	cc   string
	rate unit.BitRate
}

func references(runs []reference.Run) map[setup]Reference {
	grouped := map[setup][]float64{}
	for _, r := range runs {
		k := setup{r.Path, r.CC, r.Rate}
		grouped[k] = append(grouped[k], r.Throughput)
	}
	out := map[setup]Reference{}
	for k, xs := range grouped {
		s := sample(xs)
		out[k] = Reference{Mean: s.Mean, Interval: s.Interval, Runs: s.N, CV: s.CV}
	}
	return out
}

func (c *Cell) setup() setup { return setup{c.Path, c.CC, c.Spec.Rate} }

// against compares the cells with one of the article's sets. A cell's own
// reference is the larger set's that has it.
func against(all []Cell, refs map[setup]Reference, within float64) []Compared {
	out := []Compared{}
	for i := range all {
		c := &all[i]
		r, ok := refs[c.setup()]
		if !ok || !c.article() {
			continue
		}
		r.Ratio = c.Throughput.Mean / r.Mean
		if c.Reference == nil {
			c.Reference = &r
		}
		out = append(out, compared(i, c, RateWords(c.Spec.Rate), r.Mean, within))
	}
	return out
}

func compared(i int, c *Cell, what string, want, within float64) Compared {
	ratio := c.Throughput.Mean / want
	return Compared{i, what, c.CC, c.Throughput.Mean, want, ratio, within, isWithin(ratio, within)}
}

func isWithin(ratio, factor float64) bool { return ratio >= 1/factor && ratio <= factor }

// ranks compares which congestion control leads wherever the article's
// intervals tell.
func ranks(all []Cell, refs map[setup]Reference) []Rank {
	ours := map[setup]float64{}
	for i := range all {
		if all[i].article() {
			ours[all[i].setup()] = all[i].Throughput.Mean
		}
	}
	var out []Rank
	for i := range all {
		c := &all[i]
		if !c.article() || c.CC != baseline {
			continue
		}
		k := c.setup()
		other := k
		other.cc = "bbr"
		mean, measured := ours[other]
		cubic, ok1 := refs[k]
		bbr, ok2 := refs[other]
		if !measured || c.Throughput.Mean == 0 || !ok1 || !ok2 || overlap(*cubic.Interval, *bbr.Interval) {
			continue
		}
		r := Rank{Path: c.Path, Rate: c.Spec.Rate, Ours: mean / c.Throughput.Mean, Theirs: bbr.Mean / cubic.Mean}
		r.Agrees = (r.Ours > 1) == (r.Theirs > 1)
		out = append(out, r)
	}
	return out
}

func overlap(a, b stats.Interval) bool { return a.Low <= b.High && b.Low <= a.High }

// published compares with what the article's text prints: means over both
// sender rates. The printed figure stands for all that round to it, so the
// nearest of them is compared.
func published(all []Cell) []Compared {
	out := []Compared{}
	for _, p := range reference.Text() {
		var means []float64
		for i := range all {
			c := &all[i]
			if c.Path == p.Path && c.CC == p.CC && c.article() {
				means = append(means, c.Throughput.Mean)
			}
		}
		if len(means) == 0 {
			continue
		}
		mean := stats.Mean(means)
		nearest := math.Min(math.Max(mean, p.Throughput-p.Resolution/2), p.Throughput+p.Resolution/2)
		within := jitterWithin
		if p.Path.Up.Jitter == 0 {
			within = lossWithin
		}
		ratio := mean / nearest
		out = append(out, Compared{-1, p.Where + ": " + p.Path.String(), p.CC, mean, p.Throughput, mean / p.Throughput, within, isWithin(ratio, within)})
	}
	return out
}

// Theory holds for a long transfer of all that TCP takes: a short one is still
// in its slow start.
const theorySeconds = 60

// againstTheory compares bulk cells with random loss with what models expect:
// CUBIC where its window is what limits, BBR on a path with a bottleneck.
func againstTheory(all []Cell) []Compared {
	out := []Compared{}
	for i := range all {
		c := &all[i]
		s := c.Spec
		if s.Kind != traffic.Bulk || s.Omit == 0 || s.Duration.Seconds() < theorySeconds || c.Jitter > 0 || c.scheduled() ||
			c.Path.Up.Loss.Burst || c.Path.Up.Policer != (path.Policer{}) || c.Sides.Streams > 1 || c.Sides.Neighbor != "" {
			continue
		}
		mss := segmentPayload(c.Path)
		wire := float64(c.Path.Up.Rate) * float64(mss) / float64(mss+headers+c.Path.Tunnel.Headers()+ethernet)
		switch {
		case c.CC == "cubic" && c.Loss > 0:
			if want := theory.CubicRate(c.RTT, c.Loss, mss); c.Path.Up.Rate == 0 || want < wire/2 {
				out = append(out, compared(i, c, theory.CubicSource, want, cubicWithin))
			}
		case c.CC == "bbr" && c.Path.Up.Rate > 0 && c.Loss > 0 && c.Loss <= 0.05:
			out = append(out, compared(i, c, theory.BBRSource, theory.BBRRate(wire, c.Loss), bbrWithin))
		}
	}
	return out
}

// ethernet is the header that a bottleneck counts with each packet, as tc does.
const ethernet = 14

// Tally counts the comparisons that agree.
func Tally(list []Compared) (agree, all int) {
	for _, c := range list {
		if c.Agrees {
			agree++
		}
	}
	return agree, len(list)
}

// Spread is the least, the median and the largest ratio.
func Spread(list []Compared) (least, median, most float64) {
	var ratios []float64
	for _, c := range list {
		ratios = append(ratios, c.Ratio)
	}
	q := stats.Quantiles(ratios, 0, 0.5, 1)
	return q[0], q[1], q[2]
}

// Part is one of the comparisons.
type Part struct {
	Name    string
	Meaning string // what agreement is
	List    []Compared
}

// Parts are the comparisons in their order of showing.
func (a Agreement) Parts() []Part {
	within := func(factor float64) string { return fmt.Sprintf("means within a factor of %v", factor) }
	return []Part{
		{"the article's jitter runs", within(jitterWithin), a.Jitter},
		{"the article's loss runs", within(lossWithin), a.Loss},
		{"the article's text", fmt.Sprintf("within %v (%v without jitter) of the rounded figure", jitterWithin, lossWithin), a.Published},
		{"theory of CUBIC, RFC 9438", within(cubicWithin), only(a.Theory, "cubic")},
		{"theory of BBR, rate×(1−p)", within(bbrWithin), only(a.Theory, "bbr")},
	}
}

func only(list []Compared, cc string) []Compared {
	var out []Compared
	for _, c := range list {
		if c.CC == cc {
			out = append(out, c)
		}
	}
	return out
}
