package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// sample is a comparison that ran to its end.
func sample(t *testing.T, arms ...string) *record.Comparison {
	t.Helper()
	c := &record.Comparison{Target: "far", Config: record.ComparisonConfig{Seed: 5, Blocks: 9}}
	rates := []float64{1e6, 2e6, 1.2e6, 0.8e6}[:len(arms)]
	for _, text := range arms {
		arm, err := ParseArm(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Arms = append(c.Arms, arm)
	}
	if _, err := Run(t.Context(), c, path(9, 0.1, rates...), nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// An analysis needs the record alone, and not the order in which the trials of
// a block stand in it; what no block completes changes nothing.
func TestAnalyseFromTheRecord(t *testing.T) {
	c := sample(t, "cc=cubic", "cc=bbr", "cc=reno")
	want := Analyse(c)
	if want.Blocks != 9 || len(want.Arms) != 3 || len(want.Contrasts) != 2 || want.Stopped != Fixed {
		t.Fatalf("%+v", want)
	}

	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var saved record.Comparison
	if err := json.Unmarshal(text, &saved); err != nil {
		t.Fatal(err)
	}
	if got := Analyse(&saved); !reflect.DeepEqual(got, want) {
		t.Errorf("of the saved record: %+v, want %+v", got, want)
	}

	r := rand.New(rand.NewPCG(1, 1))
	for b := range want.Blocks {
		block := c.Trials[3*b : 3*b+3]
		r.Shuffle(3, func(i, k int) { block[i], block[k] = block[k], block[i] })
	}
	c.Trials = append(c.Trials, record.Trial{Block: 9, Arm: 1, Rate: 1e9}, record.Trial{Block: 10, Arm: 7, Rate: 1e9})
	if got := Analyse(c); !reflect.DeepEqual(got, want) {
		t.Errorf("of shuffled trials: %+v, want %+v", got, want)
	}
}

// Every analysis is a JSON document, that of nothing too, and reads back.
func TestAnalysisJSON(t *testing.T) {
	whole := sample(t, "cc=cubic", "cc=bbr")
	for trials := range len(whole.Trials) + 1 {
		c := *whole
		c.Trials = whole.Trials[:trials]
		c.Config.Blocks = trials % 2
		a := Analyse(&c)
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatalf("%d trials: %v", trials, err)
		}
		var back Analysis
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(a, back) {
			t.Errorf("%d trials: %v\n%+v\n%+v", trials, err, a, back)
		}
	}
}

func TestSummary(t *testing.T) {
	c := sample(t, "cc=cubic", "cc=bbr")
	for i := range c.Trials {
		trial := &c.Trials[i]
		*trial = record.Trial{
			Block: trial.Block, Arm: trial.Arm, Duration: 10, Rate: 8e6, Bytes: 1e7, MSS: 1000,
			Retransmits: 100, RTTLoad: 0.05, CPUNear: 0.2, CPUFar: 0.1,
			Neighbor: &record.Neighbor{Rate: 24e6},
		}
		if trial.Arm == 1 {
			trial.Retransmits = -1
		}
	}
	base, other := Analyse(c).Arms[0], Analyse(c).Arms[1]
	// 2 CPU seconds for 10⁷ bytes; 100 retransmits beside 10⁴ segments.
	for what, pair := range map[string][2]float64{
		"rate":             {base.Rate, 8e6},
		"CV":               {base.CV, 0},
		"retransmits":      {base.Retransmits, 100.0 / 10100},
		"unknown ones":     {other.Retransmits, -1},
		"RTT":              {base.RTTLoad, 0.05},
		"CPU near":         {base.CPUNear, 200},
		"CPU far":          {base.CPUFar, 100},
		"Jain":             {base.Jain, 0.8},
		"neighbour's rate": {base.NeighborRate, 24e6},
		"drift":            {base.Drift, 1},
		"drift's p":        {base.DriftP, 1},
		"interval's width": {base.Interval.High - base.Interval.Low, 0},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9*math.Abs(pair[1]) {
			t.Errorf("%s = %v, want %v", what, pair[0], pair[1])
		}
	}
}

// A single block has a rate and no interval of it.
func TestSingleBlock(t *testing.T) {
	c := sample(t, "cc=cubic", "cc=bbr")
	c.Trials = slices.DeleteFunc(c.Trials, func(t record.Trial) bool { return t.Block > 0 })
	for _, s := range Analyse(c).Arms {
		if len(s.Rates) != 1 || s.Rate <= 0 || s.Interval.Bounded() {
			t.Errorf("%d rates, %g in %v", len(s.Rates), s.Rate, s.Interval)
		}
	}
}

// A trial in which nothing arrived counts, and breaks nothing.
func TestStalledTrials(t *testing.T) {
	c := sample(t, "cc=cubic", "cc=bbr")
	for i := range c.Trials {
		if c.Trials[i].Arm == 1 {
			c.Trials[i].Rate, c.Trials[i].Bytes = 0, 0
		}
	}
	a := Analyse(c)
	if got := a.Contrasts[0]; got.Answer != Slower || got.Interval.High > 0.001 {
		t.Errorf("%+v", got)
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
}

func TestWarnings(t *testing.T) {
	blocks := func(of func(block int) (base, arm float64)) *record.Comparison {
		c := twoArms(1)
		c.Config.Blocks = 12
		for b := range 12 {
			base, arm := of(b)
			c.Trials = append(c.Trials, record.Trial{Block: b, Rate: base}, record.Trial{Block: b, Arm: 1, Rate: arm})
		}
		return c
	}
	same := blocks(func(b int) (float64, float64) { return 1e6, 1e6 })
	same.Arms[1] = same.Arms[0]
	for _, c := range []struct {
		what string
		of   *record.Comparison
		want []string
	}{
		{"steady", blocks(func(b int) (float64, float64) { return 1e6 + float64(b*7919%97), 2e6 }), nil},
		{"A/A", same, []string{"arms 1 and 2 are the same"}},
		{"drift", blocks(func(b int) (float64, float64) { return 1e6 + 5e4*float64(b), 2e6 + 1e5*float64(b) }), []string{
			"cubic's rate changed over the run, by a factor of 1.54 (p < 0.001)", "bbr's rate changed",
		}},
		{"two modes", blocks(func(b int) (float64, float64) { return []float64{2e6, 30e6}[b%2] + float64(b), 2e6 }), []string{
			"cubic's rates fall into two groups far apart, from 2.00 Mbit/s to 30.0 Mbit/s",
		}},
		{"a ratio that changes", blocks(func(b int) (float64, float64) { return 1e6, 1e6 * math.Exp(0.05*float64(b)) }), []string{
			"bbr's rate changed over the run", "the ratio of bbr to cubic changed over the run",
		}},
	} {
		got := Analyse(c.of).Warnings
		ok := len(got) == len(c.want)
		for i := range c.want {
			ok = ok && strings.HasPrefix(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestSentence(t *testing.T) {
	rule := Rule{MaxBlocks: 30, Contrasts: 1, Margin: 0.05}
	for _, c := range []struct {
		contrast  Contrast
		base, arm string
		want      string
	}{
		{Contrast{Blocks: 7, Ratio: 3.12, Interval: stats.Interval{Low: 2.9, High: 3.41}, P: 0.016, Answer: Faster}, "cubic", "bbr", "bbr carries 3.1× [2.9–3.4] of cubic's rate; 7 blocks; p = 0.016"},
		{Contrast{Blocks: 7, Ratio: 19.7, Interval: stats.Interval{Low: 15.2, High: 24.4}, P: 0.016, Answer: Faster}, "cubic", "bbr", "bbr carries 20× [15–24] of cubic's rate; 7 blocks; p = 0.016"},
		{Contrast{Blocks: 9, Ratio: 0.042, Interval: stats.Interval{Low: 0.031, High: 0.055}, P: 0.0004, Answer: Slower}, "1 stream", "8 streams", "8 streams carry 0.042× [0.031–0.055] of 1 stream's rate; 9 blocks; p < 0.001"},
		{Contrast{Blocks: 20, Ratio: 1.02, Interval: stats.Interval{Low: 1.003, High: 1.08}, P: 0.03, Answer: Faster}, "8 streams", "1 stream", "1 stream carries 1.020× [1.003–1.080] of 8 streams' rate; 20 blocks; p = 0.03"},
		{Contrast{Blocks: 7, Ratio: 1.004, Interval: stats.Interval{Low: 0.99, High: 1.02}, P: 0.05, Answer: Equivalent}, "cubic", "bbr", "no difference larger than 5 %: bbr carries 1.00× [0.99–1.02] of cubic's rate; 7 blocks"},
		{Contrast{Blocks: 30, Ratio: 1.08, Interval: stats.Interval{Low: 0.95, High: 1.22}, P: 0.21, Answer: Unclear}, "cubic", "bbr", "no difference found, but none ruled out: bbr carries 1.08× [0.95–1.22] of cubic's rate; 30 blocks; p = 0.21"},
		{Contrast{Blocks: 30, Ratio: 0.9, Interval: stats.Interval{Low: 0.4, High: 2.3}, P: 0.6, Answer: Unstable}, "cubic", "bbr", "too unstable to say: after 30 blocks, bbr may carry anything from 0.400× to 2.30× of cubic's rate"},
		{Contrast{Blocks: 1, Ratio: 2, Interval: stats.Interval{High: math.Inf(1)}, P: 1, Answer: Unclear}, "cubic", "bbr", "too few blocks to say: bbr so far carries 2.00× of cubic's rate; 1 block of at least 7"},
		{Contrast{Blocks: 1, Ratio: 224.14, Interval: stats.Interval{High: math.Inf(1)}, P: 1, Answer: Unclear}, "cubic", "bbr", "too few blocks to say: bbr so far carries 224× of cubic's rate; 1 block of at least 7"},
		{Contrast{Interval: stats.Interval{High: math.Inf(1)}, P: 1, Answer: Unclear}, "cubic", "bbr", "no result for bbr and cubic: no block is complete"},
	} {
		if got := sentence(rule, c.contrast, c.base, c.arm); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// More contrasts make each one harder to be sure of.
func TestContrastsShareTheErrorRate(t *testing.T) {
	c := sample(t, "cc=cubic", "cc=bbr", "cc=reno", "cc=vegas")
	three := Analyse(c).Contrasts[0]
	c.Arms = c.Arms[:2]
	c.Trials = slices.DeleteFunc(c.Trials, func(t record.Trial) bool { return t.Arm > 1 })
	one := Analyse(c).Contrasts[0]
	if math.Abs(three.P/one.P-3) > 1e-9 || three.Interval.Low > one.Interval.Low || three.Interval.High < one.Interval.High {
		t.Errorf("alone %+v, of three %+v", one, three)
	}
}
