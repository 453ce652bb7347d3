//go:build !slim

package watching

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"unchoke/internal/probe/headers"
	"unchoke/internal/record"
)

// reading is the headers of the connection's packets, being read; empty where they
// are not.
type reading struct{ *headers.Following }

// readHeaders begins to read the headers of the connection's packets, and says in the
// record where it may not.
func (c *Chosen) readHeaders(run *record.Run) reading {
	f := &c.flow
	h, err := headers.Follow(cmp.Or(f.Device, run.Route.Device), f.Local, f.Remote, sends(f), int(f.SegmentSize))
	if err != nil {
		run.Skipped = append(run.Skipped, record.Skip{Step: "headers of the packets", Why: refused(err)})
	}
	return reading{h}
}

// kept ends the reading, and says in the record what was missed.
func (r reading) kept(since time.Time, run *record.Run) *record.Packets {
	if r.Following == nil {
		return nil
	}
	p, err := r.End(since)
	if err != nil {
		run.Warnings = append(run.Warnings, "headers of the packets: "+err.Error())
	}
	if p != nil && p.Missed > 0 {
		run.Warnings = append(run.Warnings, fmt.Sprintf("this host was too busy to read the headers of %d packets: what the others tell is less certain", p.Missed))
	}
	return p
}

// refused is why no headers were read, and what would help.
func refused(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "they take root (CAP_NET_RAW), and tell much of the path: sudo unchoke check --flow …"
	}
	return err.Error()
}
