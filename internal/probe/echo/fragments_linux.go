package echo

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

// forbidFragments also lets through what the kernel takes to be larger than the
// path's MTU, up to the device's: that is what is being asked.
func forbidFragments(fd int, addr netip.Addr) error {
	if addr.Is4() {
		return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE)
	}
	return unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_PROBE)
}

// MTU is that of the route to an address, in bytes, as the kernel has it now; 0
// where there is no route.
func MTU(addr netip.Addr) int {
	addr = addr.Unmap()
	family, level, option := unix.AF_INET, unix.IPPROTO_IP, unix.IP_MTU
	if addr.Is6() {
		family, level, option = unix.AF_INET6, unix.IPPROTO_IPV6, unix.IPV6_MTU
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	to := sockaddr(addr)
	switch to := to.(type) { // a port: connecting sends nothing
	case *unix.SockaddrInet4:
		to.Port = DiscardPort
	case *unix.SockaddrInet6:
		to.Port = DiscardPort
	}
	if err := unix.Connect(fd, to); err != nil {
		return 0
	}
	mtu, err := unix.GetsockoptInt(fd, level, option)
	if err != nil {
		return 0
	}
	return mtu
}
