//go:build !linux || slim

package watching

import (
	"errors"
	"fmt"
	"time"

	"unchoke/internal/live"
	"unchoke/internal/record"
)

// headers of packets are read on Linux, by the build that is not for routers.
type headers struct{}

// readHeaders returns errors.ErrUnsupported.
func readHeaders(string, *live.Flow) (*headers, error) {
	return nil, fmt.Errorf("this build does not read them: %w", errors.ErrUnsupported)
}

func (*headers) end(time.Time) (*record.Packets, error) { return nil, errors.ErrUnsupported }
