package tape

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"unchoke/internal/live"
	"unchoke/internal/pack"
)

// Info is what a recording says of itself.
type Info struct {
	Host     string  `json:"host,omitempty"`
	Kernel   string  `json:"kernel,omitempty"`
	Version  string  `json:"version,omitempty"` // of unchoke
	Filter   string  `json:"filter,omitempty"`  // which flows were recorded; empty for all
	Interval float64 `json:"interval_s"`        // that was asked for
}

// header is the first frame's document.
type header struct {
	Info
	Fields []field `json:"fields"`
}

// A frame ends once the differences in it are as large as its first snapshot, so
// that no more than half of a recording is for jumping, but not before shortest,
// and after longest in any case: this much is lost where the recorder is killed.
const (
	shortest = 10 * time.Second
	longest  = time.Minute
	largest  = 16 << 20 // bytes before they are packed
)

// Writer writes a recording. It is not safe for several goroutines.
type Writer struct {
	w      io.Writer
	enc    encoder
	begun  time.Time // of the frame's first snapshot; zero where none is open
	newest time.Time
	first  int // bytes of the frame's first snapshot
	count  uint32
	total  uint32
	packed bytes.Buffer
}

// NewWriter begins a recording.
func NewWriter(w io.Writer, info Info) (*Writer, error) {
	text, err := json.Marshal(header{info, fields})
	if err != nil {
		return nil, err
	}
	out := fmt.Appendf(nil, "%s%d\n", titleLine, format)
	out = append(appendHead(out, headerFrame, time.Time{}, 0, len(text)), text...)
	_, err = w.Write(out)
	return &Writer{w: w}, err
}

func appendHead(b []byte, typ byte, at time.Time, snapshots uint32, length int) []byte {
	var ns int64
	if !at.IsZero() {
		ns = at.UnixNano()
	}
	b = append(b, typ)
	b = binary.BigEndian.AppendUint64(b, uint64(ns))
	b = binary.BigEndian.AppendUint32(b, snapshots)
	return binary.BigEndian.AppendUint32(b, uint32(length))
}

// Write adds a snapshot.
func (w *Writer) Write(s *live.Snapshot) error {
	if w.count > 0 && w.full(s.Time) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.count == 0 {
		w.begun = s.Time
		w.enc.begin()
	}
	if err := w.enc.snapshot(s); err != nil {
		return err
	}
	if w.count == 0 {
		w.first = len(w.enc.out)
	}
	w.count++
	w.newest = s.Time
	return nil
}

func (w *Writer) full(now time.Time) bool {
	age := now.Sub(w.begun)
	return age >= longest || age < 0 || len(w.enc.out) >= largest || age >= shortest && len(w.enc.out) >= 2*w.first
}

// flush writes the open frame.
func (w *Writer) flush() error {
	if w.count == 0 {
		return nil
	}
	w.packed.Reset()
	if err := pack.Gzip(&w.packed, nil, w.enc.out); err != nil {
		return err
	}
	out := append(appendHead(nil, snapshotsFrame, w.begun, w.count, w.packed.Len()), w.packed.Bytes()...)
	w.total += w.count
	w.count = 0
	_, err := w.w.Write(out)
	return err
}

// Close writes what is left and the end. It does not close what it writes to.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	_, err := w.w.Write(appendHead(nil, endFrame, w.newest, w.total, 0))
	return err
}
