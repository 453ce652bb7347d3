package watch

import (
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/sockdiag"
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

// listeners knows the ports on which programs listen, or did a while ago.
type listeners struct {
	dump *sockdiag.Dumper
	last map[uint16]time.Duration // when they did
}

// keepPort is how long a port counts after the last listener has gone: its
// connections go on.
const keepPort = time.Minute

// update lists the listeners.
func (l *listeners) update(now time.Duration) error {
	if l.last == nil {
		l.last = map[uint16]time.Duration{}
	}
	for port, at := range l.last {
		if now-at > keepPort {
			delete(l.last, port)
		}
	}
	return l.dump.Listeners(func(s *sockdiag.Socket) { l.last[s.Local().Port()] = now })
}

// accepted says of the new connections which were opened by the peer. It looks
// after they were found: what accepted them listened before.
func (s *Sampler) accepted() {
	if len(s.fresh) == 0 {
		return
	}
	if err := s.ports.update(s.last); err != nil {
		s.noPorts = err
		return
	}
	s.noPorts = nil
	for _, e := range s.fresh {
		_, e.flow.Accepted = s.ports.last[e.flow.Local.Port()]
	}
	clear(s.fresh)
}
