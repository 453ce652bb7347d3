package echo

import (
	"encoding/binary"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestDecodeStamp(t *testing.T) {
	want := time.Unix(1700000000, 123456789)
	long := binary.NativeEndian.AppendUint64(nil, 1700000000)
	long = binary.NativeEndian.AppendUint64(long, 123456789)
	short := binary.NativeEndian.AppendUint32(nil, 1700000000)
	short = binary.NativeEndian.AppendUint32(short, 123456789)
	for _, b := range [][]byte{long, short} {
		if got, ok := decodeStamp(b); !ok || !got.Equal(want) {
			t.Errorf("decodeStamp(%x) = %v, %v", b, got, ok)
		}
	}
	for _, b := range [][]byte{nil, long[:15], short[:4]} {
		if _, ok := decodeStamp(b); ok {
			t.Errorf("decodeStamp(%x) accepted", b)
		}
	}
	if _, ok := stampOf(long[:9]); ok {
		t.Error("a truncated control message gave a stamp")
	}
}

func TestArrivalIsBounded(t *testing.T) {
	now := time.Now()
	p := &icmp{drained: now.Add(-20 * time.Millisecond)}
	if got := p.arrival(nil, now); !got.Equal(now) {
		t.Errorf("without a stamp: %v, want now", got)
	}
	for _, c := range []struct{ age, want time.Duration }{
		{5 * time.Millisecond, 5 * time.Millisecond},
		{-time.Hour, 0},                    // the clock stepped back
		{time.Hour, 20 * time.Millisecond}, // or forth
	} {
		stamp := now.Add(-c.age)
		b := binary.NativeEndian.AppendUint64(nil, uint64(stamp.Unix()))
		b = binary.NativeEndian.AppendUint64(b, uint64(stamp.Nanosecond()))
		if got := now.Sub(p.arrival(control(b), now)); got != c.want {
			t.Errorf("stamp %v old: arrival %v ago, want %v", c.age, got, c.want)
		}
	}
}

// control wraps a stamp in its control message.
func control(stamp []byte) []byte {
	b := make([]byte, unix.CmsgSpace(len(stamp)))
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level, h.Type = unix.SOL_SOCKET, stampMessage
	h.SetLen(unix.CmsgLen(len(stamp)))
	copy(b[unix.CmsgLen(0):], stamp)
	return b
}
