package qdisc

import (
	"encoding/binary"
	"math"
	"time"

	"unchoke/internal/linux/rtnl"
	"unchoke/internal/unit"
)

// Netem delays and loses packets at random.
type Netem struct {
	Delay  time.Duration
	Jitter time.Duration // scales Table; the kernel takes at most MaxJitter
	Table  []int16       // quantiles of the jitter, TableScale being one Jitter; at most MaxTable; a netem that is changed keeps its own where this is nil
	Loss   Loss
	// Rate also keeps packets in order: each leaves when the one before it
	// has been sent. 0 is none.
	Rate  unit.BitRate
	Limit int    // packets held
	Seed  uint64 // of the random numbers behind loss and jitter; kernels before 6.6 ignore it
}

// Bounds of the kernel's netem (linux/pkt_sched.h and tabledist in
// net/sched/sch_netem.c).
const (
	TableScale = 8192              // NETEM_DIST_SCALE
	MaxTable   = 16384             // NETEM_DIST_MAX
	MaxJitter  = math.MaxInt32 - 1 // in nanoseconds: larger ones are clipped
)

// Loss is a model of random loss. At most one is set.
type Loss interface{ loss() }

// RandomLoss loses each packet with this probability, independently.
type RandomLoss unit.Ratio

// GilbertElliott is a Markov chain of a good and a bad state that takes one
// step a packet.
type GilbertElliott struct {
	ToBad, ToGood unit.Ratio // probabilities of leaving the good and the bad state
	InBad, InGood unit.Ratio // probabilities of losing a packet in each state
}

func (RandomLoss) loss()     {}
func (GilbertElliott) loss() {}

// Kind is netem.
func (Netem) Kind() string { return "netem" }

// Attributes of netem (TCA_NETEM_*).
const (
	netemDelayDist = 2
	netemLoss      = 5
	netemRate      = 6
	netemRate64    = 8
	netemLatency64 = 10
	netemJitter64  = 11
	netemSeed      = 14

	netemLossGE = 2 // NETEM_LOSS_GE, nested in netemLoss
)

func (q Netem) options() []byte {
	// struct tc_netem_qopt: latency, limit, loss, gap, duplicate, jitter. The
	// times of 32 bits are overridden by those of 64.
	var random uint32
	if p, ok := q.Loss.(RandomLoss); ok {
		random = probability(unit.Ratio(p))
	}
	b := rtnl.U32(nil, 0)
	b = rtnl.U32(b, clamp32(int64(q.Limit)))
	b = rtnl.U32(b, random)
	b = append(b, make([]byte, 12)...)

	b = rtnl.Attr(b, netemLatency64, rtnl.U64(nil, uint64(q.Delay)))
	if q.Jitter > 0 {
		b = rtnl.Attr(b, netemJitter64, rtnl.U64(nil, uint64(q.Jitter)))
	}
	if len(q.Table) > 0 {
		b = rtnl.Attr(b, netemDelayDist, table(q.Table))
	}
	if ge, ok := q.Loss.(GilbertElliott); ok {
		b = rtnl.Attr(b, netemLoss, rtnl.Attr(nil, netemLossGE, ge.encode()))
	}
	// struct tc_netem_rate: rate, and the overheads of cells. A netem that is
	// changed would keep a rate that is not there.
	rate := bytesPerSecond(q.Rate)
	b = rtnl.Attr(b, netemRate, append(rtnl.U32(nil, uint32(min(rate, 1<<32-1))), make([]byte, 12)...))
	if rate > 0 {
		b = rtnl.Attr(b, netemRate64, rtnl.U64(nil, rate))
	}
	return rtnl.Attr(b, netemSeed, rtnl.U64(nil, q.Seed))
}

func table(quantiles []int16) []byte {
	b := make([]byte, 0, 2*len(quantiles))
	for _, v := range quantiles {
		b = binary.NativeEndian.AppendUint16(b, uint16(v))
	}
	return b
}

// encode is a struct tc_netem_gemodel: p, r, h, 1-k. The kernel's h is the
// probability that the bad state loses no packet.
func (m GilbertElliott) encode() []byte {
	b := rtnl.U32(nil, probability(m.ToBad))
	b = rtnl.U32(b, probability(m.ToGood))
	b = rtnl.U32(b, math.MaxUint32-probability(m.InBad))
	return rtnl.U32(b, probability(m.InGood))
}

// probability is p on the kernel's scale, where 2^32-1 is always.
func probability(p unit.Ratio) uint32 {
	return uint32(math.Round(min(max(float64(p), 0), 1) * math.MaxUint32))
}
