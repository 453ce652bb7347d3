package seen

import (
	"math"
	"testing"

	"unchoke/internal/record"
)

// streamOf carries one rate after the other, a second each.
func streamOf(started float64, rates ...float64) *record.Transfer {
	t := &record.Transfer{Started: started, Duration: float64(len(rates))}
	for i, rate := range rates {
		t.Intervals = append(t.Intervals, record.Interval{At: float64(i + 1), Bytes: int64(rate / 8), Rate: rate})
	}
	return t
}

func TestCarrier(t *testing.T) {
	flips := record.Tunnel{Ways: []record.Way{
		{From: 0, To: 1, Via: record.Idle},
		{From: 2, To: 11, Via: record.Relayed, Relay: "nyc"},
		{From: 13, To: 30, Via: record.Direct, Endpoint: "192.0.2.7:41641"},
		{From: 31, To: 31, Via: record.Idle},
	}}
	for name, c := range map[string]struct {
		stream *record.Transfer
		tunnel record.Tunnel
		want   Carrier
	}{
		"no tunnel":            {streamOf(2, 8, 8), record.Tunnel{}, Carrier{}},
		"relayed":              {streamOf(4, 8, 8, 8), flips, Carrier{Relayed: 1}},
		"direct":               {streamOf(20, 8, 8, 8), flips, Carrier{}},
		"changed in the midst": {streamOf(10, 80, 80, 800, 800), flips, Carrier{Relayed: 0.5, Relay: 80, Direct: 800}},
		"idle again":           {streamOf(40, 8), flips, Carrier{}},
		"without intervals":    {&record.Transfer{Started: 4, Duration: 5}, flips, Carrier{Relayed: 1}},
		"without a duration":   {&record.Transfer{Started: 4}, flips, Carrier{}},
	} {
		got := CarrierOf(c.stream, c.tunnel)
		if math.Abs(got.Relayed-c.want.Relayed) > 1e-9 || got.Relay != c.want.Relay || got.Direct != c.want.Direct {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
