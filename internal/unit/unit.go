// Package unit holds the quantities that users write and read: bit rates,
// byte sizes and ratios. Parsing and printing are inverse: for every value v,
// Parse(v.String()) == v.
package unit

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// BitRate is a rate in bits per second.
type BitRate int64

// Size is a number of bytes.
type Size int64

// Ratio is a share: 0.005 is 0.5 %. It is not restricted to [0, 1].
type Ratio float64

// Decimal multiples of a bit per second.
const (
	Kbit BitRate = 1e3
	Mbit BitRate = 1e6
	Gbit BitRate = 1e9
)

// Binary multiples of a byte (IEC 80000-13).
const (
	KiB Size = 1 << 10
	MiB Size = 1 << 20
	GiB Size = 1 << 30
)

type suffix struct {
	name  string
	scale float64
}

// Printed with the first of each scale; all are accepted, in any case.
var rateSuffixes = []suffix{
	{"gbit/s", 1e9},
	{"mbit/s", 1e6},
	{"kbit/s", 1e3},
	{"gbps", 1e9},
	{"mbps", 1e6},
	{"kbps", 1e3},
	{"gib/s", 8 << 30},
	{"mib/s", 8 << 20},
	{"kib/s", 8 << 10},
	{"gb/s", 8e9},
	{"mb/s", 8e6},
	{"kb/s", 8e3},
	{"gbit", 1e9},
	{"mbit", 1e6},
	{"kbit", 1e3},
	{"bit/s", 1},
	{"bps", 1},
	{"b/s", 8},
	{"bit", 1},
}

var sizeSuffixes = []suffix{
	{"gib", 1 << 30},
	{"mib", 1 << 20},
	{"kib", 1 << 10},
	{"gb", 1e9},
	{"mb", 1e6},
	{"kb", 1e3},
	{"b", 1},
	{"", 1},
}

// ErrRange reports a number that does not fit its quantity, or is past 2^53
// and so no longer exact.
var ErrRange = errors.New("out of range")

// ParseBitRate reads a rate such as 500mbit, 1.5gbit/s, 2500000bit or, in
// bytes, 10MiB/s. A rate needs its unit.
func ParseBitRate(s string) (BitRate, error) {
	v, err := parseInteger(s, rateSuffixes)
	if err != nil {
		return 0, fmt.Errorf("rate %q: %w (examples: 500mbit, 1.5gbit, 10MiB/s)", s, err)
	}
	return BitRate(v), nil
}

// ParseSize reads a size such as 64KiB, 1500B, 2MB or 1500 (bytes).
func ParseSize(s string) (Size, error) {
	v, err := parseInteger(s, sizeSuffixes)
	if err != nil {
		return 0, fmt.Errorf("size %q: %w (examples: 64KiB, 1500B, 2MB)", s, err)
	}
	return Size(v), nil
}

func parseInteger(s string, suffixes []suffix) (int64, error) {
	lower := strings.ToLower(s)
	for _, x := range suffixes {
		digits, ok := strings.CutSuffix(lower, x.name)
		if !ok {
			continue
		}
		v, err := parseNumber(digits)
		if err != nil {
			return 0, err
		}
		v = math.Round(v * x.scale)
		if v < 0 || v > 1<<53 {
			return 0, ErrRange
		}
		return int64(v), nil
	}
	return 0, errors.New("the unit is missing or unknown")
}

// parseNumber reads a plain decimal number: no sign, exponent, NaN or Inf.
func parseNumber(s string) (float64, error) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, errors.New("not a number with a known unit")
	}
	return strconv.ParseFloat(s, 64)
}

// String prints the rate in the largest unit that loses nothing: 500mbit.
func (r BitRate) String() string {
	switch {
	case r != 0 && r%Gbit == 0:
		return fmt.Sprintf("%dgbit", r/Gbit)
	case r != 0 && r%Mbit == 0:
		return fmt.Sprintf("%dmbit", r/Mbit)
	case r != 0 && r%Kbit == 0:
		return fmt.Sprintf("%dkbit", r/Kbit)
	}
	return fmt.Sprintf("%dbit", int64(r))
}

// Human prints the rate to three significant digits, an exact one to as many as
// it takes: 93.4 Mbit/s, 50 Mbit/s.
func (r BitRate) Human() string { return exact(float64(r), rateUnits) }

// String prints the size in the largest binary unit that loses nothing: 64KiB.
func (s Size) String() string {
	switch {
	case s != 0 && s%GiB == 0:
		return fmt.Sprintf("%dGiB", s/GiB)
	case s != 0 && s%MiB == 0:
		return fmt.Sprintf("%dMiB", s/MiB)
	case s != 0 && s%KiB == 0:
		return fmt.Sprintf("%dKiB", s/KiB)
	}
	return fmt.Sprintf("%dB", int64(s))
}

