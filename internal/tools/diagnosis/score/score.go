package score

import (
	"math"

	"unchoke/internal/finding"
	"unchoke/internal/tools/diagnosis/truth"
)

// Share is so many of so many.
type Share struct{ N, Of int }

func (s *Share) add(yes bool) {
	s.Of++
	if yes {
		s.N++
	}
}

// Value is NaN of nothing.
func (s Share) Value() float64 { return float64(s.N) / float64(s.Of) }

// Score is what a set of outcomes amounts to.
type Score struct {
	Outcomes   []Outcome
	Right      Share // of the paths whose truth is clear
	Borderline Share // right ones of those near a line, where two answers are
	ByFamily   map[string]Share
	ByCause    map[finding.Cause]Share
	// ByCertainty counts by the words in which a check says how sure it is.
	ByCertainty map[string]Share
	// Said counts verdicts by the truth that tables show.
	Said      map[finding.Cause]map[finding.Cause]int
	SureWrong Share // said with 0.9 and more and wrong, of all
	BothNamed Share // of the paths with several causes
	Beside    Share // findings beside the verdict that name a cause
	MostNamed Share // whose verdict is what gains most
	Bins      []Bin
	// Calibration is the expected calibration error: the mean distance of a
	// bin's confidence from its share of right verdicts, weighted by its size
	// (Naeini et al., "Obtaining Well Calibrated Probabilities Using Bayesian
	// Binning", 2015).
	Calibration float64
	// Chance is the calibration error to be expected if every confidence held.
	Chance    float64
	Wall, CPU float64 // medians, s
}

// Bin is the verdicts of similar confidence.
type Bin struct {
	From, To float64
	Right    Share
	Mean     float64 // confidence
}

// Sure is the confidence from which a wrong verdict misleads.
const Sure = 0.9

// Of counts. Paths near a line count for what is wrong and for calibration, in
// which every answer that is accepted is right, and are else apart.
func Of(outcomes []Outcome) Score {
	s := Score{
		Outcomes:    outcomes,
		ByFamily:    map[string]Share{},
		ByCause:     map[finding.Cause]Share{},
		ByCertainty: map[string]Share{},
		Said:        map[finding.Cause]map[finding.Cause]int{},
		Bins:        bins(),
	}
	var walls, cpus []float64
	for _, o := range outcomes {
		right := o.Right()
		s.SureWrong.add(!right && o.Said.Confidence() >= Sure)
		s.bin(o.Said.Confidence(), right)
		count(s.ByCertainty, finding.CertaintyOf(o.Said.Confidence()).Words, right)
		walls, cpus = append(walls, o.Said.Wall), append(cpus, o.Said.CPU)
		if o.Truth.Borderline() {
			s.Borderline.add(right)
			continue
		}
		s.Right.add(right)
		count(s.ByFamily, o.Draw.Family, right)
		leading := o.Truth.Leading()
		if right && leading != o.Said.Verdict {
			s.MostNamed.add(false)
			leading = o.Said.Verdict // another of its truths
		} else {
			s.MostNamed.add(right)
		}
		count(s.ByCause, leading, right)
		if s.Said[leading] == nil {
			s.Said[leading] = map[finding.Cause]int{}
		}
		s.Said[leading][o.Said.Verdict]++
		if len(o.Truth.Distinct()) > 1 {
			s.BothNamed.add(len(o.unnamed()) == 0)
		}
		for _, cause := range o.beside() {
			s.Beside.add(o.Truth.Right(cause))
		}
	}
	s.Calibration, s.Chance = s.calibration(), s.chance()
	s.Wall, s.CPU = truth.Median(walls), truth.Median(cpus)
	return s
}

func count[K comparable](m map[K]Share, k K, right bool) {
	s := m[k]
	s.add(right)
	m[k] = s
}

func bins() []Bin {
	edges := []float64{0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0001}
	var out []Bin
	for i := range len(edges) - 1 {
		out = append(out, Bin{From: edges[i], To: edges[i+1]})
	}
	return out
}

func (s *Score) bin(confidence float64, right bool) {
	for i := range s.Bins {
		if b := &s.Bins[i]; confidence >= b.From && confidence < b.To {
			b.Mean = (b.Mean*float64(b.Right.Of) + confidence) / float64(b.Right.Of+1)
			b.Right.add(right)
		}
	}
}

func (s *Score) calibration() float64 {
	sum, n := 0.0, 0
	for _, b := range s.Bins {
		if b.Right.Of > 0 {
			sum += math.Abs(b.Mean-b.Right.Value()) * float64(b.Right.Of)
			n += b.Right.Of
		}
	}
	return sum / float64(max(n, 1))
}
