// Package host is the host that this process runs on, as changes see it: each
// kind of change with its way to be read and written.
package host

import (
	"fmt"

	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/tree"
)

// Host reads and writes the running kernel and the files below Disk. It acts in
// the calling thread's network namespace.
type Host struct{ Disk disk.Disk }

// door is how one kind of change gets to its object.
type door interface {
	read(key string) (*string, error)
	write(key string, value *string) error
	// writable returns nil where write may be tried. It changes nothing.
	writable(key string) error
}

func (h Host) door(kind tune.Kind) (door, error) {
	switch kind {
	case tune.Sysctl:
		return sysctls{}, nil
	case tune.Module:
		return modules{}, nil
	case tune.Qdisc:
		return qdiscs{}, nil
	case tune.Route:
		return routes{}, nil
	case tune.File:
		return files{h.Disk}, nil
	}
	return nil, fmt.Errorf("a change of kind %q is unknown to this version", kind)
}

// Read gives the present value; nil where the thing is absent.
func (h Host) Read(kind tune.Kind, key string) (*string, error) {
	d, err := h.door(kind)
	if err != nil {
		return nil, err
	}
	return d.read(key)
}

// Write makes the value so; nil removes the thing. A device's tree takes
// messages instead.
func (h Host) Write(kind tune.Kind, key string, value *string) error {
	d, err := h.door(kind)
	if err != nil {
		return err
	}
	return d.write(key, value)
}

// Writable returns nil where Write may be tried, and otherwise what forbids it.
// It changes nothing.
func (h Host) Writable(kind tune.Kind, key string) error {
	d, err := h.door(kind)
	if err != nil {
		return err
	}
	return d.writable(key)
}

// Send sends one message to a device's tree.
func (h Host) Send(device string, m tree.Message) error { return qdiscs{}.send(device, m) }
