package main

import (
	"fmt"

	"unchoke/internal/lab/analysis"
)

// score is a row of the table of docs/jitter-cliff.md: how many comparisons of
// a part agree. A test holds the two together.
type score struct {
	part      string
	runs      int // of ours a cell; 0 for any
	agree, of int
}

const ranked = "CUBIC and BBR ranked"

var published = []score{
	{"the article's jitter runs", 5, 81, 84},
	{"the article's loss runs", 5, 27, 28},
	{"the article's loss runs", 40, 28, 28},
	{"the article's text", 0, 27, 27},
	{ranked, 0, 39, 39},
	{"theory of CUBIC, RFC 9438", 0, 6, 7},
	{"theory of BBR, rate×(1−p)", 0, 6, 6},
}

// judge says where a smaller share agrees than was published.
func judge(a analysis.Agreement, cells []analysis.Cell) []string {
	var missed []string
	need := func(part string, runs, agree, all int) {
		for _, p := range published {
			if p.part == part && (p.runs == 0 || p.runs == runs) && agree*p.of < p.agree*all {
				missed = append(missed, fmt.Sprintf("%s: %d of %d agree, and %d of %d were published", part, agree, all, p.agree, p.of))
			}
		}
	}
	for _, p := range a.Parts() {
		agree, all := analysis.Tally(p.List)
		if all > 0 {
			need(p.Name, runs(p.List, cells), agree, all)
		}
	}
	same := 0
	for _, r := range a.Ranks {
		if r.Agrees {
			same++
		}
	}
	need(ranked, 0, same, len(a.Ranks))
	return missed
}

// runs is the fewest runs that a cell compared has: other sweeps of a study may
// add to some. It is 0 where none is a cell.
func runs(list []analysis.Compared, cells []analysis.Cell) int {
	least := 0
	for _, c := range list {
		if c.Cell < 0 || c.Cell >= len(cells) {
			continue
		}
		if n := cells[c.Cell].Throughput.N; least == 0 || n < least {
			least = n
		}
	}
	return least
}
