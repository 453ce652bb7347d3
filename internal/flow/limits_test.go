package flow

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// The series are of a sender on a lab path (rtt=50ms,rate=100mbit) that never
// had anything left to send: one writes 20 kB every 40 ms, one 1 kB every 2 ms,
// and one as much as a socket with SO_SNDBUF=64 KiB takes. The kernel's own
// account (tcpi_sndbuf_limited) is 0 in all three, and it marks all three as
// limited by the application.
func TestStarvedSender(t *testing.T) {
	const autotuned, fixed = 4 << 20, 64 << 10 // bytes that the buffer may hold
	for _, c := range []struct {
		file   string
		buffer int64
		share  func(Limits) float64
	}{
		{"chunks", autotuned, func(l Limits) float64 { return l.App }},
		{"small-writes", autotuned, func(l Limits) float64 { return l.App }},
		{"full-buffer", fixed, func(l Limits) float64 { return l.SendBuffer }},
		{"full-buffer", 0, func(l Limits) float64 { return l.Starved }},
		{"chunks", 0, func(l Limits) float64 { return l.Starved }},
	} {
		l := LimitsOf(load(t, c.file), Since(2), c.buffer)
		if c.share(l) < 0.95 || l.Network > 0.05 {
			t.Errorf("%s with a buffer of %d bytes: %+v", c.file, c.buffer, l)
		}
	}
}

// Without window scaling no header has room for more than 64 KiB, whatever the kernel
// counts; where nobody knows the scale, its count stands.
func TestAdvertisedFitsTheHeader(t *testing.T) {
	for _, c := range []struct {
		length int
		scale  uint8
		want   float64
	}{
		{int(tcpinfo.FieldRcvWnd) + 4, 0, 65535},
		{int(tcpinfo.FieldRcvWnd) + 4, 7, 415576},
		{0, 0, 415576},
	} {
		s := record.Series{}
		for at := range 3 {
			s.Samples = append(s.Samples, record.Sample{At: float64(at), Info: tcpinfo.Info{Length: c.length, RcvWscale: c.scale, RcvWnd: 415576}})
		}
		if got := Advertised(s, All); got != c.want {
			t.Errorf("scale %d of %d bytes: %v, want %v", c.scale, c.length, got, c.want)
		}
	}
}

// A kernel before 6.2 does not tell the window, but the threshold that it grows to.
func TestAdvertisedByAnOldKernel(t *testing.T) {
	s := record.Series{}
	for at := range 3 {
		s.Samples = append(s.Samples, record.Sample{At: float64(at), Info: tcpinfo.Info{Length: int(tcpinfo.FieldRcvWnd) - 4, RcvWscale: 7, RcvSsthresh: 415576}})
	}
	if got := Advertised(s, All); got != 415576 {
		t.Errorf("%v", got)
	}
}

func load(t *testing.T, name string) record.Series {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var s record.Series
	if err := json.NewDecoder(z).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}
