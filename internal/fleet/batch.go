package fleet

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// DefaultBatch is a canary, a few, then a fifth of the fleet at a time.
const DefaultBatch = "1,5,20%"

// Batches are the sizes of a rollout's steps; the last one is that of all that
// follow.
type Batches []size

// size is a number of hosts, or a share of all in per cent.
type size struct {
	n       int
	percent bool
}

// ParseBatches reads 1,5,20%.
func ParseBatches(text string) (Batches, error) {
	wrong := func(why string) (Batches, error) { return nil, fmt.Errorf("batches %.80q: %s", text, why) }
	var out Batches
	for part := range strings.SplitSeq(text, ",") {
		digits, percent := strings.CutSuffix(strings.TrimSpace(part), "%")
		n, err := strconv.ParseUint(digits, 10, 20)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return wrong(digits + " is too large")
		case err != nil || n == 0:
			return wrong(fmt.Sprintf("%.20q is no number of hosts, and no share as 20%%", part))
		case percent && n > 100:
			return wrong("a share is at most 100%")
		}
		out = append(out, size{int(n), percent})
	}
	if len(out) > 1000 {
		return wrong("there are too many")
	}
	return out, nil
}

// String is the text that ParseBatches reads.
func (b Batches) String() string {
	var parts []string
	for _, s := range b {
		text := strconv.Itoa(s.n)
		if s.percent {
			text += "%"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}

// Cut divides so many hosts: the sizes of the batches, in order. A share is of
// all hosts, rounded down, and at least one host.
func (b Batches) Cut(hosts int) []int {
	var out []int
	for left := hosts; left > 0; {
		s := b[min(len(out), len(b)-1)]
		n := s.n
		if s.percent {
			n = max(1, hosts*s.n/100)
		}
		n = min(n, left)
		out = append(out, n)
		left -= n
	}
	return out
}
