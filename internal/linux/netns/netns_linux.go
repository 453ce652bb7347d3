// Package netns makes network namespaces and runs code inside them.
package netns

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Namespace is a network namespace, kept alive by a file descriptor.
type Namespace struct{ file *os.File }

// The calling thread's own namespace. Other threads may be elsewhere.
const current = "/proc/thread-self/ns/net"

// New makes an empty namespace. The caller stays where it is.
func New() (*Namespace, error) {
	var n Namespace
	err := elsewhere(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("create a network namespace: %w", err)
		}
		file, err := os.Open(current)
		n.file = file
		return err
	})
	if err != nil {
		return nil, err
	}
	return &n, nil
}

// Do runs f on this goroutine, its thread locked and inside the namespace.
// Sockets opened there stay there; goroutines started there do not.
func (n *Namespace) Do(f func() error) error {
	return elsewhere(func() error {
		if err := unix.Setns(int(n.file.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("enter a network namespace: %w", err)
		}
		return f()
	})
}

// Fd is the namespace's file descriptor, valid until Close.
func (n *Namespace) Fd() int { return int(n.file.Fd()) }

// Close lets the namespace go. It ends, and its devices with it, when the last
// process inside it does.
func (n *Namespace) Close() error { return n.file.Close() }

// elsewhere runs f, which moves its thread to another namespace, and moves the
// thread back. A thread that cannot be moved back stays locked to its
// goroutine, so that nothing else ever runs on it.
func elsewhere(f func() error) error {
	runtime.LockOSThread()
	home, err := os.Open(current)
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("open this thread's network namespace: %w", err)
	}
	defer home.Close()
	err = f()
	if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back != nil {
		return errors.Join(err, fmt.Errorf("leave a network namespace: %w", back))
	}
	runtime.UnlockOSThread()
	return err
}
