package draw

import (
	"fmt"
	"math/rand/v2"
)

// Buffers' largest sizes in KiB that old guides, containers and appliances set.
var guidesSizes = []int{64, 128, 128, 208, 256, 256, 416, 512, 1024}

// oldBuffer is a receiver's or a sender's largest buffer as some guide, image
// or appliance has it.
func oldBuffer(r *rand.Rand, _ *link) (impairment, bool) {
	name, sysctl, initial, way := "receive-buffer", receiveBuffers, 131072, Down
	if chance(r, 0.4) {
		name, sysctl, initial, way = "send-buffer", sendBuffers, 16384, Up
	}
	near, most := chance(r, 0.5), pick(r, guidesSizes...)*1024
	if !near {
		way = way.Other()
	}
	apply := sysctls(near, sysctl, fmt.Sprintf("4096 %d %d", min(initial, most), most))
	return impairment{name: name, slows: []Direction{way}, apply: apply}, true
}

// frozenWindow is a receiver whose kernel or application fixed its buffer,
// which stops the kernel from adapting it to the path.
func frozenWindow(r *rand.Rand, _ *link) (impairment, bool) {
	near, size, way := chance(r, 0.5), pick(r, 64, 128, 256, 256, 512)*1024, Down
	if !near {
		way = Up
	}
	return impairment{name: "fixed-window", slows: []Direction{way}, apply: func(b *builder) {
		sysctls(near, "net.ipv4.tcp_moderate_rcvbuf", "0")(b)
		sysctls(near, receiveBuffers, fmt.Sprintf("4096 %d 6291456", size))(b)
	}}, true
}

// withoutScaling is a host without window scaling, as old devices are and
// firewalls make them.
func withoutScaling(r *rand.Rand, _ *link) (impairment, bool) {
	apply := sysctls(chance(r, 0.5), "net.ipv4.tcp_window_scaling", "0")
	return impairment{name: "no-window-scaling", slows: Both, apply: apply}, true
}
