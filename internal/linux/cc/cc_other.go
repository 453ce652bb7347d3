//go:build !linux

package cc

import (
	"errors"
	"fmt"
)

func try(name string) (Have, error) {
	return Unknown, fmt.Errorf("probe congestion control %s: %w", name, errors.ErrUnsupported)
}
