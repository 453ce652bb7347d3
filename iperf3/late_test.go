package iperf3

import (
	"context"
	"testing"
	"time"
)

// A datagram of an earlier test arrives when a stock server is ready for the stream of
// the next one, and is taken for its opening.
func TestLateDatagram(t *testing.T) {
	addr := stockServer(t)
	var late Late
	defer late.Close()
	c := Client{Late: &late}
	test := Test{Protocol: UDP, Rate: 5e6, Duration: testTime}
	if _, err := c.Run(t.Context(), addr, test); err != nil {
		t.Fatal(err)
	}
	if len(late.conns) != 1 {
		t.Fatalf("%d sockets are kept", len(late.conns))
	}
	c.Ready = func(context.Context) error {
		_, err := late.conns[0].Write(make([]byte, 100))
		time.Sleep(20 * time.Millisecond) // so that it comes before the opening
		return err
	}
	test.Reverse = true
	result, err := c.Run(t.Context(), addr, test)
	if err != nil {
		t.Fatal(err)
	}
	if s := result.Streams[0]; s.Bytes < int64(float64(test.Rate)/8*testTime.Seconds()/2) {
		t.Errorf("%d bytes came", s.Bytes)
	}
	if len(late.conns) != 0 {
		t.Errorf("%d sockets are kept, one of them the stream's", len(late.conns))
	}
}
