package datagram

import (
	"testing"
	"time"
)

func FuzzHeader(f *testing.F) {
	p := make([]byte, headerSize64)
	Header{Sent: 3*time.Second + 4*time.Microsecond, Seq: 5}.Put(p, true)
	f.Add(p, true)
	f.Add(p[:headerSize32], false)
	f.Add([]byte{}, true)
	f.Fuzz(func(t *testing.T, p []byte, wide bool) {
		h, ok := ParseHeader(p, wide)
		if !ok {
			return
		}
		var s Sequence
		s.Add(h, len(p), 0)
		s.Add(Header{Seq: 1}, len(p), 0)
		if s.Lost() < 0 || s.arrived < 0 || s.arrived > 2 {
			t.Errorf("%+v: lost %d, arrived %d", h, s.Lost(), s.arrived)
		}
		again := make([]byte, headerSize64)
		if h.Sent%time.Second < time.Second && h.Sent/time.Second <= 1<<32-1 {
			h.Put(again, wide)
			if got, _ := ParseHeader(again, wide); got != h {
				t.Errorf("%+v became %+v", h, got)
			}
		}
	})
}
