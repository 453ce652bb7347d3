package seen

import (
	"strconv"
	"strings"
)

// Release is the numbers at the beginning of a kernel's release, such as
// 6.12.3-1-amd64: major, minor and patch, 0 where there is none. At least two are
// there where it is known.
func Release(text string) (numbers [3]int, known bool) {
	for i := range numbers {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		n, err := strconv.Atoi(text[:digits])
		if err != nil {
			return numbers, i >= 2
		}
		numbers[i] = n
		rest, more := strings.CutPrefix(text[digits:], ".")
		if !more {
			return numbers, i >= 1
		}
		text = rest
	}
	return numbers, true
}
