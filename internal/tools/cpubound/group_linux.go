package main

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

// group is a control group that bounds the processor time of what is in it.
type group struct {
	dir     string
	version int
}

// Where the controller of processor time is, by version.
const (
	groups1 = "/sys/fs/cgroup/cpu"
	groups2 = "/sys/fs/cgroup"
)

// errNoGroups says that this host cannot limit a process as the rig does.
var errNoGroups = errors.New("control groups that bound processor time, and root")

// newGroup makes a group at the top of its hierarchy. Siblings share the
// processors by their weight: this one goes before other programs, since in
// real time what they take would be missing in the figures.
func newGroup(name string) (*group, error) {
	g := &group{dir: filepath.Join(groups1, name), version: 1}
	if _, err := os.Stat(filepath.Join(groups1, "cpu.cfs_quota_us")); err != nil {
		g = &group{dir: filepath.Join(groups2, name), version: 2}
		// Its groups have the controller once this is written.
		if err := os.WriteFile(filepath.Join(groups2, "cgroup.subtree_control"), []byte("+cpu"), 0); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoGroups, err)
		}
	}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoGroups, err)
	}
	weight, value := "cpu.shares", "102400"
	if g.version == 2 {
		weight, value = "cpu.weight", "10000"
	}
	if err := g.write(weight, value); err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

func (g *group) add(pid int) error { return g.write("cgroup.procs", strconv.Itoa(pid)) }

// period is the kernel's default, in microseconds.
const period = 100_000

// limit gives the group so many cores; 0 is as many as there are.
func (g *group) limit(cores float64) error {
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

func (g *group) write(file, value string) error {
	return os.WriteFile(filepath.Join(g.dir, file), []byte(value), 0)
}

// kill ends what still runs in it: what its programs started.
func (g *group) kill() {
	b, err := os.ReadFile(filepath.Join(g.dir, "cgroup.procs"))
	if err != nil {
		return
	}
	for word := range strings.FieldsSeq(string(b)) {
		if pid, err := strconv.Atoi(word); err == nil {
			_ = unix.Kill(pid, unix.SIGKILL) // it may have ended
		}
	}
}

// remove ends the group. What was killed in it may take a moment to leave.
func (g *group) remove() error {
	var err error
	for range 50 {
		if err = os.Remove(g.dir); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}
