//go:build !unix && !slim

package remote

import "errors"

const relays = false

func boundSegments(uintptr, int) error {
	return errors.New("segments cannot be bounded on this system")
}
