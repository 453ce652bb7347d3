package compare

import (
	"fmt"
	"strconv"
	"strings"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// subject says what is compared.
func (c Report) subject() string {
	switch len(c.Arms) {
	case 0:
		return "no arms"
	case 1:
		return c.armName(0) + " alone"
	case 2:
		return c.armName(1) + " against " + c.armName(0)
	}
	return fmt.Sprintf("%d arms against %s", len(c.Arms)-1, c.armName(0))
}

// hosts says on which hosts.
func (c Report) hosts() string {
	var parts []string
	if here := render.Kernel(c.Near.OS, c.Near.Kernel); here != "" {
		parts = append(parts, "here: "+here)
	}
	seen := map[string]bool{}
	for _, f := range c.Far {
		if f.Software != "" && !seen[f.Software] {
			seen[f.Software] = true
			parts = append(parts, "there: "+f.Software)
		}
	}
	return strings.Join(parts, ", ")
}

// trialWords say how the trials ran and what of them counts.
func (c Report) trialWords() string {
	parts := []string{}
	if d := c.direction(); d != "" {
		parts = append(parts, d.Word())
	}
	parts = append(parts, "trials of "+render.SetTime(c.Config.Duration))
	if c.Config.Omit > 0 {
		parts = append(parts, "the first "+render.SetTime(c.Config.Omit)+" dropped as slow start")
	}
	if c.Config.Pause > 0 {
		parts = append(parts, render.SetTime(c.Config.Pause)+" apart")
	}
	if n := c.Config.Neighbor; n != nil {
		parts = append(parts, "with a neighbor ("+n.Name+")")
	}
	return strings.Join(parts, ", ")
}

// direction is the arms' common one; empty where they differ or do not say.
func (c Report) direction() record.Direction {
	if len(c.Arms) == 0 {
		return ""
	}
	for _, a := range c.Arms {
		if a.Direction != c.Arms[0].Direction {
			return ""
		}
	}
	return c.Arms[0].Direction
}

// blockWords say how many blocks there are, and why no more.
func (c Report) blockWords() string {
	n := render.Plural(c.Analysis.Blocks, "complete block")
	if why := stopWords[c.Analysis.Stopped]; why != "" {
		n += "; " + why
	}
	return n
}

var stopWords = map[compare.Stop]string{
	compare.Firm:        "stopped because the answer is firm",
	compare.Fixed:       "the requested number",
	compare.Exhausted:   "the maximum, without a firm answer",
	compare.Interrupted: "interrupted",
}

// headline is the verdict's pair of arms.
func (c Report) headline() string {
	if lead := leadingContrast(c.Analysis.Contrasts); lead != nil {
		return c.armName(lead.Arm) + " against " + c.armName(0)
	}
	return c.subject()
}

// mostSentences are as many verdicts as are read one by one. Beyond, the
// table's answers say the same at a glance.
const mostSentences = 3

// otherSentences are the verdicts of the arms that do not lead.
func (c Report) otherSentences() []string {
	if len(c.Analysis.Contrasts) > mostSentences {
		return nil
	}
	lead := leadingContrast(c.Analysis.Contrasts)
	var out []string
	for i := range c.Analysis.Contrasts {
		if k := &c.Analysis.Contrasts[i]; k.Arm != lead.Arm {
			out = append(out, k.Sentence)
		}
	}
	return out
}

// note is a remark below the figures.
type note struct{ Label, Text string }

// notes are what a reader must know beside the figures: what they cost others,
// what makes them less certain, how to repeat them.
func (c Report) notes() []note {
	var out []note
	add := func(label string, texts ...string) {
		for _, text := range texts {
			if text != "" {
				out = append(out, note{label, text})
			}
		}
	}
	add("costs", c.Costs...)
	add("warning", c.Analysis.Warnings...)
	add("warning", c.Warnings...)
	add("warning", c.trialWarnings()...)
	add("incomplete", c.Error)
	if r := c.Reported; r != nil {
		add("reported", r.Said+" ("+r.Source+")")
		add("lab path", r.Path)
		add("assumed", r.Assumed...)
	}
	add("seed", strconv.FormatUint(c.Config.Seed, 10)+"; the same trials in the same order: "+c.Command)
	if c.Record != "" {
		add("record", c.Record+" (unchoke record show "+c.Record+")")
	}
	return out
}

// trialWarnings are the trials' own, each once with the number of trials that
// it holds for.
func (c Report) trialWarnings() []string {
	var order []string
	count := map[string]int{}
	for _, t := range c.Trials {
		for _, w := range t.Warnings {
			w = c.armName(t.Arm) + ": " + w
			if count[w] == 0 {
				order = append(order, w)
			}
			count[w]++
		}
	}
	for i, w := range order {
		if n := count[w]; n > 1 {
			order[i] = fmt.Sprintf("%s (%d trials)", w, n)
		}
	}
	return order
}
