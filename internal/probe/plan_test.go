package probe

import (
	"slices"
	"testing"
	"time"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

func TestSettled(t *testing.T) {
	linear := func(n int, step int64) (out []int64) {
		for i := range n {
			out = append(out, int64(i+1)*step)
		}
		return out
	}
	growing := make([]int64, 40)
	for i := range growing {
		growing[i] = int64(i * i * 1000)
	}
	for _, c := range []struct {
		name  string
		bytes []int64
		want  bool
	}{
		{"too short", linear(8, 1000), false},
		{"constant", linear(40, 1000), true},
		{"growing", growing, false},
		{"nothing moved", make([]int64, 40), false},
	} {
		if got := settled(c.bytes); got != c.want {
			t.Errorf("%s: settled = %v", c.name, got)
		}
	}
}

func TestRatesClimbOnce(t *testing.T) {
	for _, single := range []float64{0, 1e4, 5e6, 9e8, 5e9} {
		r := plan{}.rates(single)
		if len(r) == 0 {
			t.Fatalf("rates(%g) is empty", single)
		}
		for i, v := range r {
			if v < ladderFloor || v > ladderTop || i > 0 && v <= r[i-1] {
				t.Errorf("rates(%g) = %v", single, r)
			}
		}
	}
}

// Probes beside a rung leave a thin way back to what is measured, and are never rarer
// than beside a stream.
func TestBesideRung(t *testing.T) {
	for _, c := range []struct {
		thinnest float64
		want     time.Duration
	}{
		{0, rungInterval},
		{50e6, rungInterval},
		{800e3, rungInterval},
		{400e3, 10 * time.Millisecond},
		{153e3, loadInterval},
	} {
		if got := besideRung(c.thinnest); got != c.want {
			t.Errorf("%g bit/s: every %v, want %v", c.thinnest, got, c.want)
		}
	}
}

func TestLonger(t *testing.T) {
	const s = time.Second
	p := plan{rtt: 100 * time.Millisecond} // a test takes 620 ms more
	for _, c := range []struct {
		name  string
		left  time.Duration
		least []time.Duration
		want  []time.Duration
	}{
		{"nobody", 9 * s, nil, nil},
		{"both", 12 * s, []time.Duration{5 * s, 4 * s}, []time.Duration{5380 * time.Millisecond, 5380 * time.Millisecond}},
		{"the first", 9 * s, []time.Duration{5 * s, 4 * s}, []time.Duration{8380 * time.Millisecond, 0}},
		{"the second", 5 * s, []time.Duration{5 * s, 4 * s}, []time.Duration{0, 4380 * time.Millisecond}},
		{"neither", 4 * s, []time.Duration{5 * s, 4 * s}, []time.Duration{0, 0}},
	} {
		if got := p.longer(c.left, c.least); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A fair queue holds what a flow sends too fast, and no echo probe waits behind it: what
// comes slower than it is sent tells that the path is full.
func TestPiledUp(t *testing.T) {
	rung := func(lost int64, sent, delivered float64) record.Transfer {
		return record.Transfer{UDP: &record.Rung{Packets: 880, Lost: lost, Sent: sent, Delivered: delivered}}
	}
	for name, test := range map[string]struct {
		rung record.Transfer
		full bool
	}{
		"the path carries it":         {rung(0, 42e6, 41e6), false},
		"some is lost on the way":     {rung(100, 42e6, 36e6), false},
		"a queue takes in a third":    {rung(4, 42e6, 29e6), true},
		"a short queue drops a third": {rung(290, 42e6, 28e6), true},
	} {
		if o := (&checker{run: &record.Run{}}).outcomeOf(&test.rung, 0); o.full() != test.full {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// The first rungs of a ladder up are a test of their own. What the far end counted of
// them, or echo probes that ended it, tells whether the faster ones would only fill a queue.
func TestFilledBy(t *testing.T) {
	ladder := func(rates ...int64) (slots []iperf3.Slot) {
		for _, rate := range rates {
			slots = append(slots, iperf3.Slot{Rate: rate})
		}
		return slots
	}
	if gentle, fast := apart(ladder(6, 15, 24, 60, 200, 600), 100); len(gentle) != 4 || len(fast) != 2 || fast[0].Rate != 200 {
		t.Errorf("apart: %v, %v", gentle, fast)
	}
	if gentle, fast := apart(ladder(6, 15), 100); len(gentle) != 2 || len(fast) != 0 {
		t.Errorf("none is fast: %v, %v", gentle, fast)
	}
	rungs := func(lost ...int64) (out []record.Transfer) {
		for _, n := range lost {
			u := &record.Rung{Packets: 900, Lost: n, Sent: 30e6}
			u.Delivered = u.Sent * float64(u.Packets-u.Lost) / float64(u.Packets)
			out = append(out, record.Transfer{Direction: record.Up, Protocol: record.UDP, UDP: u})
		}
		return out
	}
	c := &checker{run: &record.Run{}}
	for name, test := range map[string]struct {
		rungs   []record.Transfer
		planned int
		filled  bool
	}{
		"all came through":         {rungs(0, 3, 2), 3, false},
		"the last lost two thirds": {rungs(0, 30, 570), 3, true},
		"a third is lost anyway":   {rungs(300, 310, 290), 3, false},
		"ended before its last":    {rungs(0, 3), 3, true},
		"none was planned":         {nil, 0, false},
	} {
		if got := c.filledBy(test.rungs, test.planned); got != test.filled {
			t.Errorf("%s: filled %v", name, got)
		}
	}
	shaped := rungs(0, 0)
	shaped[1].UDP.Offered = 2 * shaped[1].UDP.Sent
	if !c.filledBy(shaped, 2) {
		t.Error("a shaper of this host's own held the last rung back")
	}
}

// A rung above one stream is for directions of which nothing else is known, the faster one
// first; a loss-based stream that keeps a queue standing has all that there is, BBR may not.
func TestUnknown(t *testing.T) {
	tcp := func(d record.Direction, rate float64, cc string) record.Transfer {
		return record.Transfer{Direction: d, Protocol: record.TCP, Streams: 1, SteadyRate: rate, CC: cc}
	}
	both := []record.Transfer{tcp(record.Down, 4e6, "bbr"), tcp(record.Up, 8e6, "cubic")}
	ladder := record.Transfer{Direction: record.Down, Protocol: record.UDP, UDP: &record.Rung{}}
	filled := map[record.Direction]bool{record.Down: true, record.Up: true}
	for name, test := range map[string]struct {
		transfers []record.Transfer
		filled    map[record.Direction]bool
		want      []record.Direction
	}{
		"one stream each way":      {both, nil, []record.Direction{record.Up, record.Down}},
		"both keep a queue":        {both, filled, []record.Direction{record.Down}},
		"BBR by another name":      {[]record.Transfer{tcp(record.Up, 4e6, "bbr3")}, filled, []record.Direction{record.Up}},
		"there was time for UDP":   {append(slices.Clone(both), ladder), nil, []record.Direction{record.Up}},
		"a stream carried nothing": {[]record.Transfer{tcp(record.Up, 0, "cubic")}, nil, nil},
	} {
		c := &checker{run: &record.Run{Transfers: test.transfers}, filled: test.filled}
		if got := c.unknown(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
