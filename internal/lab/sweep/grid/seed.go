package grid

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Seed is where the randomness of a run begins: the first eight bytes, as a
// little-endian number, of the SHA-256 of
//
//	unchoke.lab.seed/1 LF base LF path LF traffic LF repetition LF
//
// with the numbers in decimal and path and traffic in their canonical text. It
// depends on nothing else. So all arms of a path, a traffic and a repetition
// meet the same random numbers, which makes their differences exact where
// their means are not (common random numbers); and a value more on an axis
// leaves the other cells' runs as they were.
func Seed(base uint64, path, traffic string, repetition int) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "unchoke.lab.seed/1\n%d\n%s\n%s\n%d\n", base, path, traffic, repetition))
	// A seed of 0 asks for randomness, so that one in 2⁶⁴ is another.
	return max(binary.LittleEndian.Uint64(sum[:]), 1)
}
