package watching

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"unchoke/internal/app/request"
	"unchoke/internal/hint"
	"unchoke/internal/linux/proc"
	"unchoke/internal/linux/sockdiag"
)

// socketsOf are the TCP connections of a process and of its children, by their
// cookies as a live.Flow has them: what rsync sends, its child ssh sends.
func socketsOf(pid int) (map[string]bool, error) {
	tree := proc.System()
	all, err := proc.Processes(tree)
	if err != nil {
		return nil, err
	}
	family := familyOf(all, pid)
	if len(family) == 0 {
		return nil, request.Refuse("ps lists them", "there is no process %d", pid)
	}
	inodes := map[uint64]bool{}
	var hidden error
	for id := range family {
		err := proc.SocketsOf(tree, id, func(inode uint64) bool { inodes[inode] = true; return true })
		if errors.Is(err, fs.ErrPermission) {
			hidden = err
		}
	}
	d, err := sockdiag.Open()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	cookies := map[string]bool{}
	err = d.TCP(sockdiag.Match{}, func(s *sockdiag.Socket) {
		if inodes[s.Inode()] {
			cookies[strconv.FormatUint(s.Cookie(), 16)] = true
		}
	})
	switch {
	case err != nil && !errors.Is(err, sockdiag.ErrInterrupted):
		return nil, err
	case len(cookies) > 0:
		return cookies, nil
	case hidden != nil:
		return nil, hint.With(fmt.Errorf("find the connections of process %d: %w", pid, hidden), "those of another user's process take root: sudo unchoke check --pid "+strconv.Itoa(pid)+"; or name the connection: --flow 'dport = …'")
	}
	return nil, hint.With(fmt.Errorf("process %d (%s) and its children have no TCP connection", pid, family[pid]), "unchoke watch --once lists the connections and whose they are")
}

// familyOf is a process and all that descend from it, with their names.
func familyOf(all []proc.Task, pid int) map[int]string {
	family := map[int]string{}
	for _, t := range all {
		if t.ID == pid {
			family[pid] = t.Name
		}
	}
	for grown := len(family) > 0; grown; {
		grown = false
		for _, t := range all {
			if _, mine := family[t.Parent]; mine && family[t.ID] == "" {
				family[t.ID] = t.Name
				grown = true
			}
		}
	}
	return family
}
