package tcpinfo

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// sioTCPInfo is SIO_TCP_INFO of mstcpip.h: _WSAIORW(IOC_VENDOR, 39).
const sioTCPInfo = windows.IOC_INOUT | windows.IOC_VENDOR | 39

// GetFD is Get for a socket's handle. Windows has version 0 of the structure
// since 10 1703, version 1 since 10 1809.
func GetFD(fd int) (Info, error) {
	var b [windowsV1]byte
	if ioctl(fd, 1, b[:]) == nil {
		return ParseSIOTCPInfo(b[:])
	}
	if err := ioctl(fd, 0, b[:windowsV0]); err != nil {
		return Info{}, fmt.Errorf("get TCP_INFO_v0: %w", err)
	}
	return ParseSIOTCPInfo(b[:windowsV0])
}

// ioctl asks for a version of the structure.
func ioctl(fd int, version uint32, into []byte) error {
	var n uint32
	err := windows.WSAIoctl(windows.Handle(fd), sioTCPInfo, (*byte)(unsafe.Pointer(&version)), uint32(unsafe.Sizeof(version)), &into[0], uint32(len(into)), &n, nil, 0)
	if err == nil && int(n) < len(into) {
		return fmt.Errorf("%d bytes of %d", n, len(into))
	}
	return err
}
