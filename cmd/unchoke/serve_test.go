package main

import (
	"testing"
	"time"

	"unchoke/iperf3"
)

// A line's rates are written as everywhere, also those that are no megabits.
func TestVisitText(t *testing.T) {
	for _, c := range []struct {
		received int64
		want     string
	}{
		{28_800_000_000, "192.0.2.7:41234 tcp ×4 10.0 s: received 23.0 Gbit/s"},
		{117_625_000, "192.0.2.7:41234 tcp ×4 10.0 s: received 94.1 Mbit/s"},
		{1250, "192.0.2.7:41234 tcp ×4 10.0 s: received 1.00 kbit/s"},
	} {
		v := iperf3.Visit{Client: "192.0.2.7:41234", Test: iperf3.Test{Protocol: iperf3.TCP, Streams: 4}, Elapsed: 10 * time.Second, Received: c.received}
		if got := visitText(v); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
