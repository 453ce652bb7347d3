package probe

import (
	"context"
	"net/netip"
	"slices"
	"sort"
	"time"

	"unchoke/internal/probe/echo"
	"unchoke/internal/record"
)

// packetSizes asks whether packets as large as this host's route allows come to
// the far host and back. Where none of them does, it looks for the size that
// still passes, here and outside a tunnel. A network may also drop echoes of
// that size alone, so that what it finds is a hint: TCP decides.
func (c *checker) packetSizes(ctx context.Context) error {
	mtu := min(c.run.Route.MTU, largestPacket)
	if mtu < leastPacket || c.plan.rtt == 0 {
		return nil // nobody answers small ones either
	}
	full, err := c.trySizes(ctx, c.Address, []int{mtu})
	if err != nil || len(full) == 0 {
		return err
	}
	seen := record.PacketSizes{Address: c.Address.String(), Sizes: full}
	if full[0].Answered == 0 {
		if seen.Sizes, err = c.searchSizes(ctx, c.Address, full); err != nil {
			return err
		}
		if err := c.outsideSizes(ctx); err != nil {
			return err
		}
	}
	c.run.PacketSizes = append(c.run.PacketSizes, seen)
	return nil
}

// outsideSizes asks the same of the address to which a tunnel's outer packets go.
func (c *checker) outsideSizes(ctx context.Context) error {
	if c.Tunnel == nil {
		return nil
	}
	u := c.Tunnel.Tunnel().Underlay
	if u == nil {
		return nil
	}
	address := netip.MustParseAddr(u.Address)
	mtu := min(echo.MTU(address), largestPacket)
	if mtu < leastPacket {
		return nil
	}
	full, err := c.trySizes(ctx, address, []int{mtu, leastPacket})
	if err != nil || !slices.ContainsFunc(full, func(s record.SizeSeen) bool { return s.Answered > 0 }) {
		return err
	}
	seen := record.PacketSizes{Address: address.String(), Outside: true, Sizes: full}
	if full[0].Answered == 0 {
		if seen.Sizes, err = c.searchSizes(ctx, address, full); err != nil {
			return err
		}
	}
	c.run.PacketSizes = append(c.run.PacketSizes, seen)
	return nil
}

const (
	largestPacket = 9000 // of jumbo frames that common hardware carries
	// leastPacket is what every IPv4 host takes whole (RFC 1122 §3.3.2).
	leastPacket = 576
	// sizeTimes: at 10 % of loss one size in a thousand is taken to vanish.
	sizeTimes = 3
	// sizesAtOnce are tried in one round trip.
	sizesAtOnce = 16
)

// commonSizes are MTUs that links and tunnels have: IPv6's least, Tailscale's
// among them, WireGuard's, GRE's, PPPoE's.
var commonSizes = []int{leastPacket, 1064, 1280, 1340, 1380, 1400, 1420, 1440, 1460, 1472, 1480, 1492, 1500}

// searchSizes narrows down where packets begin to vanish, round by round.
func (c *checker) searchSizes(ctx context.Context, address netip.Addr, seen []record.SizeSeen) ([]record.SizeSeen, error) {
	for {
		sizes := nextSizes(seen)
		if len(sizes) == 0 {
			return seen, nil
		}
		more, err := c.trySizes(ctx, address, sizes)
		if err != nil || len(more) == 0 {
			return seen, err
		}
		seen = append(seen, more...)
		sort.SliceStable(seen, func(i, j int) bool { return seen[i].Size < seen[j].Size })
	}
}

// nextSizes are worth trying after what was seen: first those that networks
// have, then evenly between the largest that passed and the smallest that did
// not. None: the two are neighbors, or nothing passes.
func nextSizes(seen []record.SizeSeen) []int {
	largest, passed, failed := 0, 0, 0
	for _, s := range seen {
		largest = max(largest, s.Size)
		if s.Answered > 0 {
			passed = max(passed, s.Size)
		}
	}
	for _, s := range seen {
		if s.Answered == 0 && s.Size > passed && (failed == 0 || s.Size < failed) {
			failed = s.Size
		}
	}
	tried := func(size int) bool {
		return slices.ContainsFunc(seen, func(s record.SizeSeen) bool { return s.Size == size })
	}
	var out []int
	if len(seen) <= 2 {
		for _, size := range commonSizes {
			if size < largest && !tried(size) {
				out = append(out, size)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	if passed == 0 || failed <= passed+1 {
		return nil
	}
	step := max((failed-passed)/(sizesAtOnce+1), 1)
	for size := passed + step; size < failed && len(out) < sizesAtOnce; size += step {
		out = append(out, size)
	}
	return out
}

// trySizes sends each size several times. It is empty where this host may not
// ask.
func (c *checker) trySizes(ctx context.Context, address netip.Addr, sizes []int) ([]record.SizeSeen, error) {
	seen, err := echo.Sizes(ctx, address, sizes, sizeTimes, c.plan.rtt*3/2+50*time.Millisecond)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, nil // TCP tells as well
	}
	return seen, nil
}
