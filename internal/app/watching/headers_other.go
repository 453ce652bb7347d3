//go:build !linux || slim

package watching

import (
	"time"

	"unchoke/internal/record"
)

// reading is of headers, on Linux, by the build that is not for routers.
type reading struct{}

func (*Chosen) readHeaders(run *record.Run) reading {
	run.Skipped = append(run.Skipped, record.Skip{Step: "headers of the packets", Why: "this build reads none"})
	return reading{}
}

func (reading) kept(time.Time, *record.Run) *record.Packets { return nil }
