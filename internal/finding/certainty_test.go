package finding

import "testing"

func TestCertainty(t *testing.T) {
	for confidence, want := range map[float64]string{
		0.99: "nearly certain, right in 99 of 100 such cases",
		0.95: "nearly certain, right in 99 of 100 such cases",
		0.94: "likely, right in 96 of 100 such cases",
		0.8:  "likely, right in 96 of 100 such cases",
		0.5:  "a guess, right in 72 of 100 such cases",
		0:    "a guess, right in 72 of 100 such cases",
	} {
		if got := CertaintyOf(confidence).String(); got != want {
			t.Errorf("%v: %s, want %s", confidence, got, want)
		}
	}
}
