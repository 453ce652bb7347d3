package proc

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/ls"
)

// Holder finds the process that has a TUN or TAP device open, which carries
// its packets. ok is false where none can be seen: the device is none,
// or the process belongs to another user. Devices of one name in other network
// namespaces are others': a process of this one's namespace goes first.
func Holder(tree fs.FS, device string) (holder Task, ok bool) {
	all, err := Processes(tree)
	if err != nil {
		return Task{}, false
	}
	here := namespace(tree, "self")
	for _, t := range all {
		process := strconv.Itoa(t.ID)
		if t.Kernel || !Holds(tree, process, device) {
			continue
		}
		if namespace(tree, process) == here {
			return t, true
		}
		if !ok {
			holder, ok = t, true
		}
	}
	return holder, ok
}

// namespace names a process's network namespace; empty where it cannot be seen.
func namespace(tree fs.FS, pid string) string {
	links, ok := tree.(fs.ReadLinkFS)
	if !ok {
		return ""
	}
	name, err := links.ReadLink(pid + "/ns/net")
	if err != nil {
		return ""
	}
	return name
}

// Holds says that a process, named by its number, has a TUN or TAP device open: a
// descriptor's fdinfo names the device (drivers/net/tun.c, tun_chr_show_fdinfo). It takes
// the rights to see that.
func Holds(tree fs.FS, process, device string) bool {
	dir := process + "/fdinfo"
	entries, err := ls.Dir(tree, dir)
	if err != nil {
		return false // it has ended, or is another user's
	}
	for _, e := range entries {
		b, err := fs.ReadFile(tree, dir+"/"+e.Name())
		if err != nil {
			continue
		}
		if slices.Contains(strings.Split(string(b), "\n"), "iff:\t"+device) {
			return true
		}
	}
	return false
}

// Sockets finds whose each socket is, by inode: every process's, or only the
// one's where pid is not 0. Those of other users are missing without root.
func Sockets(tree fs.FS, pid int) map[uint64]Task {
	out := map[uint64]Task{}
	all, err := Processes(tree)
	if err != nil {
		return out
	}
	for _, t := range all {
		if t.Kernel || pid != 0 && t.ID != pid {
			continue
		}
		// What cannot be read has ended, or is another user's.
		_ = SocketsOf(tree, t.ID, func(inode uint64) bool { out[inode] = t; return true })
	}
	return out
}

// SocketsOf hands over the inode of every socket that a process holds, until f
// returns false.
func SocketsOf(tree fs.FS, pid int, f func(inode uint64) bool) error {
	links, ok := tree.(fs.ReadLinkFS)
	if !ok {
		return fmt.Errorf("list the sockets of process %d: %w", pid, fs.ErrInvalid)
	}
	dir := strconv.Itoa(pid) + "/fd"
	entries, err := ls.Dir(tree, dir)
	if err != nil {
		return fmt.Errorf("list the sockets of process %d: %w", pid, err)
	}
	for _, e := range entries {
		link, err := links.ReadLink(dir + "/" + e.Name())
		if err != nil {
			continue
		}
		if inode, ok := inodeOf(link); ok && !f(inode) {
			return nil
		}
	}
	return nil
}

// Name is a process's, at most 15 bytes.
func Name(tree fs.FS, pid int) (string, error) {
	text, err := fs.ReadFile(tree, strconv.Itoa(pid)+"/comm")
	return strings.TrimSuffix(string(text), "\n"), err
}

// inodeOf reads what the link of a socket's descriptor says: socket:[123].
func inodeOf(link string) (inode uint64, ok bool) {
	digits, isSocket := strings.CutPrefix(link, "socket:[")
	n, err := strconv.ParseUint(strings.TrimSuffix(digits, "]"), 10, 64)
	return n, isSocket && err == nil
}
