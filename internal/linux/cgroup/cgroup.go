// Package cgroup tells how a process's groups limit its processor time, and
// how much of that they used: control groups of version 1 and 2.
package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// Limit is a group that bounds the processor time of all that is in it.
type Limit struct {
	Path    string  // of the group, below the controller's root
	Version int     // 1 or 2
	Cores   float64 // that it may keep busy
	Used    time.Duration
	// Periods are those in which something ran, and Throttled those of them in
	// which the group had to stand still for having used its share.
	Periods, Throttled int64
}

// System is this host's root.
func System() fs.FS { return os.DirFS("/") }

// Limits lists the groups of a process that have a limit, the nearest first.
// The tree is laid out as the root of a file system.
func Limits(tree fs.FS, pid int) ([]Limit, error) {
	text, err := fs.ReadFile(tree, fmt.Sprintf("proc/%d/cgroup", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the process has ended, or the kernel has no control groups
	}
	if err != nil {
		return nil, fmt.Errorf("find the control groups of process %d: %w", pid, err)
	}
	mounts, err := fs.ReadFile(tree, "proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("find the control groups of process %d: %w", pid, err)
	}
	var out []Limit
	for _, m := range memberships(string(text)) {
		for _, version := range []int{1, 2} {
			if (m.controllers == "") != (version == 2) {
				continue
			}
			root, ok := mounted(string(mounts), version, "cpu")
			if !ok || version == 1 && !has(m.controllers, "cpu") {
				continue
			}
			found, err := upwards(tree, string(mounts), root, m.path, version)
			if err != nil {
				return nil, fmt.Errorf("read the control group %s: %w", m.path, err)
			}
			out = append(out, found...)
		}
	}
	return out, nil
}

// membership is a line of /proc/PID/cgroup; controllers is empty for version 2.
type membership struct{ controllers, path string }

func memberships(text string) []membership {
	var out []membership
	for line := range strings.SplitSeq(text, "\n") {
		// HIERARCHY:CONTROLLERS:PATH
		if parts := strings.SplitN(line, ":", 3); len(parts) == 3 {
			out = append(out, membership{parts[1], parts[2]})
		}
	}
	return out
}

func has(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// mounted finds where a controller's hierarchy is, without the leading slash.
// A line of mountinfo ends with "- TYPE SOURCE OPTIONS" (proc_pid_mountinfo(5)).
func mounted(mounts string, version int, controller string) (dir string, ok bool) {
	for line := range strings.SplitSeq(mounts, "\n") {
		before, after, _ := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if len(fields) < 5 || len(kind) < 3 {
			continue
		}
		if version == 2 && kind[0] == "cgroup2" || version == 1 && kind[0] == "cgroup" && has(kind[2], controller) {
			return strings.TrimPrefix(fields[4], "/"), true
		}
	}
	return "", false
}

// upwards reads a group and those around it.
func upwards(tree fs.FS, mounts, root, group string, version int) ([]Limit, error) {
	var out []Limit
	for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
		l, limited, err := read(tree, mounts, root, dir, version)
		if err != nil {
			return nil, err
		}
		if limited {
			out = append(out, l)
		}
		if dir == "/" {
			return out, nil
		}
	}
}

// read reads one group; limited is false where it has no limit, or is not in
// this mount.
func read(tree fs.FS, mounts, root, dir string, version int) (l Limit, limited bool, err error) {
	l = Limit{Path: dir, Version: version}
	file := func(name string) (string, error) {
		b, err := fs.ReadFile(tree, path.Join(root, dir, name))
		return strings.TrimSpace(string(b)), err
	}
	if version == 1 {
		l.Cores, err = quota1(file)
	} else {
		l.Cores, err = quota2(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return l, false, nil
	}
	if err != nil || l.Cores == 0 {
		return l, false, err
	}
	text, err := file("cpu.stat")
	if err != nil {
		return l, false, err
	}
	stat := counters(text)
	l.Periods, l.Throttled = stat["nr_periods"], stat["nr_throttled"]
	if version == 2 {
		l.Used = time.Duration(stat["usage_usec"]) * time.Microsecond
		return l, true, nil
	}
	if acct, ok := mounted(mounts, 1, "cpuacct"); ok {
		if b, err := fs.ReadFile(tree, path.Join(acct, dir, "cpuacct.usage")); err == nil { // else not accounted
			n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
			if err != nil {
				return l, false, err
			}
			l.Used = time.Duration(n)
		}
	}
	return l, true, nil
}

// quota1 reads version 1's quota; 0 is none.
func quota1(file func(string) (string, error)) (cores float64, err error) {
	quota, err := file("cpu.cfs_quota_us")
	if err != nil {
		return 0, err
	}
	period, err := file("cpu.cfs_period_us")
	if err != nil {
		return 0, err
	}
	return share(quota, period)
}

// quota2 reads version 2's: "max 100000" is none.
func quota2(file func(string) (string, error)) (cores float64, err error) {
	text, err := file("cpu.max")
	if err != nil {
		return 0, err
	}
	quota, period, _ := strings.Cut(text, " ")
	if quota == "max" {
		return 0, nil
	}
	return share(quota, period)
}

func share(quota, period string) (cores float64, err error) {
	q, err := strconv.ParseInt(quota, 10, 64)
	if err != nil || q <= 0 {
		return 0, err
	}
	p, err := strconv.ParseInt(period, 10, 64)
	if err != nil || p <= 0 {
		return 0, fmt.Errorf("a period of %q microseconds", period)
	}
	return float64(q) / float64(p), nil
}

// counters reads lines of a name and a number.
func counters(text string) map[string]int64 {
	out := map[string]int64{}
	for line := range strings.SplitSeq(text, "\n") {
		name, value, _ := strings.Cut(line, " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			out[name] = n
		}
	}
	return out
}

// Of is the path of a process's group below its hierarchy's root: of version 2,
// or of systemd's own hierarchy of version 1 where that says more; empty where
// it cannot be read. The tree is laid out as the root of a file system.
func Of(tree fs.FS, pid int) string {
	text, err := fs.ReadFile(tree, fmt.Sprintf("proc/%d/cgroup", pid))
	if err != nil {
		return ""
	}
	var found string
	for _, m := range memberships(string(text)) {
		if (m.controllers == "" || m.controllers == "name=systemd") && len(m.path) > len(found) {
			found = m.path
		}
	}
	return found
}

// Members lists the processes in a group of version 2, not those in groups
// below it; none where it has gone or cannot be read. The tree is laid out as
// the root of a file system.
func Members(tree fs.FS, group string) []int {
	mounts, err := fs.ReadFile(tree, "proc/self/mountinfo")
	if err != nil {
		return nil
	}
	root, ok := mounted(string(mounts), 2, "")
	if !ok {
		return nil
	}
	text, err := fs.ReadFile(tree, path.Join(root, group, "cgroup.procs"))
	if err != nil {
		return nil
	}
	var out []int
	for line := range strings.Lines(string(text)) {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && pid > 0 {
			out = append(out, pid)
		}
	}
	return out
}
