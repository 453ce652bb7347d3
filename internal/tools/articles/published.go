package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"unchoke/internal/stats"
)

// row names a row of the table.
type row struct{ preset, arm string }

// rate of a table: 78.5 Mbit/s [66.2–92.6], where markdown escapes brackets.
var rate = regexp.MustCompile(`^([0-9.]+) (k|M|G|)bit/s(?: \\?\[([0-9.]+)–([0-9.]+)\\?\])?$`)

// rates reads what the rows of the table say that was measured: the interval of
// each rate in bit/s, or the rate itself where it has none.
func rates(table string) (map[row]stats.Interval, error) {
	all := map[row]stats.Interval{}
	var at row
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 8 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		m := rate.FindStringSubmatch(cells[3])
		if m == nil {
			continue // the head
		}
		if cells[0] != "" {
			at.preset = cells[0]
		}
		at.arm = cells[1]
		var v [3]float64
		for i, text := range []string{m[1], m[3], m[4]} {
			if text == "" {
				v[i] = v[0]
				continue
			}
			var err error
			if v[i], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", at.preset, at.arm, err)
			}
		}
		scale := map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[m[2]]
		all[at] = stats.Interval{Low: v[1] * scale, High: v[2] * scale}
	}
	return all, nil
}

// judge says which of the rates measured now are not those published: whose
// intervals, with the last digit's rounding, have nothing in common. Another
// build draws other luck within them.
func judge(now, published map[row]stats.Interval) error {
	const rounding = 0.01
	var missed []error
	for at, is := range now {
		was, ok := published[at]
		switch {
		case !ok:
			missed = append(missed, fmt.Errorf("%s, %s is not published", at.preset, at.arm))
		case is.Low > was.High*(1+rounding) || is.High < was.Low*(1-rounding):
			missed = append(missed, fmt.Errorf("%s, %s: %.4g to %.4g bit/s, and %.4g to %.4g were published", at.preset, at.arm, is.Low, is.High, was.Low, was.High))
		}
	}
	return errors.Join(missed...)
}
