package diagnose

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

func without(d record.Direction, ratio float64, causes ...finding.Cause) record.Predicted {
	c := record.Predicted{Direction: d, Gain: ratio, GainLow: ratio / 1.1, GainHigh: ratio * 1.1}
	for _, cause := range causes {
		c.Without = append(c.Without, string(cause))
	}
	return c
}

// perhaps is a copy's figures where the lower end gains nothing.
func perhaps(c record.Predicted) record.Predicted {
	c.GainLow = 0.9
	return c
}

// widely is a copy's figures where copies differ much.
func widely(c record.Predicted) record.Predicted {
	c.GainLow, c.GainHigh = 0.87, 5.8
	return c
}

// of are the findings of a direction by their causes, in order.
func of(all []finding.Finding, d record.Direction) (causes []finding.Cause, findings map[finding.Cause]finding.Finding) {
	findings = map[finding.Cause]finding.Finding{}
	for _, f := range all {
		if f.Direction == d {
			causes = append(causes, f.Cause)
			findings[f.Cause] = f
		}
	}
	return causes, findings
}

// What a copy gains without a cause decides which of those that were found
// matters.
func TestSettledByCopies(t *testing.T) {
	const file = "testdata/loss-limited--wireguard-up.json.gz"
	ruled, _ := of(Diagnose(load(t, file)), record.Up)
	if !slices.Equal(ruled, []finding.Cause{finding.LossLimited}) {
		t.Fatalf("the rules alone say %v", ruled)
	}
	for name, c := range map[string]struct {
		tried []record.Predicted
		want  []finding.Cause
		gain  float64 // of the leading one
	}{
		"nothing tried": {nil, ruled, 0},
		"it costs": {
			[]record.Predicted{without(record.Up, 40, finding.LossLimited)},
			ruled, 40,
		},
		"it costs in the other direction": {
			[]record.Predicted{without(record.Down, 40, finding.LossLimited)},
			ruled, 0,
		},
		"it costs little": {
			[]record.Predicted{without(record.Up, 1.02, finding.LossLimited)},
			[]finding.Cause{finding.Healthy},
			0,
		},
		"another costs": {
			[]record.Predicted{without(record.Up, 1.02, finding.LossLimited), without(record.Up, 3, finding.ShallowBuffer)},
			[]finding.Cause{finding.ShallowBuffer},
			3,
		},
		"both cost": {
			[]record.Predicted{without(record.Up, 2, finding.LossLimited), without(record.Up, 4, finding.ShallowBuffer)},
			[]finding.Cause{finding.ShallowBuffer, finding.LossLimited},
			4,
		},
		"each hides the other": {
			[]record.Predicted{
				without(record.Up, 1.1, finding.LossLimited), without(record.Up, 1.1, finding.ShallowBuffer),
				without(record.Up, 5, finding.LossLimited, finding.ShallowBuffer),
			},
			[]finding.Cause{finding.LossLimited, finding.ShallowBuffer},
			1.1,
		},
		"each hides the other, and one perhaps gains alone": {
			[]record.Predicted{
				without(record.Up, 1.01, finding.LossLimited), perhaps(without(record.Up, 1.4, finding.ShallowBuffer)),
				without(record.Up, 5, finding.LossLimited, finding.ShallowBuffer),
			},
			[]finding.Cause{finding.ShallowBuffer, finding.LossLimited},
			1.4,
		},
		"one helps as much as both": {
			[]record.Predicted{
				without(record.Up, 1.0, finding.LossLimited), perhaps(without(record.Up, 1.9, finding.ShallowBuffer)),
				without(record.Up, 1.9, finding.LossLimited, finding.ShallowBuffer),
			},
			ruled, 1.0,
		},
		"either may help as much as both": {
			[]record.Predicted{
				widely(without(record.Up, 2.2, finding.LossLimited)), widely(without(record.Up, 2.2, finding.ShallowBuffer)),
				without(record.Up, 5, finding.LossLimited, finding.ShallowBuffer),
			},
			ruled, 2.2,
		},
		"what no rule found and copies may not name costs": {
			[]record.Predicted{without(record.Up, 1.05, finding.LossLimited), without(record.Up, 3, finding.Congested)},
			ruled, 1.05,
		},
		"another costs next": {
			[]record.Predicted{
				without(record.Up, 3, finding.LossLimited), without(record.Up, 1.1, finding.ShallowBuffer),
				without(record.Up, 6, finding.LossLimited, finding.ShallowBuffer),
			},
			[]finding.Cause{finding.LossLimited, finding.ShallowBuffer},
			3,
		},
		"another costs little even next": {
			[]record.Predicted{
				without(record.Up, 3, finding.LossLimited), without(record.Up, 1.1, finding.ShallowBuffer),
				without(record.Up, 4, finding.LossLimited, finding.ShallowBuffer),
			},
			[]finding.Cause{finding.LossLimited},
			3,
		},
	} {
		run := load(t, file)
		run.Predicted = c.tried
		causes, findings := of(Diagnose(run), record.Up)
		if !slices.Equal(causes, c.want) {
			t.Errorf("%s: %v, want %v", name, causes, c.want)
			continue
		}
		lead := findings[causes[0]]
		switch {
		case c.gain == 0 && lead.Gain != nil, c.gain != 0 && (lead.Gain == nil || lead.Gain.Ratio != c.gain):
			t.Errorf("%s: the gain is %v, want %v", name, lead.Gain, c.gain)
		}
		if both := strings.Contains(lead.Summary, "Only both help together"); both != strings.HasPrefix(name, "each hides the other") {
			t.Errorf("%s: %s", name, lead.Summary)
		}
		for _, f := range findings {
			wellFormed(t, f)
		}
	}
}

