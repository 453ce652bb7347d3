// Package compare shows a comparison of arms: text, markdown, HTML and JSON of the
// same values.
package compare

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// Schema names this version of the document.
const Schema = "unchoke.ab/1"

// Report is what `unchoke ab` says, and its JSON document. The other
// views show nothing that is not in it.
type Report struct {
	Schema  string                  `json:"schema"`
	Target  string                  `json:"target"`
	Record  string                  `json:"record"` // its ID
	Started time.Time               `json:"started"`
	Version string                  `json:"version"`
	Config  record.ComparisonConfig `json:"config"`
	Command string                  `json:"command"` // that repeats it, trial by trial

	Arms   []record.Arm   `json:"arms"` // the first is the baseline
	Near   record.Host    `json:"near"`
	Far    []record.Peer  `json:"far"`
	Trials []record.Trial `json:"trials"`

	Analysis compare.Analysis `json:"analysis"`
	// Verdict is the leading contrast's answer: of the arms against the
	// baseline the one with the most to say.
	Verdict  compare.Answer `json:"verdict"`
	Sentence string         `json:"sentence"`
	// Costs are what an arm takes from others for its rate, in sentences.
	Costs []string `json:"costs"`
	// Reported is what somebody else measured on such a path.
	Reported *Reported `json:"reported,omitempty"`

	Warnings []string `json:"warnings"`
	Error    string   `json:"error,omitempty"`
}

// New puts a comparison and its analysis together.
func New(c *record.Comparison, a compare.Analysis) Report {
	d := Report{
		Schema: Schema, Target: c.Target, Record: c.ID, Started: c.Started,
		Version: c.Version, Config: c.Config, Command: repeat(c),
		Arms: render.OrEmpty(c.Arms), Near: c.Near, Far: render.OrEmpty(c.Far), Trials: render.OrEmpty(c.Trials),
		Analysis: a, Warnings: render.OrEmpty(c.Warnings), Error: c.Error,
	}
	d.Analysis.Arms = render.OrEmpty(a.Arms)
	d.Analysis.Contrasts = render.OrEmpty(a.Contrasts)
	d.Analysis.Warnings = render.OrEmpty(a.Warnings)
	d.Verdict, d.Sentence = compare.Unclear, "Too little was measured to compare the arms."
	if lead := leadingContrast(a.Contrasts); lead != nil {
		d.Verdict, d.Sentence = lead.Answer, lead.Sentence
	}
	d.Costs = render.OrEmpty(d.costs())
	return d
}

// JSON writes the document.
func (c Report) JSON(w io.Writer) error { return render.JSON(w, c) }

// weight orders answers by how much they say.
var weight = map[compare.Answer]int{
	compare.Faster: 4, compare.Slower: 3, compare.Equivalent: 2, compare.Unclear: 1, compare.Unstable: 0,
}

// leadingContrast is the one whose answer says the most; of equal answers the
// one with the larger difference.
func leadingContrast(all []compare.Contrast) *compare.Contrast {
	var lead *compare.Contrast
	for i := range all {
		c := &all[i]
		if lead == nil || weight[c.Answer] > weight[lead.Answer] ||
			weight[c.Answer] == weight[lead.Answer] && difference(c) > difference(lead) {
			lead = c
		}
	}
	return lead
}

func difference(c *compare.Contrast) float64 { return math.Abs(math.Log(c.Ratio)) }

// contrast is an arm's contrast with the baseline; nil for the baseline.
func (c Report) contrast(arm int) *compare.Contrast {
	for i := range c.Analysis.Contrasts {
		if c.Analysis.Contrasts[i].Arm == arm {
			return &c.Analysis.Contrasts[i]
		}
	}
	return nil
}

// summary is an arm's; nil where no block is complete.
func (c Report) summary(arm int) *compare.Summary {
	for i := range c.Analysis.Arms {
		if c.Analysis.Arms[i].Arm == arm {
			return &c.Analysis.Arms[i]
		}
	}
	return nil
}

