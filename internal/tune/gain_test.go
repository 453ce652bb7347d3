package tune

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// What copies of the path gained by a remedy stands behind its reason; a remedy
// by which they gained nothing is planned only where somebody asks for it.
func TestPredictedGain(t *testing.T) {
	const bbrArm = "cc=bbr"
	for name, c := range map[string]struct {
		predicted []record.Predicted
		remedy    Remedy
		planned   bool
		words     string // in the reason, or in the note
	}{
		"nothing tried": {nil, Auto, true, "one stream carries 4.00 Mbit/s of 100 Mbit/s"},
		"a gain":        {[]record.Predicted{{Arm: bbrArm, Rate: 92e6, Low: 85e6, High: 96e6, Gain: 23, GainLow: 18, GainHigh: 30}}, Auto, true, "92.0 Mbit/s with it [85.0 Mbit/s–96.0 Mbit/s], 23 times as much as now"},
		"none":          {[]record.Predicted{{Arm: bbrArm, Rate: 4e6, Low: 3.8e6, High: 4.4e6, Gain: 1, GainLow: 0.91, GainHigh: 1.1}}, Auto, false, "copies of this path gain nothing by it"},
		"perhaps some":  {[]record.Predicted{{Arm: bbrArm, Rate: 4e6, Low: 3e6, High: 8e6, Gain: 1, GainLow: 0.8, GainHigh: 2}}, Auto, true, "1 times as much as now"},
		"none, asked":   {[]record.Predicted{{Arm: bbrArm, Rate: 4e6, Low: 3.8e6, High: 4.4e6, Gain: 1, GainLow: 0.91, GainHigh: 1.1}}, UseBBR, true, "asked for"},
		"of another":    {[]record.Predicted{{Arm: "send buffer 4 MiB", Rate: 4e6, Gain: 1, GainHigh: 1.1}}, Auto, true, "one stream carries"},
	} {
		m := lossy()
		m.Up.Predicted = c.predicted
		p, err := Make(debian(), m, Options{Remedy: c.remedy})
		if err != nil {
			t.Fatal(err)
		}
		planned := slices.ContainsFunc(p.Changes, func(x Change) bool { return x.Key == keyCC })
		var words strings.Builder
		for _, x := range p.Changes {
			words.WriteString(x.Why + "\n")
		}
		for _, n := range p.Notes {
			words.WriteString(n.What + "\n")
		}
		if planned != c.planned || !strings.Contains(words.String(), c.words) {
			t.Errorf("%s: planned %v, want %v with %q in\n%s", name, planned, c.planned, c.words, words.String())
		}
	}
}

// What copies gained by a remedy that is only planned where somebody asks stands beside the
// offer, and in the reason of the plan that was asked for.
func TestPredictedOnRequest(t *testing.T) {
	m := lossy()
	m.Up.Causes, m.Up.Policer, m.Up.Capacity = []finding.Cause{finding.Policed}, 50e6, 50e6
	m.Up.Predicted = []record.Predicted{
		{Arm: "fq maxrate 48.5 Mbit/s", Rate: 47e6, Low: 41e6, High: 49e6, Gain: 1.04, GainLow: 1, GainHigh: 1.1},
		{Arm: "cc=bbr", Rate: 46e6, Low: 40e6, High: 49e6, Gain: 1.02, GainLow: 1, GainHigh: 1.1},
	}
	const gain = "; copies of this path carry 47.0 Mbit/s with it [41.0 Mbit/s–49.0 Mbit/s], 1.04 times as much as now"
	if p := plan(t, debian(), m, Options{}); !strings.Contains(p.notes("policer"), "loses nothing"+gain) {
		t.Errorf("the offer: %q", p.notes("policer"))
	}
	for remedy, want := range map[Remedy]string{UseMaxRate: gain, UseBBR: "asked for; copies of this path carry 46.0 Mbit/s with it"} {
		p := plan(t, debian(), m, Options{Remedy: remedy})
		if !slices.ContainsFunc(p.Changes, func(c Change) bool { return strings.Contains(c.Why, want) }) {
			t.Errorf("%s: no change says %q: %+v", remedy, want, p.Changes)
		}
	}
}

// Where a queue stands, a remedy that empties it is worth it though it carries no more.
func TestPredictedDelay(t *testing.T) {
	predicted := []record.Predicted{
		{Arm: record.Now, Direction: record.Up, Rate: 19.6e6, Gain: 1, RTT: 0.352},
		{Arm: "cc=bbr", Direction: record.Up, Rate: 19.2e6, Low: 15e6, High: 22e6, Gain: 0.98, GainLow: 0.9, GainHigh: 1.06, RTT: 0.0241},
	}
	for cause, want := range map[finding.Cause]string{
		finding.Bufferbloat: ", and have an RTT of 24.1 ms under load in place of 352 ms",
		finding.LossLimited: "", // there the delay is no reason
	} {
		m := lossy()
		m.Up.Causes, m.Up.Predicted = []finding.Cause{cause}, predicted
		p := plan(t, debian(), m, Options{})
		i := slices.IndexFunc(p.Changes, func(x Change) bool { return x.Key == keyCC })
		if (i >= 0) != (want != "") {
			t.Fatalf("%s: planned %v", cause, i >= 0)
		}
		if i >= 0 && !strings.Contains(p.Changes[i].Why, want) {
			t.Errorf("%s: %s", cause, p.Changes[i].Why)
		}
	}
}

func TestNoLargerBufferWithoutGain(t *testing.T) {
	m := lossy()
	m.Up.Causes = []finding.Cause{finding.SendBuffer}
	m.Up.Predicted = []record.Predicted{{Arm: "send buffer 4 MiB", Rate: 4e6, Gain: 1, GainLow: 0.91, GainHigh: 1.1}}
	p, err := Make(debian(), m, Options{})
	if err != nil || len(p.Changes) > 0 {
		t.Errorf("%v, %+v", err, p.Changes)
	}
}
