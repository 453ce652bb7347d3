package stats

import (
	"encoding/json"
	"fmt"
	"math"
)

// Interval is a range of values, its ends included. An end that nothing is
// known of is infinite.
type Interval struct{ Low, High float64 }

// Contains says whether x is in the interval.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }

// Bounded says whether both ends are known.
func (i Interval) Bounded() bool { return !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) }

// MarshalJSON writes [low, high], an infinite end as null.
func (i Interval) MarshalJSON() ([]byte, error) {
	var ends [2]*float64
	for k, end := range []float64{i.Low, i.High} {
		if !math.IsInf(end, 0) {
			ends[k] = &end
		}
	}
	return json.Marshal(ends)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (i *Interval) UnmarshalJSON(text []byte) error {
	var ends []*float64
	if err := json.Unmarshal(text, &ends); err != nil || len(ends) != 2 {
		return fmt.Errorf("interval %.40s: want [low, high]", text)
	}
	*i = Interval{Low: math.Inf(-1), High: math.Inf(1)}
	if ends[0] != nil {
		i.Low = *ends[0]
	}
	if ends[1] != nil {
		i.High = *ends[1]
	}
	return nil
}
