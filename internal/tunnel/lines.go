package tunnel

import "strings"

// lines are those of a text. They are a slice, which is smaller in the slim build
// than an iterator.
func lines(text string) []string { return strings.Split(text, "\n") }
