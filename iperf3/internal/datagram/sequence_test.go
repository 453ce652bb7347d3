package datagram

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestSequence(t *testing.T) {
	for _, c := range []struct {
		name                        string
		seqs                        []uint64
		packets                     uint64
		lost, reordered, duplicates int64
		malformed                   int64
	}{
		{"in order", []uint64{1, 2, 3}, 3, 0, 0, 0, 0},
		{"a gap", []uint64{1, 4}, 4, 2, 0, 0, 0},
		{"the first ones lost", []uint64{5, 6}, 6, 4, 0, 0, 0},
		{"late, so not lost", []uint64{1, 3, 2, 4}, 4, 0, 1, 0, 0},
		{"doubled, so neither lost nor found", []uint64{1, 2, 2, 4, 4}, 4, 1, 0, 2, 0},
		{"the first one late", []uint64{2, 1, 1}, 2, 0, 1, 1, 0},
		{"a number that cannot be", []uint64{1, 1 << 60, 2}, 2, 0, 0, 0, 1},
		{"the largest number", []uint64{1, 1<<64 - 1}, 1, 0, 0, 0, 1},
		{"later than a window, and then its place's own", []uint64{seenWindow + 2, 1, seenWindow + 1}, seenWindow + 2, seenWindow - 1, 2, 0, 0},
		{"more than a window on", []uint64{1, 1 + 2*seenWindow, 1}, 1 + 2*seenWindow, 2*seenWindow - 2, 1, 0, 0},
	} {
		var s Sequence
		for _, seq := range c.seqs {
			s.Add(Header{Seq: seq}, 100, 0)
		}
		if s.Highest != c.packets || s.Lost() != c.lost || s.Reordered != c.reordered || s.Duplicates != c.duplicates || s.Malformed != c.malformed {
			t.Errorf("%s: %d packets, lost %d, reordered %d, duplicates %d, malformed %d",
				c.name, s.Highest, s.Lost(), s.Reordered, s.Duplicates, s.Malformed)
		}
	}
}

// Whatever a path does to the packets, the account must agree with a plain
// one that remembers all of them.
func TestSequenceAgainstMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s Sequence
	seen := map[uint64]bool{}
	var duplicates int64
	for base := uint64(1); base < 20000; base++ {
		if rng.Float64() < 0.05 {
			continue
		}
		seq := base
		if rng.Float64() < 0.1 {
			seq = max(1, base-min(base, uint64(rng.IntN(500))))
		}
		if seen[seq] {
			duplicates++
		}
		seen[seq] = true
		s.Add(Header{Seq: seq}, 1, 0)
	}
	if s.arrived != int64(len(seen)) || s.Duplicates != duplicates || s.Bytes != int64(len(seen)) {
		t.Errorf("arrived %d, duplicates %d; want %d, %d", s.arrived, s.Duplicates, len(seen), duplicates)
	}
}

func TestJitter(t *testing.T) {
	// Transit times alternate by 16 ms: after n packets RFC 3550's estimate is
	// 16 ms × (1 − (15/16)^(n−1)).
	var s Sequence
	for n := range uint64(1000) {
		sent := time.Duration(n) * 10 * time.Millisecond
		s.Add(Header{Seq: n + 1, Sent: sent}, 100, sent+time.Hour+time.Duration(n%2)*16*time.Millisecond)
	}
	if got := s.jitter; got < 0.01599 || got > 0.01601 {
		t.Errorf("jitter %v s, want 0.016", got)
	}
}
