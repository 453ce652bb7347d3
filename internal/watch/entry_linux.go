package watch

import (
	"strconv"
	"time"

	"unchoke/internal/flow/closely"
	"unchoke/internal/flow/lately"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/live"
	"unchoke/internal/watch/owner"
	"unchoke/tcpinfo"
)

// entry is a connection that is watched.
type entry struct {
	account lately.Account
	flow    live.Flow // as it was shown last
	cookie  uint64
	look    uint64 // the number of the last look that found it

	device       uint32           // that the socket is bound to
	close        *closely.Account // nil where nobody looks closely
	inode, group uint64
	owner        owning
}

// owning says what is still to be found of a connection's owner.
type owning uint8

const (
	groupPending owning = 1 << iota
	processAsked
	processUnknown // looked up, and not found
)

// newEntry begins with a connection that is seen for the first time. One that
// was not there at the look before began since then.
func newEntry(s *sockdiag.Socket, l lately.Look, whole bool, before time.Duration) *entry {
	e := &entry{cookie: s.Cookie()}
	e.flow.ID = strconv.FormatUint(e.cookie, 16)
	e.flow.Local, e.flow.Remote = s.Local(), s.Remote()
	e.device = s.Device()
	e.flow.UID = s.UID()
	e.flow.Whole = whole
	e.flow.Verdict = live.Watching
	if whole {
		e.account = lately.BeginWhole(l, before)
	} else {
		e.account = lately.Begin(l)
	}
	e.account.Figures(&e.flow, l.Info)
	e.flow.State = l.Info.State.String()
	return e
}

// add takes one more look.
func (e *entry) add(l lately.Look) {
	if e.account.Add(l) {
		e.account.Figures(&e.flow, l.Info)
	} else {
		e.account.Rates(&e.flow, l.Info)
	}
	e.flow.State = l.Info.State.String() // of an idle one too: a FIN is no data
}

// dress fills in what a dump tells beside the TCP_INFO.
func (e *entry) dress(s *sockdiag.Socket) {
	if cc := s.CC(); string(cc) != e.flow.CC {
		e.flow.CC = string(cc)
	}
	e.flow.SendBuffer, e.flow.RecvBuffer = s.Memory(sockdiag.SendBuffer), s.Memory(sockdiag.ReceiveBuffer)
	e.flow.RecvQueue, e.flow.RecvMemory = s.Waiting(), s.Memory(sockdiag.MemoryReceived)
	e.flow.Age = e.account.Age().Seconds()
}

// settle fills in the owner as far as it is known by now.
func (e *entry) settle(r *owner.Resolver) {
	if e.owner&groupPending != 0 {
		if g, ok := r.Group(e.group); ok {
			e.owner &^= groupPending
			e.flow.Cgroup, e.flow.Unit, e.flow.Container = g.Path, g.Unit, g.Container
		}
	}
	if e.owner&processAsked != 0 {
		if p, ok := r.Take(e.inode); ok {
			e.owner &^= processAsked
			if p.PID == 0 {
				e.owner |= processUnknown
				return
			}
			e.flow.Process, e.flow.PID = p.Name, p.PID
			// A host with control groups of version 1 has all sockets in the root group
			// of version 2.
			if g := owner.GroupOf(p.Group); e.owner&groupPending == 0 && e.flow.Unit == "" && e.flow.Container == "" && len(g.Path) > len(e.flow.Cgroup) {
				e.flow.Cgroup, e.flow.Unit, e.flow.Container = g.Path, g.Unit, g.Container
			}
		}
	}
}

// ask begins to look for the owner of a socket that is new, or that a program
// has only now accepted.
func (e *entry) ask(s *sockdiag.Socket, r *owner.Resolver) {
	if group := s.Cgroup(); group != e.group {
		e.group = group
		e.owner |= groupPending
	}
	inode := s.Inode()
	if inode == 0 || inode == e.inode {
		return // of an orphan the owner that it had stays
	}
	if e.owner&processAsked != 0 {
		r.Forget(e.inode)
	}
	if r.Ask(inode, e.group) {
		e.inode = inode
		e.flow.UID = s.UID()
		e.owner = e.owner&^processUnknown | processAsked
	}
}

// established says that a socket that has ended was a connection: it measured a
// round trip, or data came.
func established(s *sockdiag.Socket, i *tcpinfo.Info) bool {
	return s.Remote().Port() != 0 && (i.RTT > 0 || i.BytesAcked > 0 || i.BytesReceived > 0)
}
