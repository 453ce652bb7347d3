package packets

import (
	"math"
	"math/rand/v2"
	"testing"

	"unchoke/internal/record"
)

func TestSlots(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const slot, segment = 400, 1448
	arrivals := func(gap func(i int) float64) *record.Packets {
		p := &record.Packets{SegmentSize: segment}
		for i := range 600 {
			p.Gap, p.Bytes = append(p.Gap, int32(gap(i))), append(p.Bytes, segment)
		}
		return p
	}
	turns := arrivals(func(int) float64 { return slot * float64(1+r.IntN(3)) })
	s := SlotsOf(turns)
	if s == nil || math.Abs(s.Length-slot/1e6) > 1e-9 || math.Abs(s.Next-1.0/3) > 0.07 || math.Abs(s.Later-2.0/3) > 0.07 {
		t.Errorf("beside others: %+v", s)
	}
	if s := SlotsOf(arrivals(func(int) float64 { return slot })); s == nil || s.Later > 0 {
		t.Errorf("alone on the line: %+v", s)
	}
	together := arrivals(func(int) float64 { return slot * float64(1+r.IntN(3)) })
	for i := range together.Bytes {
		if i%4 == 0 {
			together.Bytes[i] = 3 * segment
		}
	}
	for name, p := range map[string]*record.Packets{
		"at any time":           arrivals(func(int) float64 { return slot * (1 + 3*r.Float64()) }),
		"a line of two rates":   arrivals(func(i int) float64 { return slot * float64(1+i/100%2) }),
		"packets that gathered": together,
		"too fast to tell":      arrivals(func(int) float64 { return 200 * float64(1+r.IntN(3)) }),
		"nothing":               nil,
		"nothing that is whole": {SegmentSize: segment},
	} {
		if s := SlotsOf(p); s != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
