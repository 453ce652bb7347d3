package seen

import (
	"math"
	"testing"

	"unchoke/internal/record"
)

func echoOf(rtt func(at float64) float64, n int, every float64) *record.Echo {
	e := &record.Echo{}
	for i := range n {
		at := float64(i) * every
		e.Probes = append(e.Probes, record.Probe{At: at, RTT: rtt(at)})
	}
	return e
}

// 678 Mbit/s into a bottleneck of 500 with room for all of it: nothing is
// lost, and the delay tells what the bottleneck delivers.
func TestQueueThatSwallowsARung(t *testing.T) {
	const sent, rate = 678e6, 500e6
	r := Rung{Sent: sent, Delivered: sent, Packets: 3000, Duration: 0.05}
	r.Weigh(echoOf(func(at float64) float64 { return 0.05 + at*(sent/rate-1) }, 6, 0.01), 0.05)
	if math.Abs(r.Delivered/rate-1) > 0.01 {
		t.Errorf("delivered %g bit/s, want %g", r.Delivered, rate)
	}
}

// A short queue lets four probes wait, and drops all others for the rest of the rung: it
// grew by what the last of the four waited, and no further.
func TestQueueThatIsSoonFull(t *testing.T) {
	const arrived = 31e6
	e := echoOf(func(at float64) float64 {
		if at > 0.022 {
			return 0 // no answer
		}
		return 0.2 + at
	}, 70, 0.005)
	r := Rung{Sent: 62e6, Delivered: arrived, Packets: 1897, Lost: 959, Duration: 0.35}
	r.Weigh(e, 0.2)
	if !r.Grew || r.Delivered < 0.9*arrived || r.Delivered >= arrived {
		t.Errorf("delivered %g of %g bit/s, grew %v", r.Delivered, arrived, r.Grew)
	}
}

// A shaper on the sending host takes what it cannot send, and sends it when the rung is
// over: it all arrives, and tells no rate.
func TestOwnShaperHoldsARung(t *testing.T) {
	egress := []record.QdiscUse{
		{Device: "eth0", Kind: "htb", Root: true, Bytes: 316172, Overlimits: 249, Backlog: 118560},
		{Device: "eth0", Kind: "fq_codel", Bytes: 316172, Backlog: 118560},
	}
	rung := func(e []record.QdiscUse) float64 {
		return NewRung(new(record.Run), &record.Transfer{Direction: record.Up, Duration: 0.35, Egress: e, UDP: &record.Rung{Sent: 10.45e6, Delivered: 10.2e6, Packets: 324, Payload: 1368}}).Delivered
	}
	if got := rung(egress); math.Abs(got/6.9e6-1) > 0.01 {
		t.Errorf("delivered %g bit/s of the 7.2 Mbit/s that left", got)
	}
	egress[0].Overlimits, egress[0].Backlog = 0, 0
	if got := rung(egress); got != 10.2e6 {
		t.Errorf("delivered %g bit/s, and nothing was held back", got)
	}
}

func TestNoiseIsNoQueue(t *testing.T) {
	noise := []float64{0.003, -0.002, 0.001, -0.003, 0.002, 0, -0.001, 0.003}
	r := Rung{Sent: 1e8, Delivered: 1e8, Packets: 3000, Duration: 0.08}
	r.Weigh(echoOf(func(at float64) float64 { return 0.05 + noise[int(math.Round(at*100))%len(noise)] }, 8, 0.01), 0.05)
	if r.Delivered != 1e8 {
		t.Errorf("delivered %g bit/s, want all of it", r.Delivered)
	}
}

// A fair queue takes in a third of a rung and drops a few of its packets. Two packets that
// another rung got through at once tell no rate against that.
func TestPiledUpAndLostAFew(t *testing.T) {
	gentle := Rung{Sent: 7.2e6, Delivered: 7.2e6, Packets: 216, Timed: true}
	piled := Rung{Sent: 17.9e6, Delivered: 12.2e6, Packets: 380, Lost: 10, Timed: true}
	burst := Rung{Sent: 12.4e6, Delivered: 707e6, Packets: 2, Timed: true}
	if !piled.Overloaded([]Rung{gentle, piled}) {
		t.Error("a queue took in a third, and it is not overloaded")
	}
	if !piled.Overloaded([]Rung{gentle, burst, piled}) {
		t.Error("two packets tell a rate")
	}
	if even := (Rung{Sent: 17.9e6, Delivered: 17.4e6, Packets: 380, Lost: 10, Timed: true}); even.Overloaded([]Rung{gentle, even}) {
		t.Error("ten packets lost of 380 by chance: not overloaded")
	}
}

func TestOverloaded(t *testing.T) {
	gentle := Rung{Sent: 10e6, Delivered: 10e6, Packets: 300, Lost: 1, Known: 1}
	full := Rung{Sent: 50e6, Delivered: 20e6, Packets: 1500, Lost: 900, Known: 1}
	few := Rung{Sent: 1e6, Delivered: 0.6e6, Packets: 7, Lost: 3, Known: 1}
	all := []Rung{few, gentle, full}
	if few.Overloaded(all) {
		t.Error("three packets lost of seven, and faster rungs came through: not overloaded")
	}
	if gentle.Overloaded(all) || !full.Overloaded(all) {
		t.Error("only the rung that lost most of its packets was overloaded")
	}
	// The far end stopped counting while most of a burst stood in a queue.
	burst := Rung{Sent: 70e6, Delivered: 65e6, Packets: 255, Lost: 16, Known: 0.6}
	long := Rung{Sent: 48e6, Delivered: 41e6, Packets: 5300, Lost: 770, Known: 1}
	if !long.Overloaded([]Rung{gentle, long, burst}) {
		t.Error("a burst of which little is known is said to have come through")
	}
}

// What the sending host's own queue dropped of a rung is known, and never more than was lost.
func TestOwnDrops(t *testing.T) {
	rung := func(lost, drops int64) Rung {
		qdiscs := []record.QdiscUse{{Root: true, Drops: drops}, {Drops: 100}}
		return NewRung(new(record.Run), &record.Transfer{Direction: record.Up, Duration: 1, Egress: qdiscs, UDP: &record.Rung{Packets: 500, Lost: lost}})
	}
	for _, c := range []struct{ lost, drops, want int64 }{{9, 4, 4}, {3, 4, 3}, {9, 0, 0}} {
		if got := rung(c.lost, c.drops).OwnDrops; got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// The last length of runs stands for longer ones too: what is left of the losses is theirs.
func TestInRuns(t *testing.T) {
	for name, c := range map[string]struct {
		runs       []int64
		lost       int64
		in, number int64
	}{
		"not known":              {nil, 7, 0, 0},
		"alone and in pairs":     {[]int64{3, 2, 0}, 7, 7, 5},
		"some at the very end":   {[]int64{3, 2, 0}, 9, 7, 5},
		"one is as long or more": {[]int64{1, 0, 1}, 41, 41, 2},
	} {
		if in, number := inRuns(&record.Rung{LossRuns: c.runs, Lost: c.lost}); in != c.in || number != c.number {
			t.Errorf("%s: %d in %d runs, want %d in %d", name, in, number, c.in, c.number)
		}
	}
}
