package wire

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A Number is an integer of JSON, however the peer wrote it: 1, 1.0 or 1e9.
// iperf3 keeps numbers as doubles and prints some −1 as 18446744073709551615;
// such a one is −1 again here. What does not fit is clamped.
type Number int64

// UnmarshalJSON takes any JSON number.
func (n *Number) UnmarshalJSON(text []byte) error {
	if v, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*n = Number(v)
		return nil
	}
	if v, err := strconv.ParseUint(string(text), 10, 64); err == nil {
		*n = Number(v) // wraps: 2^64 − 1 is −1
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%q is not a number", text)
	}
	switch {
	case v == math.MaxUint64: // 2^64 − 1, rounded to a double: 1.8446744073709552e+19
		*n = -1
	case v >= math.MaxInt64:
		*n = math.MaxInt64
	case v <= math.MinInt64:
		*n = math.MinInt64
	default:
		*n = Number(v)
	}
	return nil
}

// Int clamps to the int of 32-bit systems, too.
func (n Number) Int() int { return int(max(math.MinInt32, min(math.MaxInt32, n))) }

// Duration takes the number for a count of units. What no duration holds is
// clamped.
func (n Number) Duration(unit time.Duration) time.Duration {
	most := Number(math.MaxInt64 / unit)
	return time.Duration(max(-most, min(most, n))) * unit
}

// Seconds rounds up to what the wire carries. A server does not end a test on
// time but well after it, so rounding costs nothing.
func Seconds(d time.Duration) Number {
	return Number((d + time.Second - 1) / time.Second)
}

// Flag is 1 for true and 0 for false.
func Flag(b bool) Number {
	if b {
		return 1
	}
	return 0
}
