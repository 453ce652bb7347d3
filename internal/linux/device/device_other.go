//go:build !linux

package device

import (
	"errors"
	"fmt"
)

// ByIndex returns errors.ErrUnsupported.
func ByIndex(index int) (Device, error) {
	return Device{}, fmt.Errorf("get device %d: %w", index, errors.ErrUnsupported)
}

// List returns errors.ErrUnsupported.
func List() ([]Device, error) {
	return nil, fmt.Errorf("list devices: %w", errors.ErrUnsupported)
}

// Qdiscs returns errors.ErrUnsupported.
func Qdiscs(index int) ([]Qdisc, error) {
	return nil, fmt.Errorf("list qdiscs of device %d: %w", index, errors.ErrUnsupported)
}

// Statistics returns errors.ErrUnsupported.
func Statistics() ([]Stats, error) {
	return nil, fmt.Errorf("read the counters of qdiscs: %w", errors.ErrUnsupported)
}

// OffloadsOf returns errors.ErrUnsupported.
func OffloadsOf(name string) (Offloads, error) {
	return Offloads{}, fmt.Errorf("read the features of %s: %w", name, errors.ErrUnsupported)
}
