package machine

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

func TestFramesInverse(t *testing.T) {
	frames := []frame{
		{frameReady, nil},
		{frameStdout, []byte("hello\x00\xff\n")},
		{frameSignal, []byte{2}},
		{frameStderr, bytes.Repeat([]byte{frameByte}, maxPayload)},
		{frameExit, []byte{0, 0, 0, 137}},
	}
	var wire []byte
	for _, f := range frames {
		wire = appendFrame(wire, f)
	}
	r := bytes.NewReader(wire)
	buf := make([]byte, 8) // shorter than some payloads
	for _, want := range frames {
		got, err := readFrame(r, buf)
		if err != nil {
			t.Fatalf("frame %q: %v", want.kind, err)
		}
		if got.kind != want.kind || !bytes.Equal(got.payload, want.payload) {
			t.Errorf("frame %q came back as %q with %d bytes, want %d", want.kind, got.kind, len(got.payload), len(want.payload))
		}
	}
	if _, err := readFrame(r, buf); err != io.EOF {
		t.Errorf("after the last frame: %v, want EOF", err)
	}
}

// frameByte would be taken for a header by a reader that lost its place.
const frameByte = byte(frameStderr)

func TestFrameCutShort(t *testing.T) {
	wire := appendFrame(nil, frame{frameStdout, []byte("hello")})
	for n := 1; n < len(wire); n++ {
		if _, err := readFrame(bytes.NewReader(wire[:n]), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: %v, want unexpected EOF", n, len(wire), err)
		}
	}
}

func TestFrameTooLong(t *testing.T) {
	wire := appendFrame(nil, frame{frameStdout, make([]byte, maxPayload+1)})
	if _, err := readFrame(bytes.NewReader(wire), nil); !errors.Is(err, errFrameSize) {
		t.Errorf("%d bytes of payload: %v, want %v", maxPayload+1, err, errFrameSize)
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add(appendFrame(nil, frame{frameExit, []byte{0, 0, 0, 1}}))
	f.Add([]byte{'o', 0, 0, 0, 9, 'x'})
	f.Add([]byte{'o', 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := bytes.NewReader(wire)
		var again []byte
		for {
			got, err := readFrame(r, nil)
			if err != nil {
				break
			}
			again = appendFrame(again, got)
		}
		if !bytes.HasPrefix(wire, again) {
			t.Fatalf("% x was read as % x", wire, again)
		}
	})
}
