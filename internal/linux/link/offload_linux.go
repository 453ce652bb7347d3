package link

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// WithoutOffloads makes the kernel cut what devices send into frames before
// they get it, as ethtool -K DEVICE tso off gso off does: a packet is a packet.
// TCP still hands packets of several segments down, and paces by those.
func WithoutOffloads(devices ...string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a socket for ethtool: %w", err)
	}
	defer unix.Close(fd)
	for _, d := range devices {
		for _, feature := range []uint32{unix.ETHTOOL_STSO, unix.ETHTOOL_SGSO} {
			if err := setFeature(fd, d, feature, 0); err != nil {
				return fmt.Errorf("turn segmentation offload off on %s: %w", d, err)
			}
		}
	}
	return nil
}

// setFeature makes one of ethtool's older requests: a struct ethtool_value
// (linux/ethtool.h) in a struct ifreq.
func setFeature(fd int, device string, feature, on uint32) error {
	value := struct{ cmd, data uint32 }{feature, on}
	request := struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte
	}{data: unsafe.Pointer(&value)}
	copy(request.name[:unix.IFNAMSIZ-1], device)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return errno
	}
	return nil
}
