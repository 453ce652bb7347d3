package network

import (
	"fmt"
	"math"
	"time"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// directions are the stages of both.
type directions struct{ up, down stages }

// stages is what a direction's packets pass, in this order. Loss and a
// constant delay may stand before the bottleneck or after it: the same packets
// arrive at the same times. Jitter may not: before the bottleneck it would
// gather packets into bursts that a short queue drops, and the path would lose
// more than asked. So with jitter and a bottleneck, the bottleneck has a
// device of its own, early.
type stages struct {
	policer *qdisc.Police
	early   []qdisc.Qdisc // nil for none
	late    []qdisc.Qdisc
}

// traits are what a direction has at all times: its conditions may change, its
// devices stay.
type traits struct {
	varies  bool   // its delay changes with time
	jitters bool   // at some time
	shape   jitter // of its jitter, where it has one
}

// planDirection is a direction's stages while its conditions are d. Its random
// numbers begin with the words.
func planDirection(cfg Config, d path.Direction, t traits, words string) (stages, error) {
	var s stages
	if d.Policer != (path.Policer{}) {
		s.policer = &qdisc.Police{Rate: d.Policer.Rate, Burst: d.Policer.Burst}
	}
	delay, err := netem(d, t)
	if err != nil {
		return stages{}, err
	}
	delay.Seed = seed(cfg.Seed, words)
	switch {
	case d.Rate == 0:
		s.late = []qdisc.Qdisc{delay}
	case !t.jitters:
		if d.Delay == 0 {
			delay.Rate = orderOnly // frees the sender, as below
		}
		s.late = append([]qdisc.Qdisc{delay}, bottleneck(cfg.Path, d)...)
	default:
		// A netem that takes time, however little, frees the packets of the
		// socket that sent them. Without it what waits in the bottleneck would
		// hold its sender back, as if it waited in the sender's own card.
		entry := qdisc.Netem{Loss: delay.Loss, Rate: orderOnly, Limit: unlimited, Seed: delay.Seed}
		s.early = append([]qdisc.Qdisc{entry}, bottleneck(cfg.Path, d)...)
		delay.Loss = nil
		delay.Seed = seed(cfg.Seed, words+" jitter")
		s.late = []qdisc.Qdisc{delay}
	}
	return s, nil
}

const (
	// unlimited is netem's limit: only the path's own queue drops.
	unlimited = math.MaxInt32

	// orderOnly is a netem rate at which the largest frame takes less than a
	// nanosecond, which the kernel counts as none: packets keep their order
	// and nothing else changes.
	orderOnly = 100_000 * unit.Gbit
)

// netem is a direction's loss and delay, without a seed.
//
// The kernel sends at once what its distribution gives a delay below 0, so a
// jitter that is not small against the delay loses its lower tail, and its
// standard deviation with it.
func netem(d path.Direction, t traits) (qdisc.Netem, error) {
	q := qdisc.Netem{Delay: d.Delay, Loss: loss(d.Loss), Limit: unlimited, Table: t.shape.table}
	q.Jitter = time.Duration(math.Round(float64(d.Jitter) * t.shape.reach))
	if q.Jitter > qdisc.MaxJitter {
		most := time.Duration(qdisc.MaxJitter / t.shape.reach).Truncate(time.Millisecond)
		return q, fmt.Errorf("jitter %v is more than the %v that netem can do with this distribution", d.Jitter, most)
	}
	switch {
	case d.Jitter == 0 && d.Delay == 0 && d.Rate == 0:
		// A packet that took no time at all would let two programs that
		// answer each other stop the machine's clock.
		q.Rate = WireRate
	case (d.Jitter > 0 || t.varies) && d.Order == path.Keep:
		q.Rate = orderOnly
	}
	return q, nil
}

func loss(l path.Loss) qdisc.Loss {
	switch {
	case l.Burst:
		return qdisc.GilbertElliott{ToBad: l.P, ToGood: l.R, InBad: l.Bad, InGood: l.Good}
	case l.P > 0:
		return qdisc.RandomLoss(l.P)
	}
	return nil
}

// bottleneck is a rate and the queue in front of it.
func bottleneck(p path.Path, d path.Direction) []qdisc.Qdisc {
	tbf := qdisc.TBF{Rate: d.Rate, Burst: burst(p, d.Rate), Limit: p.QueueBytes(d)}
	if d.Queue.Packets > 0 {
		// A change of the rate hands the limit on to the FIFO (fifo_set_limit).
		tbf.Limit = unit.Size(d.Queue.Packets)
		return []qdisc.Qdisc{tbf, qdisc.FIFO{Packets: d.Queue.Packets}}
	}
	return []qdisc.Qdisc{tbf}
}

// burst is the bottleneck's bucket: the frame that is being sent, and what may
// gather while the kernel's timer is late. Tokens that do not fit the bucket
// are lost, and the rate with them.
func burst(p path.Path, rate unit.BitRate) unit.Size {
	const (
		lateness = 100 * time.Microsecond
		header   = 14 // Ethernet's
	)
	frame := unit.Size(p.EffectiveMTU() + header)
	return frame + max(frame, unit.Size(float64(rate)/8*lateness.Seconds()))
}
