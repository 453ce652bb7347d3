package iperf3

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
		{"more than a window on", []uint64{1, 1 + 2*seenWindow, 1}, 1 + 2*seenWindow, 2*seenWindow - 2, 1, 0, 0},
	} {
		var s sequence
		for _, seq := range c.seqs {
			s.add(header{seq: seq}, 100, 0)
		}
		if s.highest != c.packets || s.lost() != c.lost || s.reordered != c.reordered || s.duplicates != c.duplicates || s.malformed != c.malformed {
			t.Errorf("%s: %d packets, lost %d, reordered %d, duplicates %d, malformed %d",
				c.name, s.highest, s.lost(), s.reordered, s.duplicates, s.malformed)
		}
	}
}

// Whatever a path does to the packets, the account must agree with a plain
// one that remembers all of them.
func TestSequenceAgainstMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s sequence
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
		s.add(header{seq: seq}, 1, 0)
	}
	if s.arrived != int64(len(seen)) || s.duplicates != duplicates || s.bytes != int64(len(seen)) {
		t.Errorf("arrived %d, duplicates %d; want %d, %d", s.arrived, s.duplicates, len(seen), duplicates)
	}
}

func TestJitter(t *testing.T) {
	// Transit times alternate by 16 ms: after n packets RFC 3550's estimate is
	// 16 ms × (1 − (15/16)^(n−1)).
	var s sequence
	for n := range uint64(1000) {
		sent := time.Duration(n) * 10 * time.Millisecond
		s.add(header{seq: n + 1, sent: sent}, 100, sent+time.Hour+time.Duration(n%2)*16*time.Millisecond)
	}
	if got := s.jitter; got < 0.01599 || got > 0.01601 {
		t.Errorf("jitter %v s, want 0.016", got)
	}
}

func FuzzHeader(f *testing.F) {
	p := make([]byte, headerSize64)
	header{sent: 3*time.Second + 4*time.Microsecond, seq: 5}.put(p, true)
	f.Add(p, true)
	f.Add(p[:headerSize32], false)
	f.Add([]byte{}, true)
	f.Fuzz(func(t *testing.T, p []byte, wide bool) {
		h, ok := parseHeader(p, wide)
		if !ok {
			return
		}
		var s sequence
		s.add(h, len(p), 0)
		s.add(header{seq: 1}, len(p), 0)
		if s.lost() < 0 || s.arrived < 0 || s.arrived > 2 {
			t.Errorf("%+v: lost %d, arrived %d", h, s.lost(), s.arrived)
		}
		again := make([]byte, headerSize64)
		if h.sent%time.Second < time.Second && h.sent/time.Second <= 1<<32-1 {
			h.put(again, wide)
			if got, _ := parseHeader(again, wide); got != h {
				t.Errorf("%+v became %+v", h, got)
			}
		}
	})
}
