package web

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Tape is a recording that is being played. Its methods may be called while
// snapshots are published.
type Tape interface {
	// Position is the time since the recording's beginning, and its length: 0
	// where that is not known.
	Position() (at, length time.Duration)
	// Seek goes to a time since the beginning; a snapshot is published then, also
	// of one that is paused.
	Seek(to time.Duration)
	Pause(bool)
	Paused() bool
	// SetSpeed plays so many times as fast as it was; 0: as fast as it is read.
	SetSpeed(float64)
	Speed() float64
}

// tapeState is where a tape is, for the page. Each page controls the one tape
// that all pages show.
type tapeState struct {
	At     float64 `json:"at_s"`
	Length float64 `json:"length_s,omitempty"` // 0 where it is not known
	Paused bool    `json:"paused"`
	Speed  float64 `json:"speed"` // 0: as fast as it is read
}

func stateOf(t Tape) *tapeState {
	if t == nil {
		return nil
	}
	at, length := t.Position()
	return &tapeState{At: at.Seconds(), Length: length.Seconds(), Paused: t.Paused(), Speed: t.Speed()}
}

// tapePath is where a page posts what it wants of the tape, in the query.
const tapePath = "/tape"

// fastest is the highest speed that a page may ask for besides 0.
const fastest = 1e6

// turn reads what a page wants of the tape: paused=1 or 0, to=SECONDS or
// by=SECONDS, speed=FACTOR.
func turn(t Tape, v url.Values) error {
	number := func(key string, low, high float64) (float64, error) {
		n, err := strconv.ParseFloat(v.Get(key), 64)
		if err != nil || math.IsNaN(n) || n < low || n > high {
			return 0, fmt.Errorf("%s=%q: it is a number from %g to %g", key, v.Get(key), low, high)
		}
		return n, nil
	}
	// A recording of a year is longer than any, and no duration overflows.
	const longest = 366 * 24 * 3600
	switch {
	case v.Has("paused"):
		on := v.Get("paused")
		if on != "0" && on != "1" {
			return fmt.Errorf("paused=%q is neither 0 nor 1", on)
		}
		t.Pause(on == "1")
	case v.Has("to"):
		to, err := number("to", 0, longest)
		if err != nil {
			return err
		}
		t.Seek(seconds(to))
	case v.Has("by"):
		by, err := number("by", -longest, longest)
		if err != nil {
			return err
		}
		at, _ := t.Position()
		t.Seek(max(at+seconds(by), 0))
	case v.Has("speed"):
		speed, err := number("speed", 0, fastest)
		if err != nil {
			return err
		}
		t.SetSpeed(speed)
	default:
		return errors.New("nothing is asked of the recording: paused, to, by or speed")
	}
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// tape turns the tape. The pages hear of it by their streams: of a place by the
// snapshot there, of all else by the newest look, once more.
func (s *Server) tape(w http.ResponseWriter, r *http.Request) {
	if err := turn(s.options.Tape, r.URL.Query()); err != nil {
		http.Error(w, "unchoke: "+err.Error(), http.StatusBadRequest)
		return
	}
	if v := r.URL.Query(); !v.Has("to") && !v.Has("by") {
		s.feed.again()
	}
	w.WriteHeader(http.StatusNoContent)
}
