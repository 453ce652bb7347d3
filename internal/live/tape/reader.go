package tape

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/live"
)

// Reader reads a recording. It is not safe for several goroutines.
type Reader struct {
	info   Info
	fields []field
	file   io.ReaderAt
	frames []frame
	end    time.Time // as the end says; zero where there is none
	fault  error     // why there is no more behind the last frame

	next   int      // frame to be opened
	open   *decoder // of the one before; nil where none is open
	ahead  []*live.Snapshot
	failed error // what Seek met behind those, for Next
}

// frame is where one stands.
type frame struct {
	at     int64 // of what it holds, bytes
	length int64
	time   time.Time
}

// Open reads what a recording says of itself, and where its frames are. A file
// that is something else is ErrNotRecording, one of a newer format *NewerError.
func Open(file io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{file: file}
	at, err := r.title(size)
	if err != nil {
		return nil, err
	}
	typ, f, err := r.head(at, size)
	if err != nil || typ != headerFrame || f.length > mostHeader || f.at+f.length > size {
		return nil, ErrNotRecording
	}
	var h header
	document := make([]byte, f.length)
	if _, err := file.ReadAt(document, f.at); err != nil {
		return nil, err
	}
	if json.Unmarshal(document, &h) != nil {
		return nil, ErrNotRecording
	}
	r.info, r.fields = h.Info, h.Fields
	for _, x := range h.Fields {
		switch x.Kind {
		case text, boolean, integer, figure, since:
		default:
			return nil, &DamagedError{f.at, "a field of kind " + strconv.Quote(string(x.Kind))}
		}
	}
	known(r.fields)
	return r, r.index(f.at+f.length, size)
}

// title reads the first line.
func (r *Reader) title(size int64) (next int64, err error) {
	b := make([]byte, min(size, 64))
	if _, err := r.file.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	line, _, whole := strings.Cut(string(b), "\n")
	digits, is := strings.CutPrefix(line, titleLine)
	n, err := strconv.Atoi(digits)
	switch {
	case !whole || !is || err != nil || n < 1:
		return 0, ErrNotRecording
	case n > format:
		return 0, &NewerError{n}
	}
	return int64(len(line) + 1), nil
}

func (r *Reader) head(at, size int64) (typ byte, f frame, err error) {
	var b [headSize]byte
	if at+headSize > size {
		return 0, f, io.ErrUnexpectedEOF
	}
	if _, err := r.file.ReadAt(b[:], at); err != nil && !errors.Is(err, io.EOF) {
		return 0, f, err
	}
	ns := int64(binary.BigEndian.Uint64(b[1:]))
	return b[0], frame{at + headSize, int64(binary.BigEndian.Uint32(b[13:])), time.Unix(0, ns)}, nil
}

// errCut says that there is no end.
var errCut = errors.New("the recording has no end: it was cut off")

// index goes from head to head. A frame that the file does not hold whole is
// read as far as it goes.
func (r *Reader) index(at, size int64) error {
	for {
		typ, f, err := r.head(at, size)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			r.fault = errCut
			return nil
		case err != nil:
			return err
		case typ == endFrame:
			r.end = f.time
			return nil
		case typ != snapshotsFrame || f.length > mostPacked:
			r.fault = &DamagedError{at, "no frame begins there"}
			return nil
		}
		if f.at+f.length > size {
			f.length = size - f.at
			r.fault = errCut
		}
		r.frames = append(r.frames, f)
		if r.fault != nil {
			return nil
		}
		at = f.at + f.length
	}
}

// Info is what the recording says of itself.
func (r *Reader) Info() Info { return r.info }

// Start is the time of the first snapshot; zero where there is none.
func (r *Reader) Start() time.Time {
	if len(r.frames) == 0 {
		return time.Time{}
	}
	return r.frames[0].time
}

// Length is the time from the first snapshot to the last. Where the recording was
// cut off, it is to the first of the last frame.
func (r *Reader) Length() time.Duration {
	switch {
	case len(r.frames) == 0:
		return 0
	case !r.end.IsZero():
		return r.end.Sub(r.Start())
	}
	return r.frames[len(r.frames)-1].time.Sub(r.Start())
}

// Fault is why the recording ends where it does: nil where somebody ended it.
// Next returns io.EOF all the same, behind what is there.
func (r *Reader) Fault() error { return r.fault }

// Next is the next snapshot. io.EOF: there is none. A snapshot within the
// recording that cannot be read is a *DamagedError.
func (r *Reader) Next() (*live.Snapshot, error) {
	if len(r.ahead) > 0 {
		s := r.ahead[0]
		r.ahead = r.ahead[1:]
		return s, nil
	}
	if err := r.failed; err != nil {
		r.failed = nil
		return nil, err
	}
	for {
		if r.open == nil {
			if r.next >= len(r.frames) {
				return nil, io.EOF
			}
			if err := r.enter(r.next); err != nil {
				return nil, r.broken(err)
			}
		}
		s, err := r.open.snapshot()
		if errors.Is(err, io.EOF) {
			r.open = nil
			continue
		}
		if err != nil {
			r.open = nil
			return nil, r.broken(err)
		}
		return s, nil
	}
}

// broken is what an error of the frame that was opened last means: that it ends
// in the midst is how a recording that was cut off ends.
func (r *Reader) broken(err error) error {
	last := r.next == len(r.frames)
	at := r.frames[r.next-1].at
	r.next = len(r.frames)
	if last && errors.Is(r.fault, errCut) && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)) {
		return io.EOF
	}
	return &DamagedError{at, err.Error()}
}

// enter opens a frame.
func (r *Reader) enter(i int) error {
	r.next = i + 1
	f := r.frames[i]
	z, err := gzip.NewReader(io.NewSectionReader(r.file, f.at, f.length))
	if err != nil {
		return err
	}
	r.open = newDecoder(z, r.fields)
	return nil
}

// Seek goes to a time since the beginning: Next then gives the last snapshot that
// is not behind it, or the first one. What cannot be read on the way is an error of
// Next, behind what is there.
func (r *Reader) Seek(to time.Duration) {
	r.ahead, r.failed = nil, nil
	if len(r.frames) == 0 {
		return
	}
	until := r.Start().Add(to)
	i := 0
	for i+1 < len(r.frames) && !r.frames[i+1].time.After(until) {
		i++
	}
	r.open, r.next = nil, i
	var seen []*live.Snapshot // the last one
	for {
		s, err := r.Next()
		if err != nil {
			r.ahead, r.failed = seen, err
			return
		}
		if len(seen) > 0 && s.Time.After(until) {
			r.ahead = append(seen, s)
			return
		}
		seen = []*live.Snapshot{s}
	}
}
