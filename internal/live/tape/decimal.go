package tape

import (
	"math"
	"strconv"
)

// digits is how many significant ones figures keep: finer than anything here is
// measured.
const digits = 6

// Of what is no number the mantissa is 0 and the exponent says what.
const (
	expNaN = 1 + iota
	expInf
	expMinusInf
)

// decimal is a figure as a mantissa and a power of ten.
func decimal(v float64) (mantissa int64, exponent int) {
	switch {
	case v == 0:
		return 0, 0
	case math.IsNaN(v):
		return 0, expNaN
	case math.IsInf(v, 1):
		return 0, expInf
	case math.IsInf(v, -1):
		return 0, expMinusInf
	}
	var buf [32]byte
	b := strconv.AppendFloat(buf[:0], math.Abs(v), 'e', digits-1, 64) // d.ddddde±dd
	mantissa = int64(b[0] - '0')
	for _, c := range b[2 : digits+1] {
		mantissa = 10*mantissa + int64(c-'0')
	}
	exponent, _ = strconv.Atoi(string(b[digits+2:]))
	exponent -= digits - 1
	for mantissa%10 == 0 {
		mantissa /= 10
		exponent++
	}
	if v < 0 {
		mantissa = -mantissa
	}
	return mantissa, exponent
}

// powers of ten that a float64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// value is the float64 nearest to a decimal.
func value(mantissa int64, exponent int) float64 {
	switch {
	case mantissa == 0:
		return map[int]float64{expNaN: math.NaN(), expInf: math.Inf(1), expMinusInf: math.Inf(-1)}[exponent]
	case mantissa > -1<<53 && mantissa < 1<<53 && exponent >= 0 && exponent < len(powers):
		return float64(mantissa) * powers[exponent]
	case mantissa > -1<<53 && mantissa < 1<<53 && exponent < 0 && -exponent < len(powers):
		return float64(mantissa) / powers[-exponent]
	}
	v, _ := strconv.ParseFloat(strconv.FormatInt(mantissa, 10)+"e"+strconv.Itoa(exponent), 64)
	return v
}
