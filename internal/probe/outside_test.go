package probe

import (
	"testing"
	"time"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// A stream outside ends early once it is surely faster, and not before.
func TestStopWhenFaster(t *testing.T) {
	const inside = 8e6 // bit/s: a megabyte a second
	for name, c := range map[string]struct {
		rate float64 // bytes/s, from the time on
		from time.Duration
		want time.Duration // 0: never within 3 s
	}{
		"as fast":            {1e6, 0, 0},
		"three times":        {3e6, 0, 1050 * time.Millisecond},
		"fast after a while": {3.5e6, 2 * time.Second, 2400 * time.Millisecond},
	} {
		enough, ended := stopWhenFaster(2*inside), time.Duration(0)
		bytes := 0.0
		for at := 150 * time.Millisecond; at <= 3*time.Second; at += 150 * time.Millisecond {
			if at > c.from {
				bytes += c.rate * 0.15
			}
			if enough(iperf3.Progress{Elapsed: at, Bytes: []int64{int64(bytes)}}) {
				ended = at
				break
			}
		}
		if ended != c.want {
			t.Errorf("%s: ended after %v, want %v", name, ended, c.want)
		}
	}
}

// A rung is suspect where it lost, at a rate that TCP carried, what TCP did not.
func TestSuspect(t *testing.T) {
	for name, c := range map[string]struct {
		resent        int64
		sent          float64
		packets, lost int64
		want          bool
	}{
		"UDP alone loses":              {5, 28e6, 850, 30, true},
		"both lose":                    {400, 28e6, 850, 30, false},
		"nothing is lost":              {0, 28e6, 850, 0, false},
		"two packets":                  {0, 28e6, 850, 2, false},
		"more than TCP carries":        {0, 70e6, 2000, 900, false},
		"TCP does not tell, UDP loses": {-1, 28e6, 850, 30, true},
	} {
		run := record.Run{Transfers: []record.Transfer{
			{Direction: record.Up, Protocol: record.TCP, Streams: 1, Duration: 4, Rate: 46e6, SteadyRate: 48e6, Retransmits: c.resent},
			{Direction: record.Up, Protocol: record.UDP, UDP: &record.Rung{Sent: c.sent, Packets: c.packets, Lost: c.lost}},
		}}
		if got := (&checker{run: &run}).suspect(record.Up); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What loses and fills no queue is asked about outside the tunnel first.
func TestLosing(t *testing.T) {
	for what, c := range map[string]struct {
		resent int64
		filled bool
		want   bool
	}{
		"nothing lost":        {0, false, false},
		"not known":           {-1, false, false},
		"one in two hundred":  {43, false, true},
		"little":              {4, false, false},
		"its own queue's end": {43, true, false},
	} {
		run := &record.Run{Transfers: []record.Transfer{{Direction: record.Down, Protocol: record.TCP, Streams: 1, Rate: 20e6, Duration: 5, Retransmits: c.resent}}}
		k := &checker{run: run, filled: map[record.Direction]bool{record.Down: c.filled}}
		if got := k.losing(record.Down); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
		if k.losing(record.Up) {
			t.Errorf("%s: up, where no stream ran", what)
		}
	}
}

func TestAlike(t *testing.T) {
	udp := record.BesideTest{Protocol: record.UDP, Lost: 10, Packets: 500}
	for want, tcp := range map[bool]record.BesideTest{
		true:  {Protocol: record.TCP, Lost: 6, Packets: 500},
		false: {Protocol: record.TCP, Lost: 1, Packets: 500},
	} {
		if got := alike([]record.BesideTest{{Protocol: record.TCP}, udp, tcp}); got != want {
			t.Errorf("TCP lost %d beside UDP's %d: %v", tcp.Lost, udp.Lost, got)
		}
	}
	if alike(nil) || alike([]record.BesideTest{udp, udp}) {
		t.Error("no TCP test, and yet alike")
	}
}