// armName tells an arm from the others: by what differs or, before anything is
// known of it, as the user named it.
func (c Report) armName(arm int) string {
	if s := c.summary(arm); s != nil && s.Label != "" {
		return s.Label
	}
	if arm < 0 || arm >= len(c.Arms) {
		return "arm " + strconv.Itoa(arm+1)
	}
	return c.Arms[arm].Name
}

// blocksOf are the trials block by block, those of a block by arm; an arm that
// the block lacks is nil.
func blocksOf(trials []record.Trial, arms int) [][]*record.Trial {
	var out [][]*record.Trial
	for i := range trials {
		t := &trials[i]
		if t.Block < 0 || t.Arm < 0 || t.Arm >= arms || t.Block >= len(trials) {
			continue // of no arm or block that there is
		}
		for len(out) <= t.Block {
			out = append(out, make([]*record.Trial, arms))
		}
		out[t.Block][t.Arm] = t
	}
	return out
}

// complete says whether a block has all its arms.
func complete(block []*record.Trial) bool {
	for _, t := range block {
		if t == nil {
			return false
		}
	}
	return len(block) > 0
}

// repeat is the command line that runs the same trials in the same order.
func repeat(c *record.Comparison) string {
	words := []string{c.Target}
	for _, a := range c.Arms {
		words = append(words, "--arm", a.Name)
	}
	if c.Config.Neighbor != nil {
		words = append(words, "--neighbor", compare.FormatArm(*c.Config.Neighbor))
	}
	words = append(words, "--duration", render.Duration(c.Config.Duration), "--omit", render.Duration(c.Config.Omit), "--pause", render.Duration(c.Config.Pause))
	return commandLine(words, c.Config)
}

// commandLine is an ab of these words and of what any ab takes from its
// configuration.
func commandLine(words []string, config record.ComparisonConfig) string {
	words = append([]string{"unchoke", "ab"}, words...)
	if config.Blocks > 0 {
		words = append(words, "--blocks", strconv.Itoa(config.Blocks))
	} else if config.MaxBlocks > 0 && config.MaxBlocks != compare.DefaultMaxBlocks {
		words = append(words, "--max-blocks", strconv.Itoa(config.MaxBlocks))
	}
	if config.Margin > 0 && config.Margin != compare.DefaultMargin {
		words = append(words, "--margin", strconv.FormatFloat(config.Margin, 'g', -1, 64))
	}
	words = append(words, "--seed", strconv.FormatUint(config.Seed, 10))
	for i, w := range words {
		words[i] = render.ShellWord(w)
	}
	return strings.Join(words, " ")
}

// What an arm costs others is told where it grows by as much as an operator
// would care for, against the baseline's.
const (
	costlyRetransmits = 0.01  // of the segments: 1 % more is bytes that the network carries, or polices, twice
	costlyGrowth      = 1.5   // times the baseline's
	costlyDelay       = 0.010 // seconds of queue that others wait in: a frame of interactive work
)

// costs says what each arm takes from others for its rate.
func (c Report) costs() []string {
	base := c.summary(0)
	if base == nil {
		return nil
	}
	var out []string
	for arm := 1; arm < len(c.Arms); arm++ {
		s := c.summary(arm)
		if s == nil {
			continue
		}
		if b, r := base.Retransmits, s.Retransmits; b >= 0 && r-b >= costlyRetransmits && r >= costlyGrowth*b {
			out = append(out, fmt.Sprintf("%s resends %s of its segments (%s: %s)", c.armName(arm), render.Ratio(r), c.armName(0), render.Ratio(b)))
		}
		if b, r := base.RTTLoad, s.RTTLoad; b > 0 && r-b >= costlyDelay && r >= costlyGrowth*b {
			out = append(out, fmt.Sprintf("%s builds a queue that all traffic waits in: RTT under load %s (%s: %s)", c.armName(arm), render.Time(r), c.armName(0), render.Time(b)))
		}
		if b, r := base.NeighborRate, s.NeighborRate; b > 0 && r > 0 && b >= costlyGrowth*r {
			out = append(out, fmt.Sprintf("%s leaves the neighbor %s (%s: %s)", c.armName(arm), render.Rate(r), c.armName(0), render.Rate(b)))
		}
	}
	return out
}
