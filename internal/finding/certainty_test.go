package finding

import "testing"

func TestSureness(t *testing.T) {
	for confidence, want := range map[float64]string{
		0.99: "nearly certain, right in 99 of 100 such cases",
		0.95: "nearly certain, right in 95 of 100 such cases",
		0.94: "likely, right in 94 of 100 such cases",
		0.85: "likely, right in 85 of 100 such cases",
		0.84: "a guess, right in 84 of 100 such cases",
		0.73: "a guess, right in 73 of 100 such cases",
		0:    "a guess, right in 0 of 100 such cases",
	} {
		if got := Sureness(confidence); got != want {
			t.Errorf("%v: %s, want %s", confidence, got, want)
		}
	}
}
