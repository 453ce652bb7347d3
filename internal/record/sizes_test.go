package record

import "testing"

func TestLargestPacket(t *testing.T) {
	for name, c := range map[string]struct {
		sizes            []SizeSeen
		passed, vanished int
	}{
		"none":                   {nil, 0, 0},
		"all pass":               {[]SizeSeen{{Size: 1500, Sent: 3, Answered: 3}}, 1500, 0},
		"a hole":                 {[]SizeSeen{{Size: 1500, Sent: 3}, {Size: 1400, Sent: 3, Answered: 2}, {Size: 1401, Sent: 3}}, 1400, 1401},
		"somebody said":          {[]SizeSeen{{Size: 1500, Sent: 3, TooBig: 1}, {Size: 1400, Sent: 3, Answered: 3}}, 1400, 0},
		"a smaller one was lost": {[]SizeSeen{{Size: 1500, Sent: 3, Answered: 1}, {Size: 1300, Sent: 3}}, 1500, 0},
	} {
		if passed, vanished := (PacketSizes{Sizes: c.sizes}).Largest(); passed != c.passed || vanished != c.vanished {
			t.Errorf("%s: %d, %d; want %d, %d", name, passed, vanished, c.passed, c.vanished)
		}
	}
}

func TestLargestSegment(t *testing.T) {
	for name, c := range map[string]struct {
		streams  []SegmentStream
		mss      int
		vanished bool
	}{
		"none":              {nil, 0, false},
		"a hole":            {[]SegmentStream{{}, {MSS: 1452, Bytes: 38}, {MSS: 1360, Bytes: 90_000}, {MSS: 1024, Bytes: 9000}}, 1360, true},
		"one segment alone": {[]SegmentStream{{}, {MSS: 1360, Bytes: 1348}}, 0, true},
		"full ones arrive":  {[]SegmentStream{{Segment: 1448, Bytes: 90_000}, {MSS: 1360, Bytes: 90_000}}, 1360, false},
	} {
		if mss, vanished := (SegmentTest{Streams: c.streams}).Largest(); mss != c.mss || vanished != c.vanished {
			t.Errorf("%s: %d, %v; want %d, %v", name, mss, vanished, c.mss, c.vanished)
		}
	}
}
