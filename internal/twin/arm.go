package twin

import (
	"fmt"
	"slices"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/theory"
	"unchoke/internal/unit"
	"unchoke/internal/wire"
)

// Arm is what is tried on the copies of a direction.
type Arm struct {
	record.Arm
	// Action is what a remedy changes, where the arm is one.
	Action *finding.Action
	// Without are causes whose impairments are taken away, to see what they cost.
	Without []finding.Cause
}

// Now is a direction as it is.
func Now(d record.Direction) Arm {
	return Arm{Arm: record.Arm{Name: record.Now, Direction: d}}
}

// Remedies are the arms that findings name, each once, and why the others of
// their remedies cannot be tried: the network's own, and what the lab lacks.
func Remedies(findings []finding.Finding) (arms []Arm, left []string) {
	for _, f := range findings {
		tried, others := false, false
		for _, r := range f.Remedies {
			if r.Action == nil {
				continue
			}
			a := Arm{Arm: record.Arm{Direction: f.Direction}, Action: r.Action}
			switch r.Action.Kind {
			case finding.KindCC:
				a.Name, a.CC = "cc="+r.Action.CC, r.Action.CC
			case finding.KindSendBuffer:
				a.Name = "send buffer " + unit.Size(r.Action.Bytes).String()
			case finding.KindReceiveBuffer:
				a.Name = "receive buffer " + unit.Size(r.Action.Bytes).String()
			case finding.KindWindowScaling:
				a.Name = "window scaling"
			case finding.KindAutotuning:
				a.Name = "receive autotuning"
			case finding.KindSACK:
				a.Name = "selective acknowledgements"
			case finding.KindPace:
				a.Name = "fq maxrate " + bits(r.Action.Rate).Human()
			case finding.KindShape:
				a.Name = "cake bandwidth " + bits(r.Action.Rate).Human()
			case finding.KindReordering:
				a.Name = "reordering tolerance"
			default:
				others = true
				continue
			}
			tried = true
			same := func(b Arm) bool { return b.Name == a.Name && b.Direction == a.Direction }
			if !slices.ContainsFunc(arms, same) {
				arms = append(arms, a)
			}
		}
		if others {
			do := "try none of"
			if tried {
				do = "do not try all of"
			}
			why := fmt.Sprintf("%s, %s: copies of the path %s its remedies", f.Cause, f.Direction.Word(), do)
			if !slices.Contains(left, why) {
				left = append(left, why)
			}
		}
	}
	return arms, left
}

// Trial is the arm on a copy, long enough for slow start to be over and for
// CUBIC to come back several times (RFC 9438 §4.2).
func (a Arm) trial(c Copy) Trial {
	omit := min(max(12*c.Path.RTT(), 2*time.Second), 8*time.Second).Round(time.Millisecond)
	outage, covered := c.outage.within(counted(c.Path))
	t := Trial{Copy: c, Streams: max(a.Streams, 1), Omit: omit, Duration: omit + covered, Window: unit.Size(a.Window)}
	t.outage = outage
	if a.CC != "" {
		t.CC = a.CC
	}
	for _, cause := range a.Without {
		t.Copy, _ = t.without(cause)
	}
	t.Path.Schedule = t.outage.again()
	if a.Action != nil {
		t.apply(a.Action)
	}
	if t.nearWindow() {
		t.Read = iperf3Read
	}
	return t
}

// apply changes what a remedy changes.
func (t *Trial) apply(x *finding.Action) {
	switch x.Kind {
	case finding.KindSendBuffer:
		t.SendMax = max(t.SendMax, unit.Size(x.Bytes))
	case finding.KindReceiveBuffer:
		t.ReceiveMax = max(t.ReceiveMax, unit.Size(x.Bytes))
	case finding.KindWindowScaling, finding.KindAutotuning:
		t.ReceiveMax = max(t.ReceiveMax, scaledMax)
	case finding.KindSACK:
		t.NoSACK = false
	case finding.KindPace:
		t.Pace = unit.BitRate(x.Rate)
	case finding.KindReordering:
		t.Reordering = 30 // as finding.Action.Command has it
	case finding.KindShape:
		if rate := unit.BitRate(x.Rate); t.Path.Up.Rate == 0 || rate < t.Path.Up.Rate {
			t.Path.Up.Rate = rate
		}
		t.Path.Up.Queue = path.Queue{AQM: path.Cake}
	}
}

// nearWindow says that the receive window may hold the stream. How far it opens then
// depends on how the receiver reads: a program that waits for more gets a fifth less.
// The receive buffer that an arm asks for is one too.
func (t *Trial) nearWindow() bool {
	window := leastKnown(t.ReceiveMax, t.Window)
	bdp := bottleneckRate(t.Path) / 8 * t.Path.RTT().Seconds()
	return window > 0 && float64(window) < 4*bdp
}

// iperf3Read is the size of stock iperf3's reads, by which predictions are judged.
const iperf3Read = 128 << 10

// counted is how long a trial's figures cover: four times as long as CUBIC takes to
// grow back to the window that fills the path, within bounds. Slow start's overshoot may
// cost it the first two of these times, and a transfer that lasts has more than that.
func counted(p path.Path) time.Duration {
	grows := theory.CubicGrowth(bottleneckRate(p)/8*p.RTT().Seconds(), wire.Segment)
	return min(max(4*toTime(grows), leastCounted), mostCounted).Round(time.Second)
}

// bottleneckRate is the rate in bit/s of what limits a path's way there; 0 where nothing
// does.
func bottleneckRate(p path.Path) float64 {
	return float64(leastKnown(p.Up.Rate, p.Up.Policer.Rate, p.Up.SQM.Rate))
}

// leastKnown is the least of those that are known; 0, as each that is not, where none is.
func leastKnown[T unit.BitRate | unit.Size](all ...T) T {
	least := T(0)
	for _, v := range all {
		if v > 0 && (least == 0 || v < least) {
			least = v
		}
	}
	return least
}

// Quick is a trial as it is for whom it need not be exact. The lab makes many seconds of a
// slow path in the time that one of a fast path takes.
func (t Trial) Quick() Trial {
	outage, covered := t.outage.within(quickly(t.Path))
	t.outage, t.Path.Schedule = outage, outage.again()
	t.Duration = min(t.Duration, t.Omit+covered)
	return t
}

// quickly is how long a quick trial's figures cover.
func quickly(p path.Path) time.Duration {
	return max(toTime(quickBits/max(bottleneckRate(p), 1)), quickCounted)
}

const (
	leastCounted = 12 * time.Second
	mostCounted  = 20 * time.Second
	quickCounted = 5 * time.Second
	quickBits    = 400e6 // of a path's rate
)
