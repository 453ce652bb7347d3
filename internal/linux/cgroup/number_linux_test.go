package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Every group of this host is found by its number, by a handle where that is
// allowed, and by walking.
func TestNumbers(t *testing.T) {
	for _, way := range []string{"by a handle", "by walking"} {
		n, err := OpenNumbers()
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("this host has no control groups of version 2")
		}
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		if way == "by walking" {
			n.mount = n.closed()
		}
		root := n.root
		groups := map[string]uint64{}
		_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && len(groups) < 20 {
				if info, err := os.Stat(name); err == nil {
					path, _ := filepath.Rel(root, name)
					groups[filepath.Join("/", path)] = info.Sys().(*syscall.Stat_t).Ino
				}
			}
			return nil
		})
		if len(groups) == 0 {
			t.Fatalf("no group below %s", root)
		}
		for path, number := range groups {
			for range 2 {
				if got, ok := n.Path(number); !ok || got != path {
					t.Errorf("%s: group %d is %q, %v, want %q", way, number, got, ok, path)
				}
			}
		}
		n.another = 0
		if got, ok := n.Path(1 << 60); !ok || got != "" {
			t.Errorf("%s: a group that does not exist is %q, %v", way, got, ok)
		}
	}
}

// Walks are not made for each number that is unknown.
func TestWalksAreBounded(t *testing.T) {
	n := Numbers{root: t.TempDir(), mount: -1, known: map[uint64]string{}}
	n.Path(1 << 60)
	walked := n.walked
	if walked.IsZero() || n.another < time.Second {
		t.Errorf("walked at %v, again after %v", walked, n.another)
	}
	if n.Path(1 << 60); n.walked != walked {
		t.Error("walked again at once")
	}
}

// A group that came since the last walk has not gone: the next walk finds it.
func TestNotLookedForYet(t *testing.T) {
	n := Numbers{root: t.TempDir(), mount: -1, known: map[uint64]string{}}
	if group, ok := n.Path(1 << 60); !ok || group != "" {
		t.Errorf("a group that a walk did not find: %q, %v", group, ok)
	}
	made := filepath.Join(n.root, "new")
	if err := os.Mkdir(made, 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(made)
	if err != nil {
		t.Fatal(err)
	}
	number := info.Sys().(*syscall.Stat_t).Ino
	if group, ok := n.Path(number); ok {
		t.Errorf("between two walks: %q", group)
	}
	n.another = 0
	if group, ok := n.Path(number); !ok || group != "/new" {
		t.Errorf("after the next walk: %q, %v", group, ok)
	}
}
