package analysis

import (
	"math"

	"unchoke/internal/stats"
)

// ModesFrom is as few runs as are asked whether they have two modes.
const ModesFrom = 10

// modesP is the probability below which two modes are believed. A study has
// dozens of cells, each asked.
const modesP = 0.01

// twoModes says whether runs of one cell cluster about two throughputs that
// differ by a factor.
func twoModes(rates []float64) bool {
	if len(rates) < ModesFrom {
		return false
	}
	logs := make([]float64, len(rates))
	for i, r := range rates {
		logs[i] = math.Log(max(r, 1))
	}
	return stats.TwoModes(logs).P < modesP
}
