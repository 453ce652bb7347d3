package load

import (
	"time"

	"unchoke/internal/linux/cgroup"
	"unchoke/internal/linux/proc"
	"unchoke/internal/record"
)

// look is one reading of what changes quickly.
type look struct {
	at      time.Time
	cores   map[int]proc.Core
	threads []thread
	groups  []group
	unknown []string
}

type thread struct {
	watched
	proc.Task
}

type group struct {
	role record.Role
	cgroup.Limit
}

func (h *Host) look() look {
	l := look{at: h.now(), cores: map[int]proc.Core{}}
	cores, err := proc.Cores(h.proc)
	if err != nil {
		l.unknown = append(l.unknown, err.Error())
	}
	for _, c := range cores {
		l.cores[c.Number] = c
	}
	for _, w := range h.watched() {
		threads, err := proc.Threads(h.proc, w.pid)
		if err != nil {
			l.unknown = append(l.unknown, err.Error())
		}
		for _, t := range threads {
			l.threads = append(l.threads, thread{w, t})
		}
		limits, err := cgroup.Limits(h.root, w.pid)
		if err != nil {
			l.unknown = append(l.unknown, err.Error())
		}
		for _, limit := range limits {
			l.groups = append(l.groups, group{w.role, limit})
		}
	}
	return l
}

// processes are all that can be seen, by their number.
type processes map[int]proc.Task

func (h *Host) processes() processes {
	all, err := proc.Processes(h.proc)
	if err != nil {
		return nil // said by the looks
	}
	out := processes{}
	for _, p := range all {
		out[p.ID] = p
	}
	return out
}
