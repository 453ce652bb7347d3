package language

import (
	"slices"
	"strings"
)

// suggest is the known word that a misspelt one was probably meant to be, as
// the rest of a sentence, or nothing.
func suggest(word string, known []string) string {
	best, distance := "", len(word)/3+2 // edits; more make another word
	for _, k := range known {
		if d := edits(strings.ToLower(word), k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return ": did you mean " + best + "?"
}

// edits is how many letters must be put in, left out, replaced or exchanged
// with their neighbour to make b of a: the optimal string alignment distance.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			least := min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				least = min(least, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = least
		}
	}
	return rows[len(x)][len(y)]
}

// oneOf lists the words of an error's hint.
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// bare leaves out the words of one direction, which a hint need not list.
func bare(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return baseKey(w) != w })
}
