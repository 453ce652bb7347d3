package watch

import (
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// devices names network devices by their index, in the namespace in which it was
// opened.
type devices struct {
	fd    int
	known map[uint32]string
}

func openDevices() (*devices, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open a socket: %w", err)
	}
	return &devices{fd: fd, known: map[uint32]string{0: ""}}, nil
}

// name is the device's, or its index where it has gone.
func (d *devices) name(index uint32) string {
	name, ok := d.known[index]
	if ok {
		return name
	}
	name = strconv.FormatUint(uint64(index), 10)
	if r, err := unix.NewIfreq(""); err == nil {
		r.SetUint32(index)
		if unix.IoctlIfreq(d.fd, unix.SIOCGIFNAME, r) == nil {
			name = r.Name()
		}
	}
	d.known[index] = name
	return name
}

func (d *devices) Close() error { return unix.Close(d.fd) }
