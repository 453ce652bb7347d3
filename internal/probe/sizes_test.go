package probe

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// Whatever the hole's edge, the search ends next to it in a few rounds.
func TestSearchFindsTheEdge(t *testing.T) {
	for range 200 {
		mtu := leastPacket + 1 + rand.IntN(largestPacket-leastPacket)
		edge := rand.IntN(mtu)
		look := func(size int) record.SizeSeen {
			s := record.SizeSeen{Size: size, Sent: sizeTimes}
			if size <= edge {
				s.Answered = sizeTimes
			}
			return s
		}
		seen := []record.SizeSeen{look(mtu)}
		rounds := 0
		for sizes := nextSizes(seen); len(sizes) > 0; sizes = nextSizes(seen) {
			if rounds++; rounds > 6 || len(sizes) > sizesAtOnce {
				t.Fatalf("MTU %d, edge %d: round %d tries %v", mtu, edge, rounds, sizes)
			}
			for _, size := range sizes {
				if slices.ContainsFunc(seen, func(s record.SizeSeen) bool { return s.Size == size }) {
					t.Fatalf("MTU %d, edge %d: %d is tried again", mtu, edge, size)
				}
				seen = append(seen, look(size))
			}
		}
		passed, vanished := record.PacketSizes{Sizes: seen}.Largest()
		switch {
		case edge < leastPacket && passed != 0: // nothing passes: another cause
			t.Errorf("edge %d: %d passed", edge, passed)
		case edge >= leastPacket && (passed != edge || vanished != edge+1):
			t.Errorf("MTU %d, edge %d: passed %d, vanished %d", mtu, edge, passed, vanished)
		}
	}
}

// candidate is a relayed tunnel whose peer has an address that might answer.
type candidate struct{ tunnelled }

func (candidate) Outside() []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} }

// Only the way of the outer packets tells of a tunnel's MTU, and not one that the peer might have.
func TestSizesOutside(t *testing.T) {
	for want, tunnel := range []Tunnel{candidate{}, tunnelled{outer: netip.MustParseAddr("127.0.0.1")}} {
		c := &checker{Options: Options{Tunnel: tunnel}, run: &record.Run{}, plan: plan{rtt: 20 * time.Millisecond}}
		if seen, err := c.trySizes(t.Context(), netip.MustParseAddr("127.0.0.1"), []int{leastPacket}); err != nil || len(seen) == 0 {
			t.Skip("this host may not ask: ", err)
		}
		if err := c.outsideSizes(t.Context()); err != nil || len(c.run.PacketSizes) != want {
			t.Errorf("%T: %+v, %v", tunnel, c.run.PacketSizes, err)
		}
	}
}

func TestSegmentBounds(t *testing.T) {
	for _, c := range []struct {
		mtu, headers, limit int
		want                []int
	}{
		{1500, 40, 0, []int{0, 1452, 1420, 1380, 1360, 1320, 1240, 1024}},
		{1500, 40, 1413, []int{0, 1452, 1420, 1380, 1373, 1024}},
		{1500, 40, 1280, []int{0, 1452, 1380, 1320, 1240, 1024}},
		{1420, 60, 1300, []int{0, 1340, 1300, 1240, 1004}},
		{1280, 40, 0, []int{0, 1024}},
	} {
		if got := segmentBounds(c.mtu, c.headers, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("segmentBounds(%d, %d, %d) = %v, want %v", c.mtu, c.headers, c.limit, got, c.want)
		}
	}
}

// Only a stream that never moved ends early.
func TestStoodStill(t *testing.T) {
	for name, c := range map[string]struct {
		bytes []int64
		want  int // looks before it ends, -1 never
	}{
		"nothing comes":        {[]int64{0, 0, 0, 0, 0}, 3},
		"a full send buffer":   {[]int64{90e3, 90e3, 90e3, 90e3, 90e3}, 3},
		"it moves":             {[]int64{0, 1e4, 2e4, 3e4, 4e4}, -1},
		"it moved, and stands": {[]int64{0, 1e6, 1e6, 1e6, 1e6}, -1},
	} {
		still, ended := stoodStill(2*time.Second), -1
		for i, b := range c.bytes {
			if still(iperf3.Progress{Elapsed: time.Duration(i) * time.Second, Bytes: []int64{b / 2, b - b/2}}) {
				ended = i
				break
			}
		}
		if ended != c.want {
			t.Errorf("%s: ended at look %d, want %d", name, ended, c.want)
		}
	}
}

// A stream that runs twice has two names, by which its echo probes are found.
func TestUnusedNames(t *testing.T) {
	c := &checker{run: &record.Run{}}
	for _, want := range []string{"down-1", "down-1-again", "down-1-again-again"} {
		name := c.unused(c.transferName(record.Down, 1))
		if name != want {
			t.Errorf("%q instead of %q", name, want)
		}
		c.run.Transfers = append(c.run.Transfers, record.Transfer{Name: name})
	}
}
