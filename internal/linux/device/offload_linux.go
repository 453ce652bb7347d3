package device

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Of linux/ethtool.h.
const (
	featureStrings = 4  // ETH_SS_FEATURES
	stringLength   = 32 // ETH_GSTRING_LEN
	blockSize      = 16 // struct ethtool_get_features_block: available, requested, active, never changed
	blockActive    = 8
	maxFeatures    = 1024 // more than any kernel has
)

// OffloadsOf reads a device's driver and features, in the calling thread's
// network namespace.
func OffloadsOf(name string) (Offloads, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return Offloads{}, fmt.Errorf("read the features of %s: %w", name, err)
	}
	defer unix.Close(fd)
	var out Offloads
	if info, err := unix.IoctlGetEthtoolDrvinfo(fd, name); err == nil { // else a device without a driver of its own
		out.Driver = unix.ByteSliceToString(info.Driver[:])
	}
	out.Features, err = features(func(request []byte) error { return ethtool(fd, name, request) })
	if err != nil {
		return Offloads{}, fmt.Errorf("read the features of %s: %w", name, err)
	}
	return out, nil
}

// features asks how many there are, for their names, and which are on. do
// fills in a request's answer.
func features(do func([]byte) error) (map[string]bool, error) {
	word := binary.NativeEndian
	count := make([]byte, 20) // struct ethtool_sset_info with room for one number
	word.PutUint32(count, unix.ETHTOOL_GSSET_INFO)
	word.PutUint64(count[8:], 1<<featureStrings)
	if err := do(count); err != nil {
		return nil, err
	}
	n := int(word.Uint32(count[16:]))
	if n > maxFeatures {
		return nil, fmt.Errorf("%d features: %w", n, errShort)
	}
	names := make([]byte, 12+n*stringLength) // struct ethtool_gstrings
	word.PutUint32(names, unix.ETHTOOL_GSTRINGS)
	word.PutUint32(names[4:], featureStrings)
	word.PutUint32(names[8:], uint32(n))
	if err := do(names); err != nil {
		return nil, err
	}
	blocks := (n + 31) / 32
	states := make([]byte, 8+blocks*blockSize) // struct ethtool_gfeatures
	word.PutUint32(states, unix.ETHTOOL_GFEATURES)
	word.PutUint32(states[4:], uint32(blocks))
	if err := do(states); err != nil {
		return nil, err
	}
	out := make(map[string]bool, n)
	for i := range n {
		name, _, _ := bytes.Cut(names[12+i*stringLength:][:stringLength], []byte{0})
		if len(name) > 0 {
			active := word.Uint32(states[8+i/32*blockSize+blockActive:])
			out[string(name)] = active&(1<<(i%32)) != 0
		}
	}
	return out, nil
}

// ethtool makes one request of SIOCETHTOOL. A struct ifreq holds the device's
// name and a pointer to the request.
func ethtool(fd int, name string, request []byte) error {
	if len(name) >= unix.IFNAMSIZ {
		return unix.ENODEV
	}
	var ifreq struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte // the rest of the union
	}
	copy(ifreq.name[:], name)
	ifreq.data = unsafe.Pointer(&request[0])
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&ifreq)))
	runtime.KeepAlive(request)
	if errno != 0 {
		return errno
	}
	return nil
}
