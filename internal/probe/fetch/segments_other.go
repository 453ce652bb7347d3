//go:build !unix

package fetch

import "errors"

func setSegments(uintptr, int) error {
	return errors.New("segments cannot be bounded on this system")
}
