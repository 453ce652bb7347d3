package diagnose

import (
	"slices"
	"testing"

	"unchoke/internal/diagnose/watched"
	"unchoke/internal/live"
)

// What a check and a live flow decide by alike has one value.
func TestLiveThresholdsAreTheChecks(t *testing.T) {
	for name, live := range map[string]float64{
		"limit-share":    watched.LimitShare,
		"queue-rise":     watched.QueueRise,
		"bloat-factor":   watched.BloatFactor,
		"bloat-excess":   watched.BloatExcess,
		"spurious-share": watched.SpuriousShare,
		"model-spread":   watched.ModelSpread,
		"loss-rise":      watched.LossRise,
		"bbr-cliff":      watched.BBRCliff,
		"repair-share":   watched.RepairShare,
	} {
		i := slices.IndexFunc(Thresholds(), func(th Threshold) bool { return th.Name == name })
		if i < 0 || Thresholds()[i].Value() != live {
			t.Errorf("%s: a live flow has %v, a check another", name, live)
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
