package seen

import (
	"net/netip"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/wire"
)

// Hole is what a direction does to large packets: up to a size they pass, and
// what is larger vanishes without a word.
type Hole struct {
	Still  *record.Transfer    // the stream that stood still; never nil
	Fitted *record.Transfer    // the one whose segments pass, nil where none was run
	Test   *record.SegmentTest // streams of several sizes side by side, nil where none ran
	MSS    int                 // the largest bound of segments that passed, bytes
	MTU    int                 // the packet of such a segment, bytes
}

// HoleIn finds it, nil where there is none. A stream that stands still from its
// first full segment is the sign. The proof is in streams that ran side by side
// in the same seconds: those with smaller segments arrived. Without them,
// echoes of which the large ones alone vanish must do.
func HoleIn(r *record.Run, d record.Direction) *Hole {
	h := Hole{Still: StillStream(r, d), Test: r.LastSegmentTest(d)}
	if h.Still == nil {
		return nil
	}
	address, _ := netip.ParseAddr(r.Route.Address) // an unknown one counts as IPv4
	headers := wire.Headers(address)
	if h.Test != nil {
		vanished := false
		if h.MSS, vanished = h.Test.Largest(); !vanished {
			return nil
		}
	} else if passed, vanished := EchoSizes(r, false).Largest(); vanished > 0 {
		h.MSS = passed - headers
	}
	if h.MSS <= 0 {
		return nil
	}
	h.MTU = h.MSS + headers
	for i := range r.Transfers {
		if t := &r.Transfers[i]; t.Direction == d && t.Streams == 1 && t.MSS > 0 && t.Rate > 0 {
			h.Fitted = t
		}
	}
	return &h
}

// StillStream is the direction's stream without a bound on its segments, where
// it stood still.
func StillStream(r *record.Run, d record.Direction) *record.Transfer {
	for i := range r.Transfers {
		t := &r.Transfers[i]
		if t.Direction == d && t.Streams == 1 && t.MSS == 0 && flow.StoodStill(t) {
			return t
		}
	}
	return nil
}

// EchoSizes is what echoes told of sizes, inside a tunnel or outside.
func EchoSizes(r *record.Run, outside bool) record.PacketSizes {
	for _, p := range r.PacketSizes {
		if p.Outside == outside {
			return p
		}
	}
	return record.PacketSizes{}
}

// OneStream is the direction's one stream that carried something: of several alike the
// longest, which is the nearest to what a stream carries in the long run. Of a path on
// which large packets vanish it is one whose segments pass.
func OneStream(r *record.Run, d record.Direction) *record.Transfer {
	var one *record.Transfer
	for i := range r.Transfers {
		t := &r.Transfers[i]
		if t.Direction != d || t.Protocol != record.TCP || t.Streams != 1 || t.Rate <= 0 || flow.StoodStill(t) {
			continue
		}
		if one == nil || t.MSS == one.MSS && t.Duration > one.Duration {
			one = t
		}
	}
	return one
}
