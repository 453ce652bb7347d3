package draw

import (
	"fmt"
	"math/rand/v2"
)

// Sysctls of TCP's buffers, and the kernel's own initial sizes.
const (
	sendBuffers    = "net.ipv4.tcp_wmem"
	receiveBuffers = "net.ipv4.tcp_rmem"
)

// Large is each of the two with a maximum that limits nothing here.
var (
	LargeSendBuffer    = sendBuffers + "=4096 16384 67108864"
	LargeReceiveBuffer = receiveBuffers + "=4096 131072 67108864"
)

func smallSendBuffer(r *rand.Rand, l *link) ([]impairment, bool) {
	return smallBuffer(r, l, "send-buffer", sendBuffers, 16384, Up)
}

func smallReceiveBuffer(r *rand.Rand, l *link) ([]impairment, bool) {
	return smallBuffer(r, l, "receive-buffer", receiveBuffers, 131072, Down)
}

// smallBuffer limits one host's buffers: sizes that old guides and small
// devices have, and what holds 5 to 130 per cent of the path. On near it slows
// the direction nearSlows down, on far the other.
func smallBuffer(r *rand.Rand, l *link, name, sysctl string, initial int, nearSlows Direction) ([]impairment, bool) {
	onNear := chance(r, 0.5)
	slows := nearSlows
	if !onNear {
		slows = nearSlows.Other()
	}
	size := int(pick(r, 65536, 131072, 212992, 262144, 524288, 1048576, 2097152))
	if chance(r, 0.5) {
		size = int(between(r, 0.05, 1.3) * 2 * l.bdp(slows))
	}
	// A path that needs less than the buffer holds says nothing about it.
	if size < 24<<10 || float64(size) > 3*l.bdp(slows) {
		return nil, false
	}
	value := fmt.Sprintf("4096 %d %d", min(initial, size), size)
	return []impairment{{name: name, slows: []Direction{slows}, apply: func(b *builder) {
		if onNear {
			b.near[sysctl] = value
		} else {
			b.far[sysctl] = value
		}
	}}}, true
}
