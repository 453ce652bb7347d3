package echo

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
)

// sizesGap spaces the echoes of Sizes: a megabit or a few a second.
const sizesGap = 2 * time.Millisecond

// Sizes sends echoes of IP packets of these sizes in bytes that may not be cut
// into fragments, each size so many times, and says which came back within a
// time after the last. It takes sizes that hold an echo's headers, whatever the
// kernel believes of the path's MTU. ErrNotPermitted: this host may not ask.
func Sizes(ctx context.Context, addr netip.Addr, sizes []int, times int, patience time.Duration) ([]record.SizeSeen, error) {
	addr = addr.Unmap()
	seen := make([]record.SizeSeen, len(sizes))
	largest := 0
	for i, size := range sizes {
		seen[i].Size = size
		largest = max(largest, size)
	}
	s, err := openSizer(addr, largest)
	if err != nil {
		return nil, fmt.Errorf("try packet sizes to %s: %w", addr, err)
	}
	defer s.close()
	answered := make([]bool, len(sizes)*times)
	collect := func() {
		for _, seq := range s.answers() {
			if int(seq) < len(answered) && !answered[seq] {
				answered[seq] = true
				seen[int(seq)%len(sizes)].Answered++
			}
		}
	}
	for seq := range answered {
		at := &seen[seq%len(sizes)]
		at.Sent++
		if s.send(uint16(seq), at.Size-headers(addr)) {
			at.TooBig++
		}
		if err := wait.For(ctx, sizesGap); err != nil {
			return seen, err
		}
		collect()
	}
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if err := wait.For(ctx, 5*sizesGap); err != nil {
			return seen, err
		}
		if collect(); all(answered) {
			break
		}
	}
	// An error of the socket's says that something was too big, not what: the
	// sizes without an answer.
	if s.told() {
		for i := range seen {
			if seen[i].Answered == 0 && seen[i].TooBig == 0 {
				seen[i].TooBig = 1
			}
		}
	}
	return seen, nil
}

func all(answered []bool) bool {
	for _, a := range answered {
		if !a {
			return false
		}
	}
	return true
}

// headers of IP and ICMP echo, in bytes: without the payload.
func headers(addr netip.Addr) int {
	if addr.Is4() {
		return 20 + headerSize
	}
	return 40 + headerSize
}
