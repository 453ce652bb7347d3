package check

import (
	"slices"
	"testing"

	"unchoke/internal/record"
)

// A remedy that empties a queue says so beside the rate, which it leaves as it is.
func TestPredicted(t *testing.T) {
	c := Report{
		Transfers: []record.Transfer{{Direction: record.Up, Protocol: record.TCP, Streams: 1, Rate: 18e6, SteadyRate: 19e6}},
		Predicted: []record.Predicted{
			{Arm: record.Now, Direction: record.Up, Rate: 19e6, Gain: 1, RTT: 0.352},
			{Arm: "cc=bbr", Direction: record.Up, Rate: 19.2e6, Low: 15e6, High: 22e6, Gain: 0.98, RTT: 0.0241},
			{Arm: "send buffer 4 MiB", Direction: record.Up, Rate: 19e6, Low: 16e6, High: 21e6, Gain: 1, RTT: 0.35},
			{Arm: "cc=bbr", Direction: record.Down, Rate: 19e6},
		},
	}
	want := []string{
		"predicted with cc=bbr, upload: 19.2 Mbit/s [15.0 Mbit/s–22.0 Mbit/s], now 19.0 Mbit/s; RTT under load 24.1 ms, now 352 ms",
		"predicted with send buffer 4 MiB, upload: 19.0 Mbit/s [16.0 Mbit/s–21.0 Mbit/s], now 19.0 Mbit/s",
	}
	if got := c.predicted(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	c.Predicted[0].Rate = 14e6
	want = []string{
		"predicted with cc=bbr, upload: 19.2 Mbit/s [15.0 Mbit/s–22.0 Mbit/s], now 19.0 Mbit/s, 14.0 Mbit/s in copies of the path; RTT under load 24.1 ms, now 352 ms",
		"predicted with send buffer 4 MiB, upload: 19.0 Mbit/s [16.0 Mbit/s–21.0 Mbit/s], now 19.0 Mbit/s, 14.0 Mbit/s in copies of the path",
	}
	if got := c.predicted(); !slices.Equal(got, want) {
		t.Errorf("of copies that differ %q, want %q", got, want)
	}
}
