package twin

import (
	"math"
	"testing"

	"unchoke/internal/record"
)

// carrying are the outcomes of trials with these rates.
func carrying(rates ...float64) []Outcome {
	out := make([]Outcome, len(rates))
	for i, r := range rates {
		out[i] = Outcome{Rate: r, Segments: 100, RTT: 0.05}
	}
	return out
}

// A copy on which a stream stood still now makes no gain of millions, and the middle of two
// gains that are far apart is their factors' middle. The rates are those of a kept record
// whose gain was said to be 9,064.
func TestGainsBesideNothing(t *testing.T) {
	p := Panel{Direction: record.Down, Measured: 46.2e6}
	got := p.Predict(Arm{}, carrying(59.7e6, 59.7e6, 59.7e6, 59.7e6), carrying(0, 3.3e3, 2.3e6, 11e6), nil)
	// 59.7 over a hundredth of 46.2 is 129.2, and over 2.3 it is 26.
	if want := math.Sqrt(129.2 * 26); math.Abs(got.Gain/want-1) > 0.01 {
		t.Errorf("a gain of %.4g, want %.4g", got.Gain, want)
	}
	if got.GainHigh > 129.3*off || got.GainLow < 5.4/off {
		t.Errorf("gains from %.4g to %.4g", got.GainLow, got.GainHigh)
	}
	if none := (Panel{}).Predict(Arm{}, carrying(0, 0), carrying(0, 0), nil); none.Gain != 1 {
		t.Errorf("nothing over nothing of nothing is a gain of %v", none.Gain)
	}
}

// A trial whose connection broke, or that tells no RTT, does not shorten the RTT.
func TestRTTOfTrialsThatLasted(t *testing.T) {
	arm := carrying(1e6, 1e6, 1e6, 1e6)
	arm[0].RTT = 0
	arm[1].RTT, arm[1].Failed = 0.001, "reset"
	p := Panel{Measured: 1e6}
	if got := p.Predict(Arm{}, arm, arm, nil).RTT; got != 0.05 {
		t.Errorf("an RTT of %v s, want 0.05", got)
	}
	if got := p.Predict(Arm{}, arm[:2], arm[:2], nil).RTT; got != 0 {
		t.Errorf("an RTT of %v s where none was told", got)
	}
}
