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
