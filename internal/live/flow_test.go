package live

import "testing"

func TestBusier(t *testing.T) {
	for _, c := range []struct {
		sent, received, want float64
		sends                bool
	}{
		{0, 0, 0, true},
		{3, 2, 3, true},
		{2, 3, 3, false},
	} {
		if rate, sends := (&Flow{SentRate: c.sent, ReceivedRate: c.received}).Busier(); rate != c.want || sends != c.sends {
			t.Errorf("%v and %v: %v, %v", c.sent, c.received, rate, sends)
		}
	}
}
