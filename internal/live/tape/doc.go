// Package tape reads and writes recordings of `unchoke watch`: the snapshots of a
// while, packed, with places to jump to. docs/watch.md describes the format:
//
//	recording = line header { frame } end
//	line      = "unchoke watch recording, format 1" LF
//	header    = 'H' head JSON: what was recorded, and the fields of a flow
//	frame     = 'S' head gzip { snapshot }
//	end       = 'E' head
//	head      = time int64, ns since 1970 · snapshots uint32 · length uint32, of
//	            what follows, all big-endian
//
// Each frame stands by itself: in its first snapshot all flows are new, in the
// others what differs from the snapshot before. A recording that was cut off has
// no end, and is read as far as it goes. Fields have names and kinds, so that
// ones which a reader does not know are passed over; a format of a higher number
// is refused.
//
// Figures keep six significant digits, the ages of flows and how long they have
// been idle 10 ms. The verdict is not recorded: it follows from the figures.
package tape

import (
	"errors"
	"fmt"
)

const (
	titleLine = "unchoke watch recording, format "
	format    = 1

	headSize = 1 + 8 + 4 + 4

	headerFrame    = 'H'
	snapshotsFrame = 'S'
	endFrame       = 'E'
)

// Limits of what a reader takes. They bound what a broken recording costs: flows
// take a KB each and a few bytes of a file, so that most of it is theirs, some
// hundreds of MB.
const (
	mostHeader  = 1 << 20   // bytes
	mostPacked  = 256 << 20 // bytes of a frame
	mostFlows   = 100_000   // of a snapshot
	mostText    = 1 << 16   // bytes of a name
	mostTexts   = 16 << 20  // bytes of all names of a frame
	mostOutline = 1 << 20   // bytes of a snapshot without its flows
)

// ErrNotRecording is of a file that is something else.
var ErrNotRecording = errors.New("this is no recording of unchoke watch")

// NewerError is of a recording that a newer unchoke made.
type NewerError struct{ Format int }

func (e *NewerError) Error() string {
	return fmt.Sprintf("the recording has format %d, and this unchoke reads format %d", e.Format, format)
}

// Hint is the next step.
func (e *NewerError) Hint() string { return "a newer unchoke reads it" }

// DamagedError is of a recording with something else at a place.
type DamagedError struct {
	At   int64 // bytes
	What string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the recording is damaged at byte %d: %s", e.At, e.What)
}
