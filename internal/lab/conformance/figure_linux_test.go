package conformance

import (
	"fmt"
	"math"
	"time"

	"unchoke/internal/stats"
)

// figure is one comparison of what was measured with what was asked.
type figure struct {
	What     string
	Asked    string
	Measured string
	Within   string
	N        int // packets or trials behind it
	OK       bool
}

// duration compares to a tolerance in time.
func duration(what string, asked, measured, within time.Duration, n int) figure {
	return figure{
		what, ms(asked), ms(measured), "± " + ms(within), n,
		(measured - asked).Abs() <= within,
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.3f ms", float64(d)/1e6) }

// relative compares to a tolerance that is a share of what was asked.
func relative(what, unit string, asked, measured, within float64, n int) figure {
	return figure{
		what, number(asked) + " " + unit, number(measured) + " " + unit,
		fmt.Sprintf("± %g %%", within*100), n,
		math.Abs(measured-asked) <= within*asked,
	}
}

// absolute compares to a tolerance in the same unit.
func absolute(what, unit string, asked, measured, within float64, n int) figure {
	return figure{
		what, number(asked) + " " + unit, number(measured) + " " + unit,
		fmt.Sprintf("± %g %s", within, unit), n,
		math.Abs(measured-asked) <= within,
	}
}

// exactly compares whole numbers.
func exactly(what, unit string, asked, measured, n int) figure {
	return figure{
		what, fmt.Sprintf("%d %s", asked, unit), fmt.Sprintf("%d %s", measured, unit), "exact", n,
		asked == measured,
	}
}

// share compares how often something happened in n independent trials with
// its probability: the 99 % binomial interval around what was seen must hold
// it.
func share(what string, asked float64, k, n int) figure {
	i := stats.Binomial(int64(k), int64(n), 0.99)
	return figure{
		what, percent(asked), percent(float64(k) / float64(n)),
		fmt.Sprintf("%s … %s", percent(i.Low), percent(i.High)), n,
		i.Contains(asked),
	}
}

func percent(p float64) string { return fmt.Sprintf("%.3f %%", p*100) }

func number(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}
