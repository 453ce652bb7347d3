//go:build !linux || slim

package watching

import (
	"time"

	"unchoke/internal/record"
)

// headers of packets are read on Linux, by the build that is not for routers.
type headers struct{}

func (*Chosen) startHeaders(run *record.Run) *headers {
	run.Skipped = append(run.Skipped, record.Skip{Step: "headers of the packets", Why: "this build reads none"})
	return nil
}

func (*headers) kept(time.Time, *record.Run) *record.Packets { return nil }
