// Package cpugroup bounds what programs of a bench take of this host's
// processors. It takes root and the controller cpu of control groups, version 1
// or 2.
package cpugroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Group is a control group that bounds the processor time of what is in it.
type Group struct {
	dir     string
	version int
}

// Where the controller of processor time is, by version.
const (
	groups1 = "/sys/fs/cgroup/cpu"
	groups2 = "/sys/fs/cgroup"
)

// ErrNone says that this host cannot limit a process so.
var ErrNone = errors.New("control groups that bound processor time, and root")

// New makes a group at the top of its hierarchy. Siblings share the
// processors by their weight: this one goes before other programs, since in
// real time what they take would be missing in the figures.
func New(name string) (*Group, error) {
	g := &Group{dir: filepath.Join(groups1, name), version: 1}
	if _, err := os.Stat(filepath.Join(groups1, "cpu.cfs_quota_us")); err != nil {
		g = &Group{dir: filepath.Join(groups2, name), version: 2}
		// Its groups have the controller once this is written.
		if err := os.WriteFile(filepath.Join(groups2, "cgroup.subtree_control"), []byte("+cpu"), 0); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNone, err)
		}
	}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	weight, value := "cpu.shares", "102400"
	if g.version == 2 {
		weight, value = "cpu.weight", "10000"
	}
	if err := g.write(weight, value); err != nil {
		return nil, errors.Join(err, g.Remove())
	}
	return g, nil
}

// members names the file of a group's processes, in both versions.
const members = "cgroup.procs"

// Add moves a process into the group; what it starts later is in it too.
func (g *Group) Add(pid int) error { return g.write(members, strconv.Itoa(pid)) }

// Members is the file that takes the numbers of processes that join.
func (g *Group) Members() string { return filepath.Join(g.dir, members) }

// period is the kernel's default, in microseconds.
const period = 100_000

// Limit gives the group so many cores; 0 is as many as there are.
func (g *Group) Limit(cores float64) error {
	quota := strconv.Itoa(int(cores * period))
	switch {
	case g.version == 1 && cores == 0:
		return g.write("cpu.cfs_quota_us", "-1")
	case g.version == 1:
		return g.write("cpu.cfs_quota_us", quota)
	case cores == 0:
		quota = "max"
	}
	return g.write("cpu.max", fmt.Sprintf("%s %d", quota, period))
}

func (g *Group) write(file, value string) error {
	return os.WriteFile(filepath.Join(g.dir, file), []byte(value), 0)
}

// Kill ends what still runs in it: what its programs started.
func (g *Group) Kill() {
	b, err := os.ReadFile(g.Members())
	if err != nil {
		return
	}
	for word := range strings.FieldsSeq(string(b)) {
		if pid, err := strconv.Atoi(word); err == nil {
			_ = unix.Kill(pid, unix.SIGKILL) // it may have ended
		}
	}
}

// Remove ends the group. What was killed in it may take a moment to leave.
func (g *Group) Remove() error {
	var err error
	for range 50 {
		if err = os.Remove(g.dir); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}
