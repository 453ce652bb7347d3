package watch

import (
	"time"

	"unchoke/internal/linux/sockdiag"
)

// listeners knows the ports on which programs listen, or did a while ago.
type listeners map[uint16]listener

type listener struct {
	last  time.Duration // when a socket listened there
	group uint64        // in which it was made; 0 where that is not known, or sockets of several do
}

// keepPort is how long a port counts after its last listener has gone: its
// connections go on.
const keepPort = time.Minute

// listAgain is how often the listeners are listed without a new connection, so
// that their control groups are known before the first one.
const listAgain = 2 * time.Second

// update lists the listeners.
func (l listeners) update(d dumper, now time.Duration) error {
	for port, x := range l {
		if now-x.last > keepPort {
			delete(l, port)
		}
	}
	return d.Listeners(func(s *sockdiag.Socket) {
		port := s.Local().Port()
		x, ok := l[port]
		if group := s.Cgroup(); !ok || x.last != now {
			x.group = group
		} else if x.group != group {
			x.group = 0
		}
		x.last = now
		l[port] = x
	})
}

// accepted says of the new connections which were opened by the peer. It looks
// after they were found: what accepted them listened before. A connection is of
// its listener's control group, which the kernel does not tell of one that has
// ended.
func (s *Sampler) accepted() {
	if len(s.fresh) == 0 && s.looks > 1 && s.last-s.listed < listAgain {
		return
	}
	s.listed = s.last
	if s.noPorts = s.ports.update(s.dump, s.last); s.noPorts != nil {
		return
	}
	for _, x := range s.ports {
		s.owners.Group(x.group) // so that it is known when it is needed
	}
	for _, e := range s.fresh {
		x, ok := s.ports[e.flow.Local.Port()]
		e.flow.Accepted = ok
		if ok && e.group == 0 && x.group != 0 {
			e.group = x.group
			e.owner |= groupPending
		}
	}
	clear(s.fresh)
}
