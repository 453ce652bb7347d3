package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/cgroup"
	"unchoke/internal/linux/sockops"
)

// HostGroups are the control groups of this host.
type HostGroups struct{}

// Find implements Groups. A unit is the directory of its name, with or without
// .service.
func (HostGroups) Find(unit string) (Group, error) {
	root, ok := cgroup.Root(cgroup.System())
	if !ok {
		return Group{}, &UnableError{"this host has no control groups of version 2", "unchoke tune plan --scope route:PREFIX is for whom the unit talks to"}
	}
	var found []string
	tree := os.DirFS("/" + root)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			return nil // it ended meanwhile
		case !d.IsDir():
			return nil
		case path.Base(name) == unit || path.Base(name) == unit+".service":
			found = append(found, name)
			return fs.SkipDir
		}
		return nil
	})
	switch {
	case err != nil:
		return Group{}, fmt.Errorf("look for the unit %s: %w", unit, err)
	case len(found) == 0:
		return Group{}, &UnableError{"no unit " + unit + " runs on this host", "systemctl list-units shows those that do; name it as systemd does"}
	case len(found) > 1:
		return Group{}, &UnableError{fmt.Sprintf("%d units are called %s: %s", len(found), unit, strings.Join(found, ", ")), "name one in full, as in backup@1000.service"}
	}
	g := Group{Path: "/" + found[0]}
	dir, err := open(g)
	if err != nil {
		return g, err
	}
	defer dir.Close()
	g.Number, err = number(dir)
	return g, err
}

// open opens the group's directory; ErrGroupEnded where it is no more, or another
// one has its path.
func open(g Group) (*os.File, error) {
	root, _ := cgroup.Root(cgroup.System())
	dir, err := os.Open(path.Join("/", root, g.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrGroupEnded
	}
	if err != nil {
		return nil, fmt.Errorf("open a control group: %w", err)
	}
	if n, err := number(dir); err != nil || g.Number != 0 && n != g.Number {
		dir.Close()
		return nil, errors.Join(err, ErrGroupEnded)
	}
	return dir, nil
}

// number is the kernel's of a group: the inode of its directory.
func number(dir *os.File) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(dir.Fd()), &st); err != nil {
		return 0, fmt.Errorf("look at the control group %s: %w", dir.Name(), err)
	}
	return st.Ino, nil
}

// Load implements Groups.
func (HostGroups) Load(cc string) (Program, error) {
	p, err := sockops.Load(cc)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return nil, &UnableError{fmt.Sprintf("this kernel takes no program at control groups (%v)", err), "Linux 4.13 with CONFIG_CGROUP_BPF does; unchoke tune plan --scope route:PREFIX is for whom the unit talks to"}
	}
	if err != nil {
		return nil, err
	}
	return loaded{p}, nil
}

type loaded struct{ *sockops.Program }

func (p loaded) Number() uint32 { return p.ID }

func (p loaded) Attach(g Group) error {
	dir, err := open(g)
	if err != nil {
		return err
	}
	defer dir.Close()
	return p.Program.Attach(dir)
}

// At implements Groups.
func (HostGroups) At(g Group, program uint32) (bool, error) {
	dir, err := open(g)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	is, err := sockops.At(dir, program)
	if errors.Is(err, sockops.ErrNot) { // another's has the number
		return false, nil
	}
	return is, err
}

// Detach implements Groups. What is not there needs no detaching.
func (HostGroups) Detach(g Group, program uint32) error {
	dir, err := open(g)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := sockops.Detach(dir, program); !errors.Is(err, sockops.ErrNot) {
		return err
	}
	return nil
}
