package diagnose

import "testing"

// What a policer drops of UDP sent above its limit is no loss of the path's, though the
// stream sped up as long as its bucket held.
func TestDropsAboveALimitAreNoRandomLoss(t *testing.T) {
	for _, file := range []string{
		"testdata/policed--a-ladder-that-begins-above.json.gz",
		"testdata/policed--two-megabytes-that-passed-nearly-whole.json.gz",
	} {
		if p := MeasuredPath(load(t, file)); p.Down.Loss > 0.001 {
			t.Errorf("%s: the path loses %v", file, p.Down.Loss)
		}
	}
}
