package diagnose

import (
	"testing"

	"unchoke/internal/diagnose/watched"
	"unchoke/internal/live"
)

// What a check and a live flow decide by alike has one value.
func TestLiveThresholdsAreTheChecks(t *testing.T) {
	for name, pair := range map[string][2]float64{
		"limit-share":    {limitShare, watched.LimitShare},
		"queue-rise":     {queueRise, watched.QueueRise},
		"bloat-factor":   {bloatFactor, watched.BloatFactor},
		"bloat-excess":   {bloatExcess, watched.BloatExcess},
		"spurious-share": {spuriousShare, watched.SpuriousShare},
		"model-spread":   {explains, watched.ModelSpread},
		"loss-rise":      {lossRise, watched.LossRise},
		"bbr-cliff":      {bbrCliff, watched.BBRCliff},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: a check has %v, a live flow %v", name, pair[0], pair[1])
		}
	}
}

func TestLive(t *testing.T) {
	f := &live.Flow{Verdict: "healthy", Confidence: 1, Advice: "old"}
	Live(f)
	if f.Verdict != live.Watching || f.Confidence != 0 || f.Advice != "" || f.Summary == "" {
		t.Errorf("of nothing: %+v", f)
	}
}
