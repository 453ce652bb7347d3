package seen

import (
	"testing"

	"unchoke/internal/record"
)

// Where TCP outside the tunnel loses as UDP does, the path loses.
func TestLikewise(t *testing.T) {
	run := &record.Run{Besides: []record.Beside{{Direction: record.Down, Outside: true, Tests: []record.BesideTest{
		{Protocol: record.TCP, Delivered: 5e6, Lost: 30, Packets: 500},
		{Protocol: record.UDP, Offered: 4e6, Lost: 6, Packets: 400},
		{Protocol: record.TCP, Offered: 4e6, Lost: 4, Packets: 390},
	}}}}
	if p := LostLikewise(run, record.Down); p.K != 6 || p.N != 400 {
		t.Errorf("%+v", p)
	}
	if p := LostLikewise(run, record.Up); p.N != 0 {
		t.Errorf("up: %+v", p)
	}
	for _, lost := range []int64{1, -1} { // UDP's alone, and not known
		run.Besides[0].Tests[2].Lost = lost
		if p := LostLikewise(run, record.Down); p.N != 0 {
			t.Errorf("TCP lost %d: %+v", lost, p)
		}
	}
}

// A TCP stream had far more than the rate at which UDP ends, but packets overtake, so
// that TCP in its turn was hardly faster than UDP.
func TestOutran(t *testing.T) {
	tests := []record.BesideTest{
		{Protocol: record.TCP, Duration: 1.12, Delivered: 56.2e6, Packets: 5668, Lost: 898},
		{Protocol: record.UDP, Duration: 0.81, Offered: 39.4e6, Delivered: 13.7e6, Packets: 2389, Lost: 1557},
		{Protocol: record.TCP, Duration: 0.81, Offered: 39.4e6, Delivered: 16.9e6, Packets: 1365, Lost: 110},
		{Protocol: record.UDP, Duration: 0.81, Offered: 39.4e6, Delivered: 13.8e6, Packets: 2455, Lost: 1600},
	}
	run := &record.Run{Besides: []record.Beside{{Direction: record.Down, Outside: true, Tests: tests}}}
	if _, worse := WorseForUDP(run, record.Down, true); !worse {
		t.Error("UDP ends at a quarter of what TCP carries")
	}
	tests[2].Delivered = 13.8e6 // a bucket that the first stream emptied
	if _, worse := WorseForUDP(run, record.Down, true); worse {
		t.Error("TCP in its turn had no more than UDP")
	}
}
