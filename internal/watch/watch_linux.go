package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"unchoke/internal/flow/lately"
	"unchoke/internal/linux/cgroup"
	"unchoke/internal/linux/netns"
	"unchoke/internal/linux/proc"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/live"
	"unchoke/internal/watch/owner"
	"unchoke/tcpinfo"
)

// Sampler is a live.Source of what this host's connections do.
type Sampler struct {
	match   sockdiag.Match
	begun   time.Time
	dump    dumper
	ends    *inbox // nil where the kernel does not tell
	noEnds  error  // why
	owners  *owner.Resolver
	devices *devices
	ports   listeners
	listed  time.Duration // when the listeners were
	noPorts error         // why it is not known who opened the newest connections

	mu      sync.Mutex // held by a look, and by Close
	closed  bool
	closing chan struct{}

	pace   pace
	looks  uint64
	last   time.Duration // when the last look was
	before time.Duration // and the one before it
	flows  map[uint64]*entry
	order  []*entry          // those that the last dump found, in its order
	spare  []*entry          // the memory of the list before
	fresh  []*entry          // of them, the new ones
	stale  int               // connections that the last dump passed over
	ended  []*entry          // since the look before
	short  int64             // of them, those that no dump had
	gone   map[uint64]uint64 // cookies of those that ended lately, and the look that showed it
	closer closer
	batch  batch
	info   tcpinfo.Info    // of the socket at hand
	socket sockdiag.Socket // of the message at hand
	visit  func(*sockdiag.Socket)
}

// dumper is a sockdiag.Dumper, or a test's.
type dumper interface {
	TCP(sockdiag.Match, func(*sockdiag.Socket)) error
	One(sockdiag.Key) (*sockdiag.Socket, error)
	Listeners(func(*sockdiag.Socket)) error
	Close() error
}

// Open begins to watch, with a first look at what is there: figures count from
// then on. The first Next comes an interval later.
func Open(o Options) (*Sampler, error) {
	interval, err := o.interval()
	if err != nil {
		return nil, err
	}
	s := &Sampler{
		match: o.Match, begun: time.Now(), closing: make(chan struct{}), pace: pace{asked: interval, now: interval},
		flows: map[uint64]*entry{}, gone: map[uint64]uint64{},
	}
	s.visit = s.see
	if err := inNamespace(o.Netns, s.open); err != nil {
		s.Close()
		return nil, fmt.Errorf("watch the connections: %w", err)
	}
	s.owners = owner.New(cgroup.System(), proc.System(), groupPaths())
	if _, err := s.look(); err != nil {
		s.Close()
		return nil, fmt.Errorf("watch the connections: %w", err)
	}
	return s, nil
}

// inNamespace runs f in the network namespace, or where it is.
func inNamespace(name string, f func() error) error {
	if name == "" {
		return f()
	}
	n, err := netns.Open(name)
	if err != nil {
		return err
	}
	defer n.Close()
	return n.Do(f)
}

// open opens the sockets, in the namespace that is watched.
func (s *Sampler) open() (err error) {
	d, err := sockdiag.Open()
	if err != nil {
		return err
	}
	s.dump = d
	if s.devices, err = openDevices(); err != nil {
		return err
	}
	s.ports = listeners{}
	s.ends, s.noEnds = openInbox()
	return nil
}

func groupPaths() owner.Paths {
	n, err := cgroup.OpenNumbers()
	if err != nil {
		return nil // none on this host
	}
	return n
}

// Next waits for the interval's end and takes a look; meanwhile it looks closely
// at the busiest. After Close it fails with os.ErrClosed.
func (s *Sampler) Next(ctx context.Context) (*live.Snapshot, error) {
	for {
		due := s.last + s.pace.now
		whole := s.closer.idle() || s.closer.due >= due
		if !whole {
			due = s.closer.due
		}
		timer := time.NewTimer(due - time.Since(s.begun))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-s.closing:
			whole = true
		case <-timer.C:
		}
		timer.Stop()
		if !whole {
			s.lookClosely()
			continue
		}
		snapshot, err := s.look()
		if err != nil {
			return nil, fmt.Errorf("watch the connections: %w", err)
		}
		return snapshot, nil
	}
}

// Close ends it, also under a Next that waits.
func (s *Sampler) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	close(s.closing)
	var all []error
	if s.dump != nil {
		all = append(all, s.dump.Close())
	}
	if s.ends != nil {
		all = append(all, s.ends.close())
	}
	if s.devices != nil {
		all = append(all, s.devices.Close())
	}
	if s.owners != nil {
		all = append(all, s.owners.Close())
	}
	return errors.Join(all...)
}

// look takes one look.
func (s *Sampler) look() (*live.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, os.ErrClosed
	}
	begun := time.Now()
	s.before, s.last = s.last, begun.Sub(s.begun)
	s.looks++
	missing, whole, err := s.list()
	if err != nil {
		return nil, err
	}
	s.hear()
	if whole {
		s.await(missing)
	}
	s.accepted()
	for _, e := range s.order {
		e.settle(s.owners)
	}
	for _, e := range s.ended {
		e.settle(s.owners)
	}
	s.closer.tell()
	snapshot := s.snapshot(begun)
	s.closer.choose(s.order)
	s.pace.took(time.Since(begun))
	return snapshot, nil
}

// mostDumps are made where each is interrupted.
const mostDumps = 3

// list dumps the connections. missing are those that were there at the look
// before; whole is false where some of them may have been passed over.
func (s *Sampler) list() (missing []*entry, whole bool, err error) {
	previous := s.order
	s.order, s.spare, s.fresh = s.spare[:0], previous, s.fresh[:0]
	for range mostDumps {
		err = s.dump.TCP(s.match, s.visit)
		if !errors.Is(err, sockdiag.ErrInterrupted) {
			break
		}
	}
	if err != nil && !errors.Is(err, sockdiag.ErrInterrupted) {
		return nil, false, err
	}
	for _, e := range previous {
		if e.look != s.looks && !e.flow.Closed {
			missing = append(missing, e)
		}
	}
	s.stale = 0
	if err != nil { // what the dump passed over is there as it was
		s.order = append(s.order, missing...)
		s.stale = len(missing)
	}
	return missing, err == nil, nil
}

// see takes in one socket of a dump.
func (s *Sampler) see(socket *sockdiag.Socket) {
	if !socket.Info(&s.info) {
		return // it waits for its end (TIME_WAIT)
	}
	l := lately.Look{
		At: s.last, Info: &s.info,
		Queued: socket.Memory(sockdiag.MemoryToSend), SendBuffer: socket.Memory(sockdiag.SendBuffer),
	}
	cookie := socket.Cookie()
	e, ok := s.flows[cookie]
	switch {
	case ok && e.look == s.looks:
		return // of a dump that is repeated
	case ok:
		e.add(l)
	default:
		e = newEntry(socket, l, s.looks > 1, s.before)
		e.flow.Device = s.devices.name(socket.Device())
		s.flows[cookie] = e
		s.fresh = append(s.fresh, e)
	}
	e.look = s.looks
	e.dress(socket)
	e.ask(socket, s.owners)
	s.order = append(s.order, e)
}
