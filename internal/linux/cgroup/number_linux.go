package cgroup

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/ls"
)

// Numbers finds groups of version 2 by the number that the kernel gives them
// (cgroup_id, INET_DIAG_CGROUP_ID). It is for one goroutine.
type Numbers struct {
	root    string // where the hierarchy is mounted
	mount   int    // a descriptor of it, for open_by_handle_at; -1 where that is not allowed
	known   map[uint64]string
	walked  time.Time
	another time.Duration // the least time between two walks
}

// OpenNumbers finds the hierarchy: fs.ErrNotExist where the host has none.
func OpenNumbers() (*Numbers, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	dir, ok := mounted(string(mounts), 2, "")
	if !ok {
		return nil, fs.ErrNotExist
	}
	n := &Numbers{root: "/" + dir, known: map[uint64]string{}}
	n.mount, err = unix.Open(n.root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		n.mount = -1
	}
	return n, nil
}

// Close closes it.
func (n *Numbers) Close() error {
	if n.mount < 0 {
		return nil
	}
	return unix.Close(n.mount)
}

// Path is the group's path below the hierarchy's root, which is "/"; empty where
// the group has gone or lies outside what this process sees. ok is false where it
// may have come since the last walk: ask again later.
func (n *Numbers) Path(number uint64) (group string, ok bool) {
	if group, ok = n.known[number]; ok {
		return group, true
	}
	group, err := n.open(number)
	if errors.Is(err, unix.ESTALE) {
		return "", true
	}
	if err != nil {
		n.mount = n.closed() // not allowed: walk instead, from now on
		ok = n.walk()
		return n.known[number], ok
	}
	n.known[number] = group
	return group, true
}

func (n *Numbers) closed() int {
	n.Close()
	return -1
}

// kernfsHandle is the type of a file handle that is a cgroup's number
// (FILEID_KERNFS, linux/exportfs.h).
const kernfsHandle = 0xfe

// open finds a group by its number alone, which takes CAP_DAC_READ_SEARCH.
func (n *Numbers) open(number uint64) (group string, err error) {
	if n.mount < 0 {
		return "", unix.EPERM
	}
	handle := unix.NewFileHandle(kernfsHandle, binary.NativeEndian.AppendUint64(nil, number))
	fd, err := unix.OpenByHandleAt(n.mount, handle, unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return "", err
	}
	return path.Clean("/" + strings.TrimPrefix(name, n.root)), nil
}

// walk reads the whole hierarchy: the inode of a group's directory is its
// number on 64-bit kernels. Walks are a second apart, or a hundred times as long
// as the last one took; false where it is too early for one.
func (n *Numbers) walk() bool {
	if time.Since(n.walked) < n.another {
		return false
	}
	begun := time.Now()
	clear(n.known)
	n.note(os.DirFS(n.root), ".")
	n.walked = time.Now()
	n.another = max(time.Second, 100*n.walked.Sub(begun))
	return true
}

// note keeps the numbers of a group and of all below it. What cannot be read is
// gone meanwhile, or not ours to read.
func (n *Numbers) note(tree fs.FS, group string) {
	info, err := fs.Stat(tree, group)
	if err != nil {
		return
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		n.known[stat.Ino] = path.Clean("/" + group)
	}
	entries, _ := ls.Dir(tree, group)
	for _, e := range entries {
		if e.IsDir() {
			n.note(tree, path.Join(group, e.Name()))
		}
	}
}
