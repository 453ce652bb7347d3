package echo

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

func forbidFragments(fd int, addr netip.Addr) error {
	if addr.Is4() {
		return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_DONTFRAG, 1)
	}
	return unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_DONTFRAG, 1)
}
