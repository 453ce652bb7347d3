package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// between draws evenly over the logarithm: real rates, delays and shares of
// loss spread over orders of magnitude.
func between(r *rand.Rand, low, high float64) float64 {
	return low * math.Exp(r.Float64()*math.Log(high/low))
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

// ways draws the directions that an impairment holds for.
func ways(r *rand.Rand) []Direction {
	return pick(r, Both, Both, []Direction{Up}, []Direction{Down})
}

// howMany things are wrong with a path, of which such shares have two and none.
func howMany(r *rand.Rand, double bool, two, none float64) int {
	at := r.Float64()
	switch {
	case double || at < two:
		return 2
	case at < two+none:
		return 0
	}
	return 1
}

// The texts of quantities as the path language reads them.

func rateText(bps float64) string {
	return fmt.Sprintf("%dkbit", max(int(math.Round(bps/1e3)), 1))
}

func timeText(seconds float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", seconds*1e3), ".0") + "ms"
}

func shareText(share float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.4f", share*100), "0"), ".") + "%"
}

func sizeText(bytes float64) string {
	return fmt.Sprintf("%dKiB", max(int(math.Round(bytes/1024)), 2))
}
