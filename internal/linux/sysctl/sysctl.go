// Package sysctl reads the kernel's parameters.
//
// What lies under net belongs to a network namespace: the calling thread's. A
// caller that has entered another one locks its goroutine to its thread before
// it reads.
package sysctl

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"unchoke/internal/linux/sysctlkey"
)

// Tree is a directory laid out as /proc/sys.
type Tree struct{ FS fs.FS }

// Kernel is this kernel's own tree. Where there is none, every key fails with
// fs.ErrNotExist.
var Kernel = Tree{os.DirFS("/proc/sys")}

// String is the value of key without surrounding space.
func (t Tree) String(key string) (string, error) {
	path := sysctlkey.Path(key)
	if !fs.ValidPath(path) {
		return "", fmt.Errorf("read sysctl %s: %w", key, fs.ErrInvalid)
	}
	b, err := fs.ReadFile(t.FS, path)
	if err != nil {
		return "", fmt.Errorf("read sysctl %s: %w", key, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// Words is the value of a key that holds a list.
func (t Tree) Words(key string) ([]string, error) {
	s, err := t.String(key)
	return strings.Fields(s), err
}

// Int is the value of a key that holds one number.
func (t Tree) Int(key string) (int64, error) {
	s, err := t.String(key)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read sysctl %s: %q is no number", key, s)
	}
	return n, nil
}

// Bool is whether a key that holds one number is other than 0.
func (t Tree) Bool(key string) (bool, error) {
	n, err := t.Int(key)
	return n != 0, err
}

// Triple is the value of a key that holds minimum, default and maximum, as
// tcp_rmem and tcp_wmem do, in bytes.
func (t Tree) Triple(key string) ([3]int64, error) {
	var v [3]int64
	words, err := t.Words(key)
	if err != nil {
		return v, err
	}
	if len(words) != len(v) {
		return v, fmt.Errorf("read sysctl %s: %d values, want %d", key, len(words), len(v))
	}
	for i, w := range words {
		if v[i], err = strconv.ParseInt(w, 10, 64); err != nil {
			return [3]int64{}, fmt.Errorf("read sysctl %s: %q is no number", key, w)
		}
	}
	return v, nil
}
