package network

import (
	"fmt"
	"math"
	"slices"
	"time"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// directions are the stages of both.
type directions struct{ up, down stages }

// stages is what a direction's packets pass, in this order. Loss and a
// constant delay may stand before the bottleneck or after it: the same packets
// arrive at the same times. A delay that varies may not, by jitter or by a
// schedule: before the bottleneck it would gather packets into bursts that a
// short queue drops, and the path would lose more than asked. So with such a
// delay and a bottleneck, the bottleneck has a device of its own, early. So it
// has where other traffic joins for it: what comes before, own, and after,
// late, is the hosts' alone, and the others have their delay aside. What UDP
// alone meets comes first of all.
type stages struct{ udp, own, early, late, aside stage }

// stage is a device's part. The zero value is none, and no device.
type stage struct {
	police *qdisc.Police // nil for none
	chain  []qdisc.Qdisc // each the child of the one before it
}

func (s stage) present() bool { return s.police != nil || s.chain != nil }

// all are the stages, in an order of their own.
func (s stages) all() []stage { return []stage{s.udp, s.own, s.early, s.late, s.aside} }

// sortsFlows says whether a queue tells flows apart.
func (s stages) sortsFlows() bool {
	return slices.ContainsFunc(slices.Concat(s.early.chain, s.late.chain), func(q qdisc.Qdisc) bool {
		return q.Kind() == string(path.FQCoDel) || q.Kind() == string(path.Cake)
	})
}

// traits are what a direction has at all times: its conditions may change, its
// devices stay.
type traits struct {
	varies   bool      // its schedule changes the delay
	jitters  bool      // at some time
	loses    bool      // at some time
	udpLoses bool      // of UDP, at some time
	udpQueue unit.Size // in front of UDP's own bottleneck, where it has one
	crossed  bool      // other traffic shares it, or its acknowledgements do
	shape    jitter    // of its jitter, where it has one
}

// planDirection is a direction's stages while its conditions are d. Its random
// numbers begin with the words.
func planDirection(cfg Config, d path.Direction, t traits, words string) (stages, error) {
	delay, err := netem(d, t)
	if err != nil {
		return stages{}, err
	}
	delay.Seed = seed(cfg.Seed, words)
	var s stages
	first := &s.late // that all of the hosts' packets pass
	switch {
	case t.crossed:
		first = &s.own
		if t.loses {
			s.own.chain = []qdisc.Qdisc{entry(delay.Loss, delay.Seed)}
		}
		if d.Rate > 0 {
			s.early.chain = append([]qdisc.Qdisc{entry(nil, 0)}, bottleneck(cfg.Path, d)...)
		}
		s.late.chain = []qdisc.Qdisc{withoutLoss(delay, cfg, words)}
		others, err := netem(path.Direction{Delay: d.Delay, Rate: d.Rate, Order: path.Keep}, traits{varies: t.varies})
		if err != nil {
			return stages{}, err
		}
		s.aside.chain = []qdisc.Qdisc{others}
	case d.Rate == 0:
		s.late.chain = []qdisc.Qdisc{delay}
	case !t.jitters && !t.varies:
		if d.Delay == 0 {
			delay.Rate = orderOnly // frees the sender, as entry does
		}
		s.late.chain = append([]qdisc.Qdisc{delay}, bottleneck(cfg.Path, d)...)
	default:
		first = &s.early
		s.early.chain = append([]qdisc.Qdisc{entry(delay.Loss, delay.Seed)}, bottleneck(cfg.Path, d)...)
		s.late.chain = []qdisc.Qdisc{withoutLoss(delay, cfg, words)}
	}
	largest := unit.Size(0)
	if d.NoPMTUD {
		largest = unit.Size(cfg.Path.EffectiveMTU() + header)
	}
	first.police = police(d.Policer, largest)
	s.udp = planUDP(cfg, d.UDP, t, words)
	return s, nil
}

// planUDP is what UDP alone meets.
func planUDP(cfg Config, u path.UDP, t traits, words string) stage {
	s := stage{police: police(u.Policer, 0)}
	if t.udpLoses || u.Rate > 0 {
		s.chain = []qdisc.Qdisc{entry(loss(u.Loss), seed(cfg.Seed, words+" udp"))}
	}
	if u.Rate > 0 {
		s.chain = append(s.chain, qdisc.TBF{Rate: u.Rate, Burst: burst(cfg.Path, u.Rate), Limit: t.udpQueue})
	}
	return s
}

// police is a policer that drops what is larger than a frame as well; nil for
// none.
func police(p path.Policer, largest unit.Size) *qdisc.Police {
	police := qdisc.Police{Rate: p.Rate, Burst: p.Burst, Largest: largest}
	if police == (qdisc.Police{}) {
		return nil
	}
	return &police
}

// entry is a netem that takes time, however little, and so frees the packets of
// the socket that sent them. Without it what waits in the bottleneck behind it
// would hold its sender back, as if it waited in the sender's own card.
func entry(loss qdisc.Loss, seed uint64) qdisc.Netem {
	return qdisc.Netem{Loss: loss, Rate: orderOnly, Limit: unlimited, Seed: seed}
}

// withoutLoss is a delay whose loss is elsewhere, with random numbers of its
// own.
func withoutLoss(delay qdisc.Netem, cfg Config, words string) qdisc.Netem {
	delay.Loss = nil
	delay.Seed = seed(cfg.Seed, words+" jitter")
	return delay
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
		return q, fmt.Errorf("jitter %v exceeds the %v that netem supports with this distribution", d.Jitter, most)
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

const header = 14 // Ethernet's

// bottleneck is a rate and the queue in front of it.
func bottleneck(p path.Path, d path.Direction) []qdisc.Qdisc {
	if d.Queue.AQM == path.Cake {
		return []qdisc.Qdisc{qdisc.Cake{Bandwidth: d.Rate}}
	}
	tbf := qdisc.TBF{Rate: d.Rate, Burst: burst(p, d.Rate), Limit: p.QueueBytes(d)}
	if d.Queue.AQM != "" {
		return []qdisc.Qdisc{tbf, qdisc.Stock(d.Queue.AQM)}
	}
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
	const lateness = 100 * time.Microsecond
	frame := unit.Size(p.HostMTU() + header)
	return frame + max(frame, unit.Size(float64(rate)/8*lateness.Seconds()))
}
