package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// shares are the two of a row of the simulated table that a gate is about, in
// per cent: of a ratio of 1, those called different; of a ratio of 1.3, those
// that find it.
type shares struct{ different, found float64 }

// published reads the rows of a document's simulated tables, by their noise.
func published(document string) (map[string]shares, error) {
	rows := map[string]shares{}
	for line := range strings.Lines(document) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		if len(cells) != 9 {
			continue
		}
		different, isShare := percent(cells[1])
		found, isToo := percent(cells[6])
		if isShare && isToo {
			rows[cells[0]] = shares{different, found}
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("no table of simulated comparisons")
	}
	return rows, nil
}

// percent reads the share of a cell such as 5.4 % [4.1–7.0].
func percent(cell string) (share float64, ok bool) {
	number, _, ok := strings.Cut(cell, " %")
	share, err := strconv.ParseFloat(number, 64)
	return share, ok && err == nil
}

// judgeShares says what is worse than was published. The same seed draws the
// same comparisons; another platform may round a few of a thousand differently.
func judgeShares(noise string, now, was shares) error {
	const rounding = 0.25 // points
	var missed []error
	if now.different > was.different+rounding {
		missed = append(missed, fmt.Errorf("%s: a ratio of 1 is called different in %.1f %%, and %.1f %% was published", noise, now.different, was.different))
	}
	if now.found < was.found-rounding {
		missed = append(missed, fmt.Errorf("%s: a ratio of %v is found in %.1f %%, and %.1f %% was published", noise, trueRatio, now.found, was.found))
	}
	return errors.Join(missed...)
}
