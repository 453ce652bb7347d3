package packets

import (
	"reflect"
	"testing"

	"unchoke/internal/record"
)

// A stream's start, and what it lost then, is left out; the times of the rest stay.
func TestStarted(t *testing.T) {
	all := &record.Packets{
		SegmentSize: mss,
		Gap:         []int32{100, 100, 100, 100, 100, 100},
		Bytes:       []int32{1, 2, 3, 4, 5, 6},
		RTT:         []int32{50, 50, 0, 90, 90, 90},
		Flight:      []int32{1, 2, 3, 4, 5, 6},
		LostAt:      []int32{210, 200, 420},
		LostAgain:   []int32{60, 70, 80},
		LostFlight:  []int32{7, 8, 9},
	}
	want := &record.Packets{
		SegmentSize: mss,
		Gap:         []int32{400, 100, 100}, // from 200 + 3·50 on
		Bytes:       []int32{4, 5, 6},
		RTT:         []int32{90, 90, 90},
		Flight:      []int32{4, 5, 6},
		LostAt:      []int32{420},
		LostAgain:   []int32{80},
		LostFlight:  []int32{9},
	}
	if got := Started(all); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	all.LostAt = nil
	if Started(all) != all || Started(nil) != nil {
		t.Error("what lost nothing has no start to leave out")
	}
}
