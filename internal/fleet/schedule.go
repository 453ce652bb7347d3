package fleet

import "slices"

// Test is a measurement that occupies hosts and lines, by their names.
type Test struct {
	Uses []string
}

// Schedule puts tests into rounds: what runs in one round shares nothing. Each
// test goes into the first round that has room, those that share the most with
// others first.
func Schedule(tests []Test) [][]int {
	users := map[string]int{}
	for _, t := range tests {
		for _, u := range t.Uses {
			users[u]++
		}
	}
	weight := func(i int) (w int) {
		for _, u := range tests[i].Uses {
			w = max(w, users[u])
		}
		return w
	}
	order := make([]int, len(tests))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return weight(b) - weight(a) })
	var rounds [][]int
	var taken []map[string]bool
next:
	for _, i := range order {
		for r := range rounds {
			if !slices.ContainsFunc(tests[i].Uses, func(u string) bool { return taken[r][u] }) {
				rounds[r] = append(rounds[r], i)
				occupy(taken[r], tests[i])
				continue next
			}
		}
		rounds = append(rounds, []int{i})
		taken = append(taken, map[string]bool{})
		occupy(taken[len(taken)-1], tests[i])
	}
	return rounds
}

func occupy(taken map[string]bool, t Test) {
	for _, u := range t.Uses {
		taken[u] = true
	}
}
