package draw

import (
	"fmt"
	"math/rand/v2"
)

// shut is a send buffer that holds such a share of the path, on either host.
func shut(least, most float64) maker {
	return narrow("send-buffer", sendBuffers, 16384, Up, least, most)
}

// halfOpen is such a receive buffer.
func halfOpen(least, most float64) maker {
	return narrow("receive-buffer", receiveBuffers, 131072, Down, least, most)
}

// narrow limits the buffers of a host. A buffer holds about half its size as
// payload, the rest is the kernel's overhead.
func narrow(name, sysctl string, initial int, nearSlows Direction, least, most float64) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		slows, near := eitherHost(r, nearSlows)
		size := int(2 * l.bdp(slows) * between(r, least, most))
		if size < 16<<10 {
			return nil, false // no kernel goes below, and no path of these needs it
		}
		value := fmt.Sprintf("4096 %d %d", min(initial, size), size)
		return one(impairment{name: name, slows: []Direction{slows}, apply: sysctls(near, sysctl, value)})
	}
}

// eitherHost draws a host, and says which direction a setting of it slows down
// that slows nearSlows down on near.
func eitherHost(r *rand.Rand, nearSlows Direction) (slows Direction, near bool) {
	if chance(r, 0.5) {
		return nearSlows, true
	}
	return nearSlows.Other(), false
}

func sysctls(near bool, key, value string) func(*builder) {
	return func(b *builder) {
		if near {
			b.near[key] = value
		} else {
			b.far[key] = value
		}
	}
}

// unscaledWindow is the most that the header's 16 bits say.
const unscaledWindow = 65535 // bytes

// unscaled: one host has window scaling switched off, or a firewall takes the
// option away; then neither host has it (RFC 7323 §2.2).
func unscaled(r *rand.Rand, l *link) ([]impairment, bool) {
	if max(l.bdp(Up), l.bdp(Down)) < 1.2*unscaledWindow {
		return nil, false
	}
	return one(impairment{name: "no-window-scaling", slows: Both, apply: sysctls(chance(r, 0.5), "net.ipv4.tcp_window_scaling", "0")})
}

// untuned: a host whose receive buffers stay as large as they begin.
func untuned(r *rand.Rand, l *link) ([]impairment, bool) {
	slows, near := eitherHost(r, Down)
	if l.bdp(slows) < 1.2*unscaledWindow {
		return nil, false // half of the initial 128 KiB are enough
	}
	return one(impairment{name: "fixed-window", slows: []Direction{slows}, apply: sysctls(near, "net.ipv4.tcp_moderate_rcvbuf", "0")})
}
