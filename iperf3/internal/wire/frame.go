package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds of the JSON that a peer may send, in bytes. Parameters are small;
// results grow with the streams, and those of a server with what it printed.
const (
	MaxParams        = 16 << 10
	MaxTitle         = 4 << 10
	MaxClientResults = 256 << 10
	MaxServerResults = 16 << 20
)

var errFrameSize = errors.New("JSON of impossible size")

// WriteJSON writes one framed document: its length in 32 bits, big-endian,
// then itself.
func WriteJSON(w io.Writer, v any) error {
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(doc)), uint32(len(doc)))
	_, err = w.Write(append(frame, doc...))
	return err
}

// ReadJSON reads one framed document of at most limit bytes into v.
func ReadJSON(r io.Reader, limit int, v any) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n == 0 || n > uint32(limit) {
		return fmt.Errorf("%w: %d bytes, at most %d", errFrameSize, n, limit)
	}
	// A peer that announces much and sends little costs no memory.
	doc, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return err
	}
	if len(doc) < int(n) {
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(doc, v)
}
