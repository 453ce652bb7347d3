//go:build !slim

package module

import "golang.org/x/sys/unix"

// remove takes a module out of the kernel that nobody uses.
func remove(name string) error { return unix.DeleteModule(name, unix.O_NONBLOCK) }
