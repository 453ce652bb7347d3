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

// Human prints the rate to three significant digits: 93.4 Mbit/s.
func (r BitRate) Human() string {
	return human(float64(r), 1000, "bit/s", "kbit/s", "Mbit/s", "Gbit/s")
}

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

// Human prints the size to three significant digits: 4.2 MiB.
func (s Size) Human() string { return human(float64(s), 1024, "B", "KiB", "MiB", "GiB") }

func human(v, base float64, units ...string) string {
	i := 0
	for i < len(units)-1 && math.Abs(v) >= base*0.9995 {
		v /= base
		i++
	}
	digits := 2
	switch a := math.Abs(v); {
	case a >= 99.95 || v == math.Trunc(v):
		digits = 0
	case a >= 9.995:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + units[i]
}

// ParseRatio reads 0.5% or 0.005.
func ParseRatio(s string) (Ratio, error) {
	digits, percent := strings.CutSuffix(s, "%")
	v, err := parseNumber(digits)
	if err != nil {
		return 0, fmt.Errorf("ratio %q: not a number (examples: 0.5%%, 0.005)", s)
	}
	if percent {
		v /= 100
	}
	return Ratio(v), nil
}

// String prints the ratio as a percentage, with as many digits as it takes
// for ParseRatio to give the same value back.
func (r Ratio) String() string {
	for digits := 6; digits <= 15; digits++ {
		s := strconv.FormatFloat(roundTo(float64(r)*100, digits), 'f', -1, 64) + "%"
		if back, err := ParseRatio(s); err == nil && back == r {
			return s
		}
	}
	return strconv.FormatFloat(float64(r), 'f', -1, 64)
}

// roundTo rounds v to n significant decimal digits.
func roundTo(v float64, n int) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	return out
}

// Human prints the ratio as a percentage of at most three significant digits.
func (r Ratio) Human() string {
	return strconv.FormatFloat(roundTo(float64(r)*100, 3), 'f', -1, 64) + " %"
}
