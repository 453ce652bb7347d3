// Package owner finds whose a connection is: the systemd unit or container by
// the socket's control group, and the process by the socket's inode. It works
// beside the sampler, which asks and never waits.
package owner

import (
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"unchoke/internal/linux/cgroup"
	"unchoke/internal/linux/proc"
	"unchoke/internal/ls"
)

// Process is the program that holds a socket. The zero value is one that was
// not found: it has let go of the socket, or it is another user's and this
// process may not look.
type Process struct {
	PID   int
	Name  string
	Group string // the path of its own control group
}

// Paths finds the path of a control group by its number; empty where there is none.
// ok is false where it has not looked for it yet.
type Paths interface {
	Path(number uint64) (group string, ok bool)
	Close() error
}

// Resolver answers from what it knows and looks up the rest meanwhile.
type Resolver struct {
	mu        sync.Mutex
	groups    map[uint64]Group
	unknown   map[uint64]bool    // groups that are asked for
	processes map[uint64]Process // by inode, until taken
	asked     map[uint64]uint64  // inode → group, not looked up yet

	wake    chan struct{}
	closing chan struct{}
	done    chan struct{}

	root  fs.FS // laid out as the root of a file system
	tree  fs.FS // as /proc
	paths Paths // nil where the host has no such groups
}

// New begins. Close ends it.
func New(root, tree fs.FS, paths Paths) *Resolver {
	r := &Resolver{
		groups: map[uint64]Group{}, unknown: map[uint64]bool{},
		processes: map[uint64]Process{}, asked: map[uint64]uint64{},
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
		root: root, tree: tree, paths: paths,
	}
	go r.run()
	return r
}

// Close ends what is being looked up.
func (r *Resolver) Close() error {
	close(r.closing)
	<-r.done
	if r.paths != nil {
		return r.paths.Close()
	}
	return nil
}

// searched is the PID of an answer that is still looked for.
const searched = -1

// mostAsked bounds how many sockets wait to be looked up. What comes beyond is
// asked for again later.
const mostAsked = 100_000

// Group is the control group with a number; ok is false as long as it is not
// known. What has gone, or cannot be seen, is the zero Group.
func (r *Resolver) Group(number uint64) (g Group, ok bool) {
	if number == 0 || r.paths == nil {
		return Group{}, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if g, ok = r.groups[number]; !ok && !r.unknown[number] {
		r.unknown[number] = true
		r.signal()
	}
	return g, ok
}

// Ask has a socket looked up; false where too many wait.
func (r *Resolver) Ask(inode, group uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asked) >= mostAsked {
		return false
	}
	r.asked[inode] = group
	r.signal()
	return true
}

// Take is the answer to Ask, once; ok is false as long as there is none.
func (r *Resolver) Take(inode uint64) (p Process, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok = r.processes[inode]; p.PID == searched {
		return Process{}, false
	}
	delete(r.processes, inode)
	return p, ok
}

// Forget drops the question for a socket, or its answer.
func (r *Resolver) Forget(inode uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.asked, inode)
	delete(r.processes, inode)
}

func (r *Resolver) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// A search pauses for so many times as long as it took, and collects questions
// meanwhile: it takes a twentieth of one core at most.
const pause = 19

const longestPause = 30 * time.Second

func (r *Resolver) run() {
	defer close(r.done)
	for {
		select {
		case <-r.closing:
			return
		case <-r.wake:
		}
		begun := time.Now()
		r.findGroups()
		r.findProcesses()
		select {
		case <-r.closing:
			return
		case <-time.After(min(pause*time.Since(begun), longestPause)):
		}
	}
}

// mostGroups are kept; a host that has made more starts anew.
const mostGroups = 50_000

func (r *Resolver) findGroups() {
	r.mu.Lock()
	wanted := r.unknown
	r.unknown = map[uint64]bool{}
	r.mu.Unlock()
	found := make(map[uint64]Group, len(wanted))
	for number := range wanted {
		if path, ok := r.paths.Path(number); ok { // else the next look asks again
			found[number] = GroupOf(path)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.groups) > mostGroups {
		clear(r.groups)
	}
	maps.Copy(r.groups, found)
}

// mostNear groups are looked at before all processes are: beyond it they hold
// most of the host's.
const mostNear = 100

// findProcesses looks up all that was asked for: first in the processes of the
// sockets' own groups, which are few, then in all.
func (r *Resolver) findProcesses() {
	r.mu.Lock()
	wanted := r.asked
	r.asked = map[uint64]uint64{}
	var near []string
	for inode, group := range wanted {
		r.processes[inode] = Process{PID: searched}
		if g := r.groups[group]; g.Path != "" && g.Path != "/" && !slices.Contains(near, g.Path) && len(near) < mostNear {
			near = append(near, g.Path)
		}
	}
	r.mu.Unlock()
	if len(wanted) == 0 {
		return
	}
	s := search{tree: r.tree, root: r.root, wanted: wanted, found: make(map[uint64]Process, len(wanted)), seen: map[int]bool{}, stop: r.closing}
	s.near(near)
	s.all()
	r.mu.Lock()
	defer r.mu.Unlock()
	for inode := range wanted {
		if _, ok := r.processes[inode]; ok { // else it was forgotten meanwhile
			r.processes[inode] = s.found[inode]
		}
	}
}

// search looks for the holders of sockets.
type search struct {
	root, tree fs.FS
	wanted     map[uint64]uint64
	found      map[uint64]Process
	seen       map[int]bool
	stop       <-chan struct{}
}

// ended says that there is nothing more to look for.
func (s *search) ended() bool {
	select {
	case <-s.stop:
		return true
	default:
		return len(s.found) == len(s.wanted)
	}
}

// near looks at the processes of some groups.
func (s *search) near(groups []string) {
	for _, group := range groups {
		for _, pid := range cgroup.Members(s.root, group) {
			s.process(pid)
		}
	}
}

// all looks at every process, the youngest first: new sockets are theirs more
// often.
func (s *search) all() {
	entries, err := ls.Dir(s.tree, ".")
	if err != nil {
		return
	}
	for k := len(entries) - 1; k >= 0; k-- {
		if pid, err := strconv.Atoi(entries[k].Name()); err == nil {
			s.process(pid)
		}
	}
}

func (s *search) process(pid int) {
	if s.seen[pid] || s.ended() {
		return
	}
	s.seen[pid] = true
	var p Process
	// What cannot be read has ended, or is another user's.
	_ = proc.SocketsOf(s.tree, pid, func(inode uint64) bool {
		if _, ok := s.wanted[inode]; !ok {
			return true
		}
		if p.PID == 0 {
			name, err := proc.Name(s.tree, pid)
			if err != nil {
				return false
			}
			p = Process{PID: pid, Name: strings.ToValidUTF8(name, "�"), Group: cgroup.Of(s.root, pid)}
		}
		if _, twice := s.found[inode]; !twice {
			s.found[inode] = p
		}
		return !s.ended()
	})
}