// Human prints the size as BitRate.Human prints a rate: 4.25 MiB, 64 KiB.
func (s Size) Human() string { return exact(float64(s), sizeUnits) }

// Measured and computed values are no whole numbers, so they have three
// significant digits: 5.00 Mbit/s, 402 µs.

// HumanRate prints a rate in bit/s.
func HumanRate(bps float64) string { return human(bps, rateUnits) }

// HumanSize prints a size in bytes.
func HumanSize(bytes float64) string { return human(bytes, sizeUnits) }

// HumanTime prints a time in seconds.
func HumanTime(seconds float64) string {
	if math.Abs(seconds) < 0.5e-9 { // the rounding of the arithmetic
		return "0 s"
	}
	return human(seconds*1e9, timeUnits)
}

// ExactTime prints a time in seconds that somebody set, as BitRate.Human prints
// a rate: 50 ms, 8.33 ms.
func ExactTime(seconds float64) string {
	if seconds == 0 {
		return "0 s"
	}
	return exact(math.Round(seconds*1e9), timeUnits) // what is below is the rounding of the arithmetic
}

// scale is the units of a quantity, each base times the one before.
type scale struct {
	base  float64
	names []string
}

var (
	rateUnits = scale{1000, []string{"bit/s", "kbit/s", "Mbit/s", "Gbit/s"}}
	sizeUnits = scale{1024, []string{"B", "KiB", "MiB", "GiB"}}
	timeUnits = scale{1000, []string{"ns", "µs", "ms", "s"}}
)

// fit finds the unit that suits v, which is in the smallest.
func (s scale) fit(v float64) (scaled float64, name string) {
	i := 0
	for i < len(s.names)-1 && math.Abs(v) >= s.base*0.9995 {
		v /= s.base
		i++
	}
	return v, s.names[i]
}

// human prints v to three significant digits.
func human(v float64, s scale) string {
	v, name := s.fit(v)
	digits := 2
	switch a := math.Abs(v); {
	case a >= 99.95 || a == 0:
		digits = 0
	case a >= 9.995:
		digits = 1
	case a < 0.9995:
		digits = 3
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + name
}

// exact prints v as human does, but a whole number of a unit as such.
func exact(v float64, s scale) string {
	if scaled, name := s.fit(v); scaled == math.Trunc(scaled) {
		return strconv.FormatFloat(scaled, 'f', 0, 64) + " " + name
	}
	return human(v, s)
}

// ParseRatio reads 0.5% or 0.005.
func ParseRatio(s string) (Ratio, error) {
	digits, percent := strings.CutSuffix(s, "%")
	v, err := parseNumber(digits)
	if err == nil && percent {
		v, err = strconv.ParseFloat(digits+"e-2", 64) // the nearest, which v/100 may miss
	}
	if err != nil {
		return 0, fmt.Errorf("ratio %q: not a number (examples: 0.5%%, 0.005)", s)
	}
	return Ratio(v), nil
}

// String prints the ratio as a percentage, with as many digits as it takes
// for ParseRatio to give the same value back.
func (r Ratio) String() string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(float64(r)), 'e', -1, 64), "e")
	shift, err := strconv.Atoi(exponent)
	if err != nil { // not a finite number
		return strconv.FormatFloat(float64(r), 'f', -1, 64)
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	point := 1 + shift + 2 // how many of the digits stand before it
	switch {
	case point <= 0:
		digits = "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		digits += strings.Repeat("0", point-len(digits))
	default:
		digits = digits[:point] + "." + digits[point:]
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" || digits[0] == '.' {
		digits = "0" + digits
	}
	if r < 0 {
		digits = "-" + digits
	}
	return digits + "%"
}

// Significant rounds v to n significant decimal digits; what is not finite stays
// as it is.
func Significant(v float64, n int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	if err != nil {
		return v
	}
	return out
}

// Human prints the ratio as a percentage of at most three significant digits.
func (r Ratio) Human() string {
	return strconv.FormatFloat(Significant(float64(r)*100, 3), 'f', -1, 64) + " %"
}

// HumanTimes is a ratio to three significant digits, as 52.1×.
func HumanTimes(v float64) string { return strconv.FormatFloat(v, 'f', Decimals(v), 64) + "×" }

// Decimals are as many as make three significant digits, at least none and at
// most three.
func Decimals(v float64) int {
	v = math.Abs(v)
	switch {
	case v >= 99.95 || math.IsNaN(v):
		return 0
	case v >= 9.995:
		return 1
	case v >= 0.9995:
		return 2
	}
	return 3
}
