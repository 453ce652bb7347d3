package tape

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"time"

	"unchoke/internal/live"
)

// encoder writes the snapshots of a frame, before they are packed:
//
//	snapshot = length uvarint · JSON without flows · flows uvarint · { flow }
//	flow     = from uvarint · changed uvarint · { gap uvarint · value }
//
// from is 0 for a new flow, whose fields are 0 and empty, else 1 + the zigzag of
// how far the flow stands in the snapshot before from the one that is expected:
// that after the last flow's. gap is how many fields stand between the one
// changed before and this.
type encoder struct {
	out    []byte
	texts  map[string]uint64
	before *live.Snapshot
	places map[string]int // of before's flows, by ID
	began  [][]int64      // since values of before's flows: ms
	buf    []byte
}

// begin begins a frame.
func (e *encoder) begin() {
	e.out, e.texts, e.before, e.places, e.began = e.out[:0], map[string]uint64{}, nil, nil, nil
}

func (e *encoder) snapshot(s *live.Snapshot) error {
	outline := *s
	outline.Flows = nil
	text, err := json.Marshal(outline)
	switch {
	case err != nil:
		return err
	case len(text) > mostOutline || len(s.Flows) > mostFlows:
		return fmt.Errorf("record a snapshot: %d flows and %d bytes of notes are more than a recording takes", len(s.Flows), len(text))
	}
	e.out = binary.AppendUvarint(e.out, uint64(len(text)))
	e.out = append(e.out, text...)
	e.out = binary.AppendUvarint(e.out, uint64(len(s.Flows)))
	places := make(map[string]int, len(s.Flows))
	began := make([][]int64, len(s.Flows))
	expected := 0
	for i := range s.Flows {
		f := &s.Flows[i]
		places[f.ID] = i
		old, oldBegan := &live.Flow{}, []int64(nil)
		if at, is := e.places[f.ID]; is {
			old, oldBegan = &e.before.Flows[at], e.began[at]
			e.out = binary.AppendUvarint(e.out, 1+zigzag(int64(at-expected)))
			expected = at + 1
		} else {
			e.out = append(e.out, 0)
		}
		began[i] = e.flow(s.Time, f, old, oldBegan)
	}
	e.before, e.places, e.began = s, places, began
	return nil
}

// flow writes the fields that differ, and returns when its since fields began.
func (e *encoder) flow(now time.Time, f, old *live.Flow, oldBegan []int64) []int64 {
	began := make([]int64, 0, len(sinceKeys))
	changed, last := uint64(0), -1
	e.buf = e.buf[:0]
	v, o := reflect.ValueOf(f).Elem(), reflect.ValueOf(old).Elem()
	for i := range fields {
		x := &fields[i]
		a, b := v.FieldByIndex(x.index), o.FieldByIndex(x.index)
		from := len(e.buf)
		e.buf = binary.AppendUvarint(e.buf, uint64(i-last-1))
		differs := false
		switch x.Kind {
		case text:
			if differs = !sameText(a, b); differs {
				e.text(textOf(a))
			}
		case boolean:
			if differs = a.Bool() != b.Bool(); differs {
				e.buf = append(e.buf, map[bool]byte{true: 1}[a.Bool()])
			}
		case integer:
			if differs = integerOf(a) != integerOf(b); differs {
				e.buf = binary.AppendUvarint(e.buf, zigzag(int64(integerOf(a)-integerOf(b))))
			}
		case figure:
			if differs = a.Float() != b.Float(); differs {
				m, exp := decimal(a.Float())
				e.buf = binary.AppendUvarint(e.buf, zigzag(m))
				e.buf = binary.AppendUvarint(e.buf, zigzag(int64(exp)))
			}
		case since:
			before := int64(0)
			if oldBegan != nil {
				before = oldBegan[len(began)]
			}
			at := begin(now, a.Float(), before)
			if differs = at != before; differs {
				e.buf = binary.AppendUvarint(e.buf, zigzag(at-before))
			}
			began = append(began, at)
		}
		if !differs {
			e.buf = e.buf[:from]
			continue
		}
		changed++
		last = i
	}
	e.out = binary.AppendUvarint(e.out, changed)
	e.out = append(e.out, e.buf...)
	return began
}

// still is by how much a beginning may seem to move and be the same: the kernel
// counts in steps of up to 10 ms.
const still = 10 // ms

// begin is when what has lasted for so many seconds began, in ms since 1970; what
// was before where that differs by little.
func begin(now time.Time, seconds float64, before int64) int64 {
	at := now.UnixMilli() - int64(math.Round(min(max(seconds, 0), 1e9)*1e3))
	if d := at - before; d >= -still && d <= still {
		return before
	}
	return at
}

// text writes a text: its number in the frame's list, or 0 and the text, which
// that becomes part of.
func (e *encoder) text(s string) {
	if len(s) > mostText {
		s = s[:mostText]
	}
	if n, is := e.texts[s]; is {
		e.buf = binary.AppendUvarint(e.buf, n)
		return
	}
	e.texts[s] = uint64(len(e.texts) + 1)
	e.buf = append(e.buf, 0)
	e.buf = binary.AppendUvarint(e.buf, uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// zigzag makes small numbers of either sign small ones.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
