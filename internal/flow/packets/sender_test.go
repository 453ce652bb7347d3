package packets

import (
	"reflect"
	"testing"
	"time"
)

var began = time.Unix(1_800_000_000, 0)

// after is a time so many microseconds after the beginning.
func after(micros int) time.Time { return began.Add(time.Duration(micros) * time.Microsecond) }

func sends(at int, seq uint32, length int) *Header {
	return &Header{At: after(at), Leaves: true, Sequence: seq, Length: length, Acks: true}
}

func answers(at int, ack uint32, blocks ...[2]uint32) *Header {
	h := &Header{At: after(at), Ack: ack, Acks: true, Blocks: len(blocks)}
	copy(h.Sacked[:], blocks)
	return h
}

// wrap is a sequence number near the end of the 32 bits.
var wrap = ^uint32(0) - 1500

// Two packets of three segments each, of which the second segment is lost, told by
// SACK and sent again.
func TestSender(t *testing.T) {
	s := Sends(1000)
	for _, h := range []*Header{
		sends(0, wrap, 3000), sends(100, wrap+3000, 3000),
		answers(5000, wrap+1000),
		answers(5500, wrap+1000, [2]uint32{wrap + 2000, wrap + 3000}),
		answers(6000, wrap+1000, [2]uint32{wrap + 2000, wrap + 6000}),
		sends(6100, wrap+1000, 1000),
		sends(6200, wrap+1000, 1000), // and once more, which counts as one
		answers(11200, wrap+6000),
		// What arrived twice is no news.
		answers(11900, wrap+6000, [2]uint32{wrap + 1000, wrap + 2000}),
	} {
		s.Add(h)
	}
	got := s.Seen()
	if got == nil {
		t.Fatal("nothing seen")
	}
	for _, column := range []struct {
		name      string
		got, want []int32
	}{
		{"gap", got.Gap, []int32{5000, 500, 500, 5200}},
		{"bytes", got.Bytes, []int32{1000, 1000, 3000, 1000}},
		{"rtt", got.RTT, []int32{5000, 5500, 5900, 0}},
		{"flight", got.Flight, []int32{1000, 3000, 6000, 0}},
		{"resent at", got.LostAt, []int32{0}},
		{"resent after", got.LostAgain, []int32{6100}},
		{"in flight then", got.LostFlight, []int32{2000}},
	} {
		if !reflect.DeepEqual(column.got, column.want) {
			t.Errorf("%s: %v, want %v", column.name, column.got, column.want)
		}
	}
	if len(s.unacked) != 0 || s.flight != 0 || got.SegmentSize != 1000 || got.Cut {
		t.Errorf("left: %d segments, %d bytes; %+v", len(s.unacked), s.flight, got)
	}
}

// Acknowledgements that come at once are one, and those of what left before
// anybody looked are none.
func TestSenderMerges(t *testing.T) {
	s := Sends(1000)
	for _, h := range []*Header{
		answers(0, 1000), sends(10, 5000, 4000), answers(20, 4000),
		answers(1000, 6000), answers(1100, 7000), answers(1250, 8000), answers(1300, 9000),
	} {
		s.Add(h)
	}
	got := s.Seen()
	if want := []int32{2000, 2000}; !reflect.DeepEqual(got.Bytes, want) {
		t.Errorf("bytes %v, want %v", got.Bytes, want)
	}
	if want := []int32{1090, 200}; !reflect.DeepEqual(got.Gap, want) {
		t.Errorf("gaps %v, want %v", got.Gap, want)
	}
	if !s.Begun().Equal(after(10)) {
		t.Errorf("begun %v", s.Begun())
	}
}

// A peer that acknowledges what was never sent, or in blocks that make no sense,
// counts for nothing; a hole in what was seen neither.
func TestSenderSurvives(t *testing.T) {
	s := Sends(1000)
	for _, h := range []*Header{
		sends(0, 1, 1000), answers(5, 900_000), answers(6, 1, [2]uint32{5, 4}), answers(7, 1, [2]uint32{500_000, 900_000}),
		sends(10, 50_001, 1000), answers(400, 51_001),
	} {
		s.Add(h)
	}
	if got := s.Seen(); got == nil || len(got.Bytes) != 1 || got.Bytes[0] != 2000 || s.flight != 0 {
		t.Errorf("%+v, %d bytes left", got, s.flight)
	}
	if Sends(0).Seen() != nil {
		t.Error("something was seen of nothing")
	}
}

// The columns end where there are too many of them.
func TestSenderIsBounded(t *testing.T) {
	s := Sends(1000)
	for i := range mostArrivals + 10 {
		s.Add(sends(1000*i, uint32(1000*i), 1000))
		s.Add(answers(1000*i+500, uint32(1000*i+1000)))
	}
	if got := s.Seen(); !got.Cut || len(got.Gap) != mostArrivals || len(got.Bytes) != mostArrivals {
		t.Errorf("%d kept, cut %v", len(got.Gap), got.Cut)
	}
}
