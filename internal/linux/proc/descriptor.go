package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"unchoke/internal/ls"
)

// Descriptor is what a process calls something that it has open.
type Descriptor struct {
	PID, FD int
	Name    string // of the process, at most 15 bytes
}

// Holders finds the descriptors of sockets, by inode. Several processes may have
// one socket. hidden is how many processes did not show theirs: other users',
// without root.
func Holders(tree fs.FS, inodes map[uint64]bool) (holders map[uint64][]Descriptor, hidden int, err error) {
	all, err := Processes(tree)
	if err != nil {
		return nil, 0, err
	}
	links, ok := tree.(fs.ReadLinkFS)
	if !ok {
		return nil, 0, fmt.Errorf("read links of %T: %w", tree, fs.ErrInvalid)
	}
	holders = map[uint64][]Descriptor{}
	for _, t := range all {
		if t.Kernel {
			continue
		}
		dir := strconv.Itoa(t.ID) + "/fd"
		entries, err := ls.Dir(tree, dir)
		if errors.Is(err, fs.ErrPermission) {
			hidden++
		}
		for _, e := range entries {
			link, err := links.ReadLink(dir + "/" + e.Name())
			if err != nil {
				continue // it has been closed
			}
			fd, err := strconv.Atoi(e.Name())
			if inode, isSocket := inodeOf(link); isSocket && err == nil && inodes[inode] {
				holders[inode] = append(holders[inode], Descriptor{t.ID, fd, t.Name})
			}
		}
	}
	return holders, hidden, nil
}
