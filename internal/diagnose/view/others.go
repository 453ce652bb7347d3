package view

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// Others are what shows of other traffic in the bottleneck.
type Others struct {
	By       Sign     // how it shows
	Constant Constant // where they send at one rate
	// least and most are what came through of our UDP in bit/s (ByOutsending), or
	// our stream's share of the bottleneck (ByTaking). Most is the line's rate in bit/s
	// (ByInterleaving).
	Least, Most float64
}

// Sign is how other traffic shows.
type Sign int

const (
	NoSign         Sign = iota
	ByConstant          // UDP above the ceiling gets its part of one queue
	ByDraining          // the RTT falls below the idle one
	BySwaying           // the idle RTT moves as a queue's length does, up to the queue's end
	ByFairShare         // eight streams get more than any one flow
	ByStirring          // the idle RTT moves as a queue's length does
	ByOutsending        // more UDP gets more of a line that has one rate
	ByTaking            // a busy bottleneck gives our stream a part, which changes
	ByCrowding          // one stream and eight fill the queue, and carry a part
	ByOutbidding        // eight streams lose more, and leave most unused
	ByBesieging         // whatever we send meets a queue that stands
	ByFullQueue         // the idle RTT ends where our overload takes it, and little is lost at any rate
	ByTurns             // what is sent gently waits in a queue of its own
	ByLosingIdle        // many packets are lost, and the RTT moves, before anything is sent
	ByInterleaving      // others' packets come between ours
)

// Others looks for other traffic in the bottleneck.
func (v *View) Others() (o Others, found bool) {
	if o.Constant, found = v.constantOthers(); found {
		o.By = ByConstant
		return o, true
	}
	switch {
	case v.drains():
		return Others{By: ByDraining}, true
	case v.sways():
		return Others{By: BySwaying}, true
	case v.fairShare():
		return Others{By: ByFairShare}, true
	case v.stirs():
		return Others{By: ByStirring}, true
	case v.keptFull():
		return Others{By: ByFullQueue}, true
	case v.losesIdle():
		return Others{By: ByLosingIdle}, true
	case v.takesTurns():
		return Others{By: ByTurns}, true
	case v.emptiesTo(v.LeastSeen()) && v.besieged():
		return Others{By: ByBesieging}, true
	}
	if line, found := v.interleaved(); found {
		return Others{By: ByInterleaving, Most: line}, true
	}
	if least, most, found := v.outsent(); found {
		return Others{By: ByOutsending, Least: least, Most: most}, true
	}
	if v.Slows() {
		return Others{}, false // what looks like others' share is the path's own rate
	}
	if least, most, found := v.taken(); found {
		return Others{By: ByTaking, Least: least, Most: most}, true
	}
	switch {
	case v.crowded() || v.leftAlike():
		return Others{By: ByCrowding}, true
	case v.outbid():
		return Others{By: ByOutbidding}, true
	case v.besieged():
		return Others{By: ByBesieging}, true
	}
	return Others{}, false
}

// OthersBehind says that the queue which moves the idle RTT stands on the way back: what is
// lost this way is not others' doing then; how they delay and drop acknowledgements is.
func (v *View) OthersBehind() bool {
	return v.swings() && v.neverDelayed() || v.varies() && v.Moves() && v.passesWhole() || v.drainsOnWayBack()
}

// neverDelayed says that what came to this host evenly, far below the path's rate, was
// never delayed, as its own packets' times tell. Of what this host sends it does not know
// that.
func (v *View) neverDelayed() bool {
	if v.Dir != record.Down {
		return false
	}
	n, most := int64(0), 0.0
	for _, r := range v.Rungs {
		if r.Timed && r.Sent < gentleShare*v.Capacity && !r.Overloaded(v.Rungs) {
			n, most = n+r.Packets, max(most, r.OwnMost)
		}
	}
	return float64(n) >= fairSample/6 && most < behindShare*(v.Idle.High-v.Idle.Low)
}

// keptFull says that the queue at the bottleneck is always nearly full: without our
// load the RTT already reaches where our overload takes it, and what is sent evenly,
// far below the path's rate, loses packets. Many streams keep a queue like that, whose
// RTT then changes by a packet or two, as fast as jitter does. Random loss leaves the
// RTT as it is, and a policer's overload does; jitter that keeps the order grows beside
// gentle rungs, and other jitter lets packets overtake.
func (v *View) keptFull() bool {
	full, span := v.FullQueue(), v.Idle.High-v.Idle.Low
	reaches := full > v.Idle.High-span/4 && full < v.Idle.High+span/2
	return reaches && (v.varies() || v.dips()) && v.Base.K >= 3 && v.Base.Low() >= besiegedLost
}

// KeptFull says that others show by a queue which never drains: nothing waits longer beside
// it than before, and what it drops is no chance.
func (v *View) KeptFull() bool {
	o, _ := v.Others()
	return o.By == ByFullQueue
}

// dips says that the RTT without our load is nearly always at its longest, and shorter now
// and then, as beside others who keep a queue full and pause: no jitter is so lopsided.
func (v *View) dips() bool {
	above, below := v.Idle.High-v.Idle.Mid, v.Idle.Mid-v.Idle.Low
	return v.Idle.N >= tellingProbes && above > 0 && below >= max(lopsided*above, seen.LeastSwaySeconds/2)
}

