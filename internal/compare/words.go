package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// sentence is a contrast's verdict in words.
func sentence(r Rule, c Contrast, base, arm string) string {
	share := fmt.Sprintf("%s of %s rate", figures(c), possessive(base))
	switch {
	case c.Answer == Faster || c.Answer == Slower:
		return fmt.Sprintf("%s %s %s; %s; %s", arm, carry(arm), share, blocks(c.Blocks), pValue(c.P))
	case c.Answer == Equivalent:
		return fmt.Sprintf("no difference larger than %s: %s %s %s; %s",
			percent(r.Margin), arm, carry(arm), share, blocks(c.Blocks))
	case c.Blocks == 0:
		return fmt.Sprintf("no result for %s and %s: no block is complete", arm, base)
	case !c.Interval.Bounded():
		return fmt.Sprintf("too few blocks to say: %s so far %s %s of %s rate; %s of at least %d",
			arm, carry(arm), unit.HumanTimes(c.Ratio), possessive(base), blocks(c.Blocks), r.first())
	case c.Answer == Unstable:
		return fmt.Sprintf("too unstable to say: after %s, %s may carry anything from %s to %s of %s rate",
			blocks(c.Blocks), arm, unit.HumanTimes(c.Interval.Low), unit.HumanTimes(c.Interval.High), possessive(base))
	}
	return fmt.Sprintf("no difference found, but none ruled out: %s %s %s; %s; %s", arm, carry(arm), share, blocks(c.Blocks), pValue(c.P))
}

// figures are a ratio and its interval: 3.1× [2.9–3.4].
func figures(c Contrast) string {
	digits := digits(c)
	return fmt.Sprintf("%s [%.*f–%.*f]", times(c.Ratio, digits), digits, c.Interval.Low, digits, c.Interval.High)
}

func times(ratio float64, digits int) string { return fmt.Sprintf("%.*f×", digits, ratio) }

// digits behind the decimal point: two figures of the smallest number, and as
// many more as it takes to show on which side of 1 an interval lies.
func digits(c Contrast) int {
	n := 0
	for _, x := range []float64{c.Ratio, c.Interval.Low, c.Interval.High} {
		if x > 0 {
			n = max(n, 1-int(math.Floor(math.Log10(x))))
		}
	}
	if math.Abs(c.Ratio-1) < 0.5 {
		n = max(n, 2)
	}
	for ; n < 4; n++ {
		scale := math.Pow10(n)
		low, high := math.Round(c.Interval.Low*scale)/scale, math.Round(c.Interval.High*scale)/scale
		if c.Interval.Contains(1) == (stats.Interval{Low: low, High: high}).Contains(1) {
			break
		}
	}
	return n
}

func blocks(n int) string {
	if n == 1 {
		return "1 block"
	}
	return fmt.Sprintf("%d blocks", n)
}

func pValue(p float64) string {
	switch {
	case p < 0.001:
		return "p < 0.001"
	case p == ErrorRate:
		return "p ≥ 0.05"
	}
	return fmt.Sprintf("p = %.2g", p)
}

// carry is the verb for an arm's label: eight streams carry, bbr carries.
func carry(label string) string {
	if strings.HasSuffix(label, "streams") {
		return "carry"
	}
	return "carries"
}

func possessive(label string) string {
	if strings.HasSuffix(label, "streams") {
		return label + "'"
	}
	return label + "'s"
}

func percent(ratio float64) string { return fmt.Sprintf("%.3g %%", 100*ratio) }

// warnings are what makes an analysis less certain than its figures.
func warnings(c *record.Comparison, a Analysis) []string {
	var w []string
	for i, arm := range c.Arms {
		if first := slices.IndexFunc(c.Arms, func(other record.Arm) bool { return same(arm, other) }); first < i {
			w = append(w, fmt.Sprintf("arms %d and %d are the same: whatever differs between them is chance", first+1, i+1))
		}
	}
	for _, s := range a.Arms {
		if s.Drifts() {
			w = append(w, fmt.Sprintf("%s rate changed over the run, by a factor of %.2f (%s): the path was not the same throughout", possessive(s.Label), s.Drift, pValue(s.DriftP)))
		}
		if s.Bimodal {
			w = append(w, fmt.Sprintf("%s rates fall into two groups far apart, from %s to %s: its median describes neither",
				possessive(s.Label), unit.HumanRate(slices.Min(s.Rates)), unit.HumanRate(slices.Max(s.Rates))))
		}
	}
	for _, contrast := range a.Contrasts {
		if contrast.Blocks < 2 {
			continue
		}
		if change, p := drift(contrast.Ratios); drifts(change, p) {
			w = append(w, fmt.Sprintf("the ratio of %s to %s changed over the run, by a factor of %.2f (%s): one figure does not describe it",
				a.Arms[contrast.Arm].Label, a.Arms[0].Label, change, pValue(p)))
		}
	}
	return w
}
