package tui

import (
	"fmt"
	"time"
)

// Tape is a source that plays a recording. Its methods may be called while
// another goroutine waits in Next.
type Tape interface {
	// Position is the time since the recording's beginning, and its length: 0
	// where that is not known.
	Position() (at, length time.Duration)
	// Seek goes to a time since the beginning; Next then gives what was there.
	Seek(to time.Duration)
	// Pause holds Next up, but for one snapshot after a Seek.
	Pause(bool)
	Paused() bool
	// SetSpeed plays so many times as fast as it was; 0: as fast as it is read.
	SetSpeed(float64)
	Speed() float64
}

// seekStep is how far a key winds; seekFar with shift.
const (
	seekStep = 10 * time.Second
	seekFar  = time.Minute
)

// Speeds of a tape.
const (
	slowest = 1.0 / 16
	fastest = 256
)

// faster plays by a factor faster, within bounds. As fast as it is read counts
// as more than the fastest.
func faster(t Tape, by float64) {
	speed := t.Speed() * by
	if speed == 0 {
		speed = fastest
	}
	t.SetSpeed(min(max(speed, slowest), fastest))
}

// wind seeks from where the tape is.
func wind(t Tape, by time.Duration) {
	at, _ := t.Position()
	t.Seek(max(at+by, 0))
}

// tapeLine says where a tape is.
func tapeLine(t Tape) string {
	at, length := t.Position()
	state := "playing"
	switch {
	case t.Paused():
		state = "paused"
	case length > 0 && at >= length:
		state = "at its end"
	}
	line := fmt.Sprintf("recording %s  %s", state, clock(at))
	if length > 0 {
		line += " of " + clock(length)
	}
	if speed := t.Speed(); speed > 0 {
		line += fmt.Sprintf("  ×%.3g", speed)
	}
	return line
}

// clock prints a position: 03:07, 1:02:03.
func clock(d time.Duration) string {
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}
