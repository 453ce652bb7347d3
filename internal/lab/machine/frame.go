// Package machine runs a job in a User-Mode Linux kernel in virtual time: it
// boots the kernel with this very program as init, and carries standard
// streams, signals and the exit status between the two over one serial line.
package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A frameType says what a frame's payload is.
type frameType byte

// Frames from init to its user.
const (
	frameReady     frameType = 'h' // init listens: the kernel drops what came before; no payload; the first frame
	frameBeat      frameType = 'b' // virtual time goes on; no payload
	frameStdout    frameType = 'o' // near's standard output
	frameStderr    frameType = 'e' // near's standard error
	frameFarOutput frameType = 'f' // what far wrote
	frameNotice    frameType = 'n' // a message to the user
	frameTaken     frameType = 't' // a chunk of standard input has been read; no payload
	frameExit      frameType = 'x' // near's exit status, 4 bytes; the last frame
	frameFailure   frameType = '!' // a stage.Failure as JSON; the last frame
)

// Frames from the user to init.
const (
	frameInput  frameType = 'i' // number of a chunk of standard input, 8 bytes
	frameEOF    frameType = '.' // standard input has ended; no payload
	frameSignal frameType = 's' // a signal for near's processes, 1 byte
	frameWindow frameType = 'w' // rows and columns of the terminal, 2 bytes each
)

// maxPayload bounds a frame, so that neither end can make the other allocate
// without limit. It is also the size in which output is read: of 4 KiB to
// 256 KiB, nothing above 32 KiB was faster.
const maxPayload = 32 << 10

// header is the type and the payload's length.
const headerSize = 1 + 4

var errFrameSize = errors.New("frame too long")

// A frame is one message on the serial line.
type frame struct {
	kind    frameType
	payload []byte
}

// appendFrame appends the frame's form on the wire to buf.
func appendFrame(buf []byte, f frame) []byte {
	buf = append(buf, byte(f.kind))
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(f.payload)))
	return append(buf, f.payload...)
}

// readFrame reads one frame. The payload is in buf where it fits, and so valid
// until the next call. It returns io.EOF only at the border of two frames.
func readFrame(r io.Reader, buf []byte) (frame, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return frame{}, err
	}
	n := binary.BigEndian.Uint32(header[1:])
	if n > maxPayload {
		return frame{}, fmt.Errorf("%w: %d bytes of type %q", errFrameSize, n, header[0])
	}
	if int(n) > len(buf) {
		buf = make([]byte, n)
	}
	payload := buf[:n]
	if _, err := io.ReadFull(r, payload); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return frame{}, err
	}
	return frame{frameType(header[0]), payload}, nil
}
