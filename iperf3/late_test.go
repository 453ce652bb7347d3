package iperf3

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A datagram of an earlier test arrives when a stock server is ready for the stream of
// the next one, and is taken for its opening, again and again.
func TestLateDatagram(t *testing.T) {
	addr := stockServer(t)
	var late Late
	defer late.Close()
	c := Client{Late: &late}
	test := Test{Protocol: UDP, Rate: 5e6, Duration: testTime}
	for range 2 {
		if _, err := c.Run(t.Context(), addr, test); err != nil {
			t.Fatal(err)
		}
	}
	if len(late.conns) != 2 {
		t.Fatalf("%d sockets are kept", len(late.conns))
	}
	from := 1
	c.Ready = func(context.Context) error {
		_, err := late.conns[from].Write(make([]byte, 100))
		time.Sleep(20 * time.Millisecond) // so that it comes before the opening
		return err
	}
	if _, err := c.Run(t.Context(), addr, test); !errors.Is(err, ErrVanished) {
		t.Errorf("a test whose stream the server takes for another's: %v", err)
	}
	// Somebody else's test leaves an answer at the second socket, which is not read.
	if _, err := (&Client{Ready: c.Ready}).Run(t.Context(), addr, test); err != nil {
		t.Fatal(err)
	}
	test.Reverse = true
	for _, from = range []int{0, 1, 1} {
		result, err := c.Run(t.Context(), addr, test)
		if err != nil {
			t.Fatal(err)
		}
		if s := result.Streams[0]; s.Bytes < int64(float64(test.Rate)/8*testTime.Seconds()/2) {
			t.Errorf("%d bytes came", s.Bytes)
		} else if s.Malformed > 0 {
			t.Errorf("%d reads brought nothing", s.Malformed)
		}
	}
	if len(late.conns) != 2 {
		t.Errorf("%d sockets are kept", len(late.conns))
	}
}
