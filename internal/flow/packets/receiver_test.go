package packets

import (
	"reflect"
	"testing"
)

// comes is a packet of the peer's, by its clock, that answers what left at a tick of
// this host's.
func comes(at int, seq uint32, length int, stamp, echo uint32) *Header {
	return &Header{At: after(at), Sequence: seq, Length: length, Acks: true, Stamped: true, Stamp: stamp, Echo: echo}
}

func leaves(at int, ack, stamp uint32) *Header {
	return &Header{At: after(at), Leaves: true, Ack: ack, Acks: true, Stamped: true, Stamp: stamp}
}

// A packet is lost, which is sent again a round trip later, and another is overtaken:
// it left before what overtook it.
func TestReceiver(t *testing.T) {
	r := Receives(1000)
	for _, h := range []*Header{
		comes(0, wrap, 2000, 10, 0),
		leaves(100, wrap+2000, 500), leaves(300, wrap+2000, 500),
		comes(20_100, wrap+2000, 2000, 30, 500),
		leaves(20_200, wrap+4000, 520),
		comes(40_300, wrap+5000, 1000, 50, 520), // the one before is lost
		leaves(40_400, wrap+4000, 540),
		comes(41_000, wrap+8000, 1000, 51, 520), // and those before this one late
		comes(41_500, wrap+6000, 2000, 51, 520),
		comes(60_500, wrap+4000, 1000, 70, 540),
		comes(61_000, wrap+4000, 1000, 71, 540), // once more, for nothing
	} {
		r.Add(h)
	}
	got := r.Seen()
	for _, column := range []struct {
		name      string
		got, want []int32
	}{
		{"gap", got.Gap, []int32{0, 20_100, 20_200, 700, 500, 19_000}},
		{"bytes", got.Bytes, []int32{2000, 2000, 1000, 1000, 2000, 1000}},
		{"rtt", got.RTT, []int32{0, 20_000, 20_100, 20_800, 0, 0}},
		{"flight", got.Flight, []int32{0, 2000, 2000, 5000, 0, 0}},
		{"lost at", got.LostAt, []int32{100}},
		{"again after", got.LostAgain, []int32{20_200}},
		{"in flight then", got.LostFlight, []int32{3000}},
	} {
		if !reflect.DeepEqual(column.got, column.want) {
			t.Errorf("%s: %v, want %v", column.name, column.got, column.want)
		}
	}
	if len(r.holes) != 0 {
		t.Errorf("left: %v", r.holes)
	}
}

// Without time stamps no round trip is known, and nothing is called lost.
func TestReceiverWithoutStamps(t *testing.T) {
	r := Receives(1000)
	for i, seq := range []uint32{1, 2001, 1001, 3001} {
		h := comes(1000*i, seq, 1000, 0, 0)
		h.Stamped = false
		r.Add(h)
	}
	got := r.Seen()
	if len(got.Bytes) != 4 || len(got.LostAt) != 0 || !reflect.DeepEqual(got.RTT, []int32{0, 0, 0, 0}) {
		t.Errorf("%+v", got)
	}
}

// A peer that sends nonsense fills no memory.
func TestReceiverIsBounded(t *testing.T) {
	r := Receives(1000)
	for i := range uint32(20_000) {
		r.Add(leaves(int(i), 1, i))
		r.Add(comes(int(i), 3000*i, 1000, i, i))
	}
	for i := range uint32(mostAnswers) {
		r.Add(leaves(20_000, 1, 20_000+i))
	}
	if len(r.holes) > mostHoles || len(r.answers) > mostAnswers {
		t.Errorf("%d holes, %d answers", len(r.holes), len(r.answers))
	}
}