// lopsided: of 25 kept paths whose RTT varies, two beside BBR streams in a queue of a few
// milliseconds spread 4 and 9 times as far below the median as above, all others less than
// twice.
const lopsided = 5

// losesIdle says that a twentieth of the echo probes or more got no answer before
// anything was sent, while the RTT moved as a queue's length does.
func (v *View) losesIdle() bool {
	lost := seen.LostUnloaded(v.Run)
	return v.Slow() && v.varies() && lost.Low() >= HeavyLoss
}

// varies says that the idle RTT is not constant, and not for jitter: packets neither
// overtake each other nor wait longer beside gentle rungs.
func (v *View) varies() bool {
	return v.swings() && !v.Jittery() && !v.Overtaken()
}

// besieged says that whatever we send far below the path's rate meets a queue that
// stands and drops some of it, which so little does not fill. Rungs of too few packets
// to tell count as one together.
func (v *View) besieged() bool {
	if v.Idle.Dev >= JitterOfRTT*v.Idle.Mid && !v.emptiesTo(v.LeastSeen()) || v.Bunches() {
		return false
	}
	n := 0
	var few seen.Proportion
	for _, r := range v.Rungs {
		if r.Sent >= ShallowShare*v.Capacity {
			continue
		}
		lost := seen.Proportion{K: r.Lost, N: r.Packets}
		switch {
		case float64(r.Packets) < fairSample/3:
			few.Add(lost.K, lost.N)
		case !v.inQueue(r) || lost.Low() < besiegedLost:
			return false
		default:
			n++
		}
	}
	if float64(few.N) >= fairSample/3 && few.Low() >= besiegedLost {
		n++
	}
	return n >= 2
}

// besiegedLost is more than random loss leaves to a stream that fills its path.
const besiegedLost = 0.01

// fairShare says that a flood of UDP got less than eight TCP streams did: the
// bottleneck serves flows in turn, and other flows take their turns. So it must be
// seen to keep flows apart, or others to stand in its queue.
func (v *View) fairShare() bool {
	top, overloaded := v.Ceiling()
	top = max(top, v.served) // what of each rung waited in a queue of its own came beside the next
	apart := v.Isolated() || v.stirred()
	if v.Eight == nil || v.Eight.Rate < fairGain*top {
		return false // what streams had waited for came at once, after a loss: for a moment more than the line carries
	}
	if v.Isolated() && v.Rate < ownShare*top {
		return false // a queue of its own holds a stream to its share, no lower
	}
	return overloaded && apart && v.Eight.SteadyRate > fairGain*top && v.Eight.SteadyRate > fairGain*v.Rate
}

// ownShare of what a flood of UDP gets is less than a stream has that others' turns hold
// back: 0.9 and 0.99 are kept, and 0.33 of one that a queue of three packets held.
const ownShare = 0.5

// crowded says that one stream and eight met a full queue though UDP, which
// does not give way, carried much more. Acknowledgements that queue on the way
// back look the same from here, and are excluded by their own figures.
func (v *View) crowded() bool {
	if v.Eight == nil || !v.Queued() || v.Rate < v.Eight.SteadyRate/crowdedAlike || v.Capacity < crowdedLeft*v.Eight.SteadyRate {
		return false
	}
	if seen.TypicalRate(v.One) > baselineShare*v.Capacity || seen.TypicalRate(v.Eight) > baselineShare*v.Capacity {
		return false // it has the path to itself, but for a while in which nothing came through
	}
	if v.fastestBy(v.One.Duration) >= filledAtOnce*v.Capacity {
		return false // it had all of the path for a while, which those who never give way leave nobody
	}
	full := v.FullQueue()
	if v.Bunches() || v.Releases() || v.Idle.Dev >= JitterOfRTT*v.Idle.Mid && v.Idle.High-v.Idle.Low > (full-v.Idle.Mid)/2 {
		return false // what stands may be packets that were held back for the order's sake
	}
	if _, acks := v.AcksQueue(); acks {
		return false
	}
	return full > 0 && v.Busier.Mid-v.Idle.Mid > 0.5*(full-v.Idle.Mid) && v.Busier.Mid < crowdedAlike*full
}

// outbid says that eight streams, which leave most of what UDP gets through, lose
// a far larger share than one stream and than UDP sent evenly do. Random loss
// takes the same share of everything; a short queue takes nothing that comes
// evenly. An outage during the eight streams would take all.
func (v *View) outbid() bool {
	if v.Eight == nil || v.Eight.SteadyRate > leavesUnused*v.Capacity || len(v.Out.All) > 0 || len(v.Stalls) > 0 {
		return false
	}
	if v.Base.K < 5 || v.lossyRungs() < 2 || v.Reordered() || v.Eight.Retransmits < manyLost {
		return false
	}
	if _, policed := v.Policer(); policed {
		return false // eight streams' bursts empty a bucket more often than one's
	}
	return seen.LostBy(v.Eight, v.MSS) > lossGrows*max(v.Losses.AllRatio(), v.Base.High())
}

// lossyRungs is how many rungs of the baseline lost packets: what one of them lost may be
// a burst that it met.
func (v *View) lossyRungs() int {
	n := 0
	for _, r := range v.Rungs {
		if r.Lost > 0 && v.inBaseline(r) {
			n++
		}
	}
	return n
}

// manyLost packets tell a share to within a third (95 %, Poisson).
const manyLost = 40
