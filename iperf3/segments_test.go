package iperf3

import (
	"runtime"
	"testing"
	"time"
)

// Streams of one test have segments of different sizes, both ways, although the
// server is told nothing.
func TestSegments(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("TCP_INFO tells segment sizes on Linux only")
	}
	addr, _ := serve(t, &Server{})
	bounds := []int{0, 1400, 900}
	for _, reverse := range []bool{false, true} {
		r := run(t, addr, Test{Duration: 300 * time.Millisecond, Streams: 4, Reverse: reverse, Segments: bounds})
		for i, s := range r.Streams {
			info := s.Samples[len(s.Samples)-1].Info
			size := int(info.SndMSS)
			if reverse {
				size = int(info.RcvMSS)
			}
			bound := bounds[min(i, len(bounds)-1)]
			if bound > 0 && size > bound || bound == 0 && size <= 1400 || s.Bytes == 0 {
				t.Errorf("reverse %v, stream %d: segments of %d, %d bytes; the bound is %d", reverse, s.ID, size, s.Bytes, bound)
			}
		}
	}
	if _, err := (Test{Segments: []int{0, 40}}).withDefaults(); err == nil {
		t.Error("segments of 40 bytes are accepted")
	}
}

// The control connection keeps to its own bound, and datagrams that are fitted
// to it with it.
func TestControlMSS(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux tells a connection's MSS")
	}
	addr, _ := serve(t, &Server{})
	c := &Client{ControlMSS: 1000}
	r, err := c.Run(t.Context(), addr, Test{Protocol: UDP, Rate: 1e6, Duration: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if r.Test.Length > 1000 || r.Streams[0].Sent.Packets == 0 {
		t.Errorf("datagrams of %d bytes, %d of them", r.Test.Length, r.Streams[0].Sent.Packets)
	}
}
