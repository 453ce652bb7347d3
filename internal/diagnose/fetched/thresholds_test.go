package fetched

import (
	"slices"
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/threshold"
	check "unchoke/internal/diagnose/view"
)

// What both kinds of a check decide by alike has one value.
func TestThresholdsAreTheChecks(t *testing.T) {
	all := slices.Concat(seen.Thresholds, check.Thresholds)
	for name, here := range map[string]float64{
		"slow-share":    slowShare,
		"steady-from":   steadyFrom,
		"many-of-one":   manyOfOne,
		"queue-rise":    queueRise,
		"bloat-factor":  bloatFactor,
		"bloat-excess":  bloatExcess,
		"model-spread":  modelSpread,
		"window-filled": windowFilled,
	} {
		i := slices.IndexFunc(all, func(th threshold.Threshold) bool { return th.Name == name })
		if i < 0 || all[i].Value() != here {
			t.Errorf("%s: a check of a URL has %v, one with a server another", name, here)
		}
	}
}