// Packets that overtake come in bunches as well. Copies that keep their order tell which
// of both holds the stream back, whatever copies of a constant delay gain.
func TestSettledOneDelay(t *testing.T) {
	for name, c := range map[string]struct {
		order, low, neither float64
		want                finding.Cause
	}{
		"the order is all":         {3, 1.2, 3.5, finding.Reordering},
		"the order is most of it":  {3, 1.2, 4.5, finding.Reordering},
		"the order surely matters": {1.7, 1.5, 3, finding.Reordering},
		"the bunches are":          {1.1, 1, 3, finding.ShallowBuffer},
		"most of it":               {1.7, 1.2, 3, finding.ShallowBuffer},
	} {
		run := load(t, "testdata/reordering--up-only.json.gz")
		order := without(record.Up, c.order, finding.Reordering)
		order.GainLow = c.low
		run.Predicted = []record.Predicted{
			order, without(record.Up, c.neither, finding.ShallowBuffer),
			without(record.Up, c.neither, finding.Reordering, finding.ShallowBuffer),
		}
		causes, findings := of(Diagnose(run), record.Up)
		if !slices.Equal(causes, []finding.Cause{c.want}) {
			t.Errorf("%s: %v, want %v", name, causes, c.want)
			continue
		}
		wellFormed(t, findings[c.want])
	}
}

// Copies of a direction of which one stream is all that was measured carry no more
// than it did: that they gain nothing without the loss does not clear it.
func TestCopiesOfOneStreamSettleNothing(t *testing.T) {
	run := load(t, "testdata/loss-limited--one-stream-through-bursts-far-away.json.gz")
	if c, tried := run.Alone(record.Up, string(finding.LossLimited)); !tried || c.Gain >= view.GainMatters {
		t.Fatalf("without the loss copies gain %v (%v)", c.Gain, tried)
	}
	if causes, _ := of(Diagnose(run), record.Up); !slices.Equal(causes, []finding.Cause{finding.LossLimited}) {
		t.Errorf("up: %v", causes)
	}
}

// Copies of a path on which nothing was faster than acknowledgements let pass are no
// faster without a thin way back: that they gain nothing does not clear it.
func TestCopiesOfAThinWayBackSettleNothing(t *testing.T) {
	run := load(t, "testdata/several/bufferbloat+ack-limited--copies-of-all-that-a-thin-way-back-lets-pass.json.gz")
	if c, tried := run.Alone(record.Down, string(finding.AckLimited)); !tried || c.Gain >= view.GainMatters {
		t.Fatalf("with a faster way back copies gain %v (%v)", c.Gain, tried)
	}
	if causes, _ := of(Diagnose(run), record.Down); causes[0] != finding.AckLimited {
		t.Errorf("down: %v", causes)
	}
}

// Where copies clear a guess, what the rules fall back on is health without that guess's
// evidence and remedies.
func TestClearedGuessLeavesNothing(t *testing.T) {
	run := load(t, "testdata/loss-limited--bursts-met-once-at-278-ms.json.gz")
	run.Predicted = []record.Predicted{without(record.Down, 1.02, finding.LossLimited)}
	causes, findings := of(Diagnose(run), record.Down)
	if !slices.Equal(causes, []finding.Cause{finding.Healthy}) || len(findings[finding.Healthy].Remedies) != 0 {
		t.Errorf("%v: %+v", causes, findings[finding.Healthy])
	}
}

// A stream that fills the path between outages is slow where copies without them gain what
// matters at their low end too, and healthy else.
func TestOutagesCostByCopies(t *testing.T) {
	const file = "testdata/loss-limited--outages-by-copies.json.gz"
	for name, c := range map[string]struct {
		tried []record.Predicted
		want  finding.Cause
	}{
		"nothing tried":               {nil, finding.Healthy},
		"they cost":                   {[]record.Predicted{without(record.Down, 2, finding.LossLimited)}, finding.LossLimited},
		"they cost less than a third": {[]record.Predicted{without(record.Down, 1.3, finding.LossLimited)}, finding.Healthy},
		"perhaps":                     {[]record.Predicted{perhaps(without(record.Down, 2, finding.LossLimited))}, finding.Healthy},
		"in the other direction":      {[]record.Predicted{without(record.Up, 2, finding.LossLimited)}, finding.Healthy},
	} {
		run := load(t, file)
		run.Predicted = c.tried
		causes, _ := of(Diagnose(run), record.Down)
		if !slices.Equal(causes, []finding.Cause{c.want}) {
			t.Errorf("%s: %v, want %s", name, causes, c.want)
		}
	}
}

// A far sender's buffer that nobody saw is a guess where copies gain nothing without it.
func TestWindowAgainstCopies(t *testing.T) {
	run := load(t, "testdata/send-buffer--far-long-path.json.gz")
	sure := func(tried ...record.Predicted) float64 {
		run.Predicted = tried
		_, findings := of(Diagnose(run), record.Down)
		return findings[finding.SendBuffer].Confidence
	}
	ruled := sure()
	if got := sure(without(record.Down, 3, finding.SendBuffer)); got < ruled {
		t.Errorf("copies that gain make it less sure: %.2f of %.2f", got, ruled)
	}
	if got := sure(without(record.Down, 1.05, finding.SendBuffer)); got >= ruled || got == 0 {
		t.Errorf("copies that gain nothing leave it %.2f sure of %.2f", got, ruled)
	}
}
