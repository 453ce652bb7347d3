package wire

import (
	"encoding/json"
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for text, want := range map[string]Number{
		"5": 5, "-1": -1, "1e9": 1e9, "2.0": 2, "18446744073709551615": -1, "1.8446744073709552e+19": -1,
		"9223372036854775807": math.MaxInt64, "1e30": math.MaxInt64, "-1e30": math.MinInt64, "1e999": math.MaxInt64,
	} {
		var n Number
		if err := json.Unmarshal([]byte(text), &n); err != nil || n != want {
			t.Errorf("%s: %d, %v; want %d", text, n, err, want)
		}
	}
}
