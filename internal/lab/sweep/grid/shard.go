package grid

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a part of a sweep, for one of many hosts: the I-th of N. The zero
// value is the whole.
type Shard struct{ I, N int }

// maxShards is more than any cluster takes array jobs.
const maxShards = 1_000_000

// ParseShard reads I/N, from 1/N to N/N.
func ParseShard(v string) (Shard, error) {
	first, count, ok := strings.Cut(v, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(count)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > maxShards || i < 1 || i > n {
		return Shard{}, fmt.Errorf("%q is not a shard: I/N from 1/N to N/N, such as 2/4", v)
	}
	return Shard{i, n}, nil
}

// String is I/N, or empty for the whole.
func (s Shard) String() string {
	if s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.I, s.N)
}

// Of is the shard's part of the lots. Every N-th: neighbours in a grid take
// alike long.
func (s Shard) Of(lots []Lot) []Lot {
	if s.N == 0 {
		return lots
	}
	var mine []Lot
	for i := s.I - 1; i < len(lots); i += s.N {
		mine = append(mine, lots[i])
	}
	return mine
}
