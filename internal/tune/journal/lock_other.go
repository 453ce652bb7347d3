//go:build !unix

package journal

import (
	"context"
	"errors"
	"fmt"
)

// Lock returns errors.ErrUnsupported.
func Lock(context.Context, string) (unlock func(), err error) {
	return nil, fmt.Errorf("lock the journal: %w", errors.ErrUnsupported)
}
