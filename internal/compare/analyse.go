package compare

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// Analyse says what can be said of a comparison, from its record alone.
func Analyse(c *record.Comparison) Analysis {
	rule := ruleOf(c)
	blocks := complete(c)
	a := Analysis{Blocks: len(blocks), Contrasts: []Contrast{}}
	names := Labels(c)
	for arm := range c.Arms {
		a.Arms = append(a.Arms, summarise(arm, names[arm], column(blocks, arm), c.Config.Seed))
	}
	for arm := 1; arm < len(c.Arms); arm++ {
		contrast := Contrast{Arm: arm, Blocks: len(blocks), Ratios: make([]float64, len(blocks))}
		for b, block := range blocks {
			contrast.Ratios[b] = rate(block[arm]) / rate(block[0])
		}
		contrast.judge(rule, c.Config.Seed)
		a.Contrasts = append(a.Contrasts, contrast)
	}
	a.Stopped = rule.stopped(c, a)
	for i := range a.Contrasts {
		contrast := &a.Contrasts[i]
		contrast.Sentence = sentence(rule, *contrast, a.Arms[0].Label, a.Arms[contrast.Arm].Label)
	}
	a.Warnings = warnings(c, a)
	return a
}

func (c *Contrast) judge(rule Rule, seed uint64) {
	j := rule.Judge(c.Ratios)
	c.Ratio, c.Interval, c.P, c.Answer = j.Ratio, j.Interval, j.P, j.Answer
	c.Bootstrap = stats.Interval{Low: 0, High: math.Inf(1)}
	if len(c.Ratios) > 0 {
		c.Bootstrap = stats.BootstrapMedian(c.Ratios, confidence, seed)
	}
}

// confidence of the intervals that take no account of peeking.
const confidence = 0.95

// ruleOf is the rule of a comparison, with the defaults filled in.
func ruleOf(c *record.Comparison) Rule {
	return Rule{
		Blocks:    c.Config.Blocks,
		MaxBlocks: cmp.Or(c.Config.MaxBlocks, DefaultMaxBlocks),
		Contrasts: max(1, len(c.Arms)-1),
		Margin:    cmp.Or(c.Config.Margin, DefaultMargin),
	}
}

// complete are the blocks in which every arm ran, in order, each with its
// trials by arm. A trial that was repeated counts as it came out last.
func complete(c *record.Comparison) [][]record.Trial {
	byBlock := map[int]map[int]record.Trial{}
	for _, t := range c.Trials {
		if t.Arm < 0 || t.Arm >= len(c.Arms) {
			continue
		}
		if byBlock[t.Block] == nil {
			byBlock[t.Block] = map[int]record.Trial{}
		}
		byBlock[t.Block][t.Arm] = t
	}
	var blocks [][]record.Trial
	for _, b := range slices.Sorted(maps.Keys(byBlock)) {
		if len(byBlock[b]) < len(c.Arms) {
			continue
		}
		block := make([]record.Trial, len(c.Arms))
		for arm, t := range byBlock[b] {
			block[arm] = t
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// rate is a trial's rate, and where nothing arrived one byte a second, so that
// it has a logarithm.
func rate(t record.Trial) float64 { return max(t.Rate, 8) }

// stopped is why the comparison ended, empty while it goes on.
func (r Rule) stopped(c *record.Comparison, a Analysis) Stop {
	firm := !slices.ContainsFunc(a.Contrasts, func(c Contrast) bool { return !c.Answer.Firm() })
	switch {
	case r.Blocks > 0 && a.Blocks >= r.Blocks:
		return Fixed
	case r.Blocks == 0 && firm:
		return Firm
	case r.Blocks == 0 && a.Blocks >= r.MaxBlocks:
		return Exhausted
	case c.Error != "":
		return Interrupted
	}
	return ""
}
