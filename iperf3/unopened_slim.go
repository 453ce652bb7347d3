//go:build slim

package iperf3

import (
	"fmt"

	"unchoke/iperf3/internal/link"
)

// unopened says why a control connection did not come up, where the system's words
// do not.
func unopened(err error) error {
	if link.IsRefused(err) || link.IsReset(err) {
		return fmt.Errorf("%w (%w)", ErrRefused, err)
	}
	return err
}
