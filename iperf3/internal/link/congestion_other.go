//go:build unix && !linux

package link

import "fmt"

// setCongestion fails: of the systems with TCP_CONGESTION only Linux is
// supported.
func setCongestion(_ int, name string) error {
	return fmt.Errorf("set the congestion control to %s: %w", name, ErrCongestion)
}
