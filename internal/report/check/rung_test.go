package check

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
)

// What follows the ladder says on which side of the ceiling it was.
func TestRungs(t *testing.T) {
	rung := func(d record.Direction, offered, sent float64, lost int64) record.Transfer {
		return record.Transfer{Direction: d, Protocol: record.UDP, UDP: &record.Rung{Offered: offered, Sent: sent, Packets: 1000, Lost: lost}}
	}
	all := []record.Transfer{
		{Direction: record.Down, Protocol: record.TCP},
		rung(record.Down, 288e6, 288e6, 5), rung(record.Up, 1e6, 1e6, 0),
		rung(record.Down, 460e6, 461e6, 3), rung(record.Down, 460e6, 460e6, 3), // taken again
		rung(record.Down, 1e9, 1e9, 505),
		rung(record.Down, 640e6, 640e6, 280), rung(record.Down, 277e6, 277e6, 4),
	}
	want := []string{"288 Mbit/s 0.5 %", "461 Mbit/s 0.3 %", "460 Mbit/s 0.3 %", "1.00 Gbit/s 50.5 %", "above the ceiling: 640 Mbit/s 28 %", "below the ceiling: 277 Mbit/s 0.4 %"}
	if got := rungs(all, &diagnose.Way{Capacity: 462e6}, record.Down); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := rungs(all, nil, record.Down); strings.Contains(strings.Join(got, ""), "ceiling") {
		t.Errorf("of a path that is not known: %q", got)
	}
}
