// Package netns makes network namespaces and runs code inside them.
package netns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Namespace is a network namespace, kept alive by a file descriptor.
type Namespace struct{ fd int }

// New makes an empty namespace. The caller stays where it is.
func New() (*Namespace, error) {
	n := &Namespace{fd: -1}
	err := elsewhere(func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("create a network namespace: %w", err)
		}
		n.fd, err = open()
		return err
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// named is where ip netns keeps its namespaces (ip-netns(8)).
const named = "/run/netns/"

// Open opens a namespace that exists: by a name as ip netns has it, by a file's
// path, or by the number of a process that is in it. fs.ErrNotExist: there is
// none such.
func Open(name string) (*Namespace, error) {
	path := named + name
	if strings.Contains(name, "/") {
		path = name
	} else if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := strconv.Atoi(name); err == nil {
			path = "/proc/" + name + "/ns/net"
		}
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the network namespace %s: %w", name, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	if kind, err := unix.IoctlRetInt(fd, unix.NS_GET_NSTYPE); err != nil || kind != unix.CLONE_NEWNET {
		unix.Close(fd)
		return nil, fmt.Errorf("open the network namespace %s: %s is none", name, path)
	}
	return &Namespace{fd: fd}, nil
}

// Do runs f on this goroutine, its thread locked and inside the namespace.
// Sockets opened there stay there; goroutines started there do not.
func (n *Namespace) Do(f func() error) error {
	return elsewhere(func() error {
		if err := unix.Setns(n.fd, unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("enter a network namespace: %w", err)
		}
		return f()
	})
}

// Fd is the namespace's file descriptor, valid until Close.
func (n *Namespace) Fd() int { return n.fd }

// Close lets the namespace go. It ends, and its devices with it, when the last
// process inside it does. Once closed it is no namespace any more, whatever its
// descriptor's number then stands for.
func (n *Namespace) Close() error {
	fd := n.fd
	n.fd = -1
	return unix.Close(fd)
}

// open is the calling thread's own namespace. Other threads may be elsewhere.
// The descriptor is none of package os, which would try to wait for it.
func open() (int, error) {
	const current = "/proc/thread-self/ns/net"
	fd, err := unix.Open(current, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open this thread's network namespace, %s: %w", current, err)
	}
	return fd, nil
}

// elsewhere runs f, which moves its thread to another namespace, and moves the
// thread back. A thread that cannot be moved back stays locked to its
// goroutine, so that nothing else ever runs on it.
func elsewhere(f func() error) error {
	runtime.LockOSThread()
	home, err := open()
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer unix.Close(home)
	err = f()
	if back := unix.Setns(home, unix.CLONE_NEWNET); back != nil {
		return errors.Join(err, fmt.Errorf("leave a network namespace: %w", back))
	}
	runtime.UnlockOSThread()
	return err
}
