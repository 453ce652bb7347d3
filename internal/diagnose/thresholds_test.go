package diagnose

import (
	"slices"
	"testing"

	"unchoke/internal/finding"
)

func TestThresholdsHaveReasons(t *testing.T) {
	var names []string
	for _, th := range Thresholds() {
		if th.Name == "" || slices.Contains(names, th.Name) || len(th.Why) < 20 || th.Value == 0 || th.InForce() != th.Value {
			t.Errorf("%+v, in force %g", th, th.InForce())
		}
		names = append(names, th.Name)
	}
}

// A threshold that is scaled decides, and has its value again afterwards.
func TestScaled(t *testing.T) {
	run := load(t, "testdata/shallow-buffer--forty-packets.json.gz")
	i := slices.IndexFunc(Thresholds(), func(th Threshold) bool { return th.Name == "slow-share" })
	var nothingIsSlow finding.Cause
	slow := Thresholds()[i]
	slow.Scaled(0, func() { nothingIsSlow = finding.Verdict(Diagnose(run)) })
	if nothingIsSlow != finding.Healthy {
		t.Errorf("where nothing is slow the verdict is %s", nothingIsSlow)
	}
	if after := finding.Verdict(Diagnose(run)); after != finding.ShallowBuffer || slow.InForce() != slow.Value {
		t.Errorf("afterwards the verdict is %s, slow-share %g", after, slow.InForce())
	}
}
