package diagnose

import (
	"fmt"
	"math"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// congested: other traffic fills the bottleneck, and one stream gets the share
// that it leaves.
func congested(v *view) *finding.Finding {
	if v.alone() && v.creeps() {
		return v.besideOthers()
	}
	others, found := v.others()
	if !found || !v.slow() {
		return nil
	}
	words, confidence := v.signOf(others)
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
		{What: "the path carries", Value: v.capacity, Unit: finding.BitRate},
	}
	if v.eight != nil {
		e = append(e, finding.Evidence{What: "eight streams carry", Value: v.eight.SteadyRate, Unit: finding.BitRate})
	}
	e = append(e,
		finding.Evidence{What: "RTT without our load, median", Value: v.idle.Mid, Unit: finding.Seconds},
		finding.Evidence{What: "least RTT that was seen", Value: v.leastSeen(), Unit: finding.Seconds},
		finding.Evidence{What: "RTT under load", Value: v.loaded.Mid, Unit: finding.Seconds},
		finding.Evidence{What: "UDP loss below the ceiling", Value: v.base.mean(), Unit: finding.Ratio},
	)
	return &finding.Finding{
		Cause:      finding.Congested,
		Confidence: confidence,
		Severity:   v.shortfall(),
		Summary: fmt.Sprintf("%s: one stream gets %s of %s.",
			words, rate(v.rate), rate(v.capacity)),
		Evidence: append(e, v.retransmitEvidence()...),
		Remedies: []finding.Remedy{
			quietHour,
			finding.Remedy{What: fairQueue + " DEV is its device towards the slow link.", Where: finding.Network}.By(finding.Shape(0.95 * v.capacity * wirePerGoodput)),
		},
	}
}

// besideOthers is the finding where one stream is all that was measured, and a queue
// of others' fills and drains without it: how fast the path is, nobody knows.
func (v *view) besideOthers() *finding.Finding {
	return &finding.Finding{
		Cause:      finding.Congested,
		Confidence: creepsSure,
		Severity:   0.5,
		Summary: fmt.Sprintf("A queue of others' fills and drains on the path without our load (RTT %s to %s), and one stream gets %s beside them. Nothing else was measured of this direction, so what the path carries is not known.",
			duration(v.idle.Low), duration(v.idle.High), rate(v.rate)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "RTT without our load, low", Value: v.idle.Low, Unit: finding.Seconds},
			{What: "RTT without our load, high", Value: v.idle.High, Unit: finding.Seconds},
		}, v.retransmitEvidence()...),
		Remedies: []finding.Remedy{quietHour, {What: fairQueue, Where: finding.Network}},
	}
}

// creepsSure: 4 of 4 kept directions like that are slow for others' traffic; a small
// count, shrunk.
const creepsSure = 0.7

var quietHour = finding.Remedy{
	What:  "Find out who else uses the link, and when: the path itself is as fast as it was sold. Measure again at a quiet hour.",
	Where: finding.Network,
}

const fairQueue = "Where the router at the bottleneck is yours, let cake share the link fairly between hosts, and keep the queue short."

// signOf says how other traffic shows, in words, and how sure that is.
func (v *view) signOf(o others) (words string, confidence float64) {
	switch o.by {
	case byConstant:
		return fmt.Sprintf("The more UDP we send above the ceiling, the more of it comes through, just as where others send %s into the same queue at one rate, whatever they meet: of the line's %s they leave %s", rate(o.constant.rate), rate(o.constant.line), rate(o.constant.line-o.constant.rate)), constantSure
	case byDraining:
		return fmt.Sprintf("A queue stands at the bottleneck without our load, and the RTT falls below the idle one (from %s to %s) when others give way", duration(v.idle.Mid), duration(v.leastSeen())), 0.9
	case bySwaying:
		return fmt.Sprintf("A queue fills and drains at the bottleneck without our load (RTT %s to %s), up to where our own overload fills it", duration(v.idle.Low), duration(v.idle.High)), 0.9
	case byFairShare:
		return "The bottleneck shares its rate between flows, and others take most of the shares: eight streams get more than any one flow, however fast it sends", 0.9
	case byStirring:
		return fmt.Sprintf("A queue fills and drains on the path without our load (RTT %s to %s), in one direction or the other", duration(v.idle.Low), duration(v.idle.High)), stirsSure
	case byOutsending:
		return fmt.Sprintf("The more UDP we send, the more of it comes through, from %s to %s, while the queue at the bottleneck takes equally long: its line has one rate, and others have the rest of it", rate(o.least), rate(o.most)), outsentSure
	case byTaking:
		return fmt.Sprintf("A queue stands at the bottleneck for a while, which is then busy, and our stream has between %s and %s of its rate meanwhile: other traffic, which comes and goes, has the rest", percent(o.least), percent(o.most)), takenSure
	case byCrowding:
		return "One stream fills the queue at the bottleneck, as do eight, although they carry only a part of its rate: other traffic, which does not give way, has the rest", 0.7
	case byOutbidding:
		return fmt.Sprintf("Eight streams lose %s of their packets where one loses %s, and yet leave most of the path unused: loss that grows with what we send is other traffic's, which does not give way", percent(lostBy(v.eight, v.mss)), percent(v.losses.AllRatio())), 0.6
	}
	return "Packets that we send far below the path's rate find its queue standing, and some are dropped there: other traffic keeps it full", besiegedSure
}

// others are what shows of other traffic in the bottleneck.
type others struct {
	by       sign     // how it shows
	constant constant // where they send at one rate
	// least and most are what came through of our UDP in bit/s (byOutsending), or
	// our stream's share of the bottleneck (byTaking).
	least, most float64
}

// sign is how other traffic shows.
type sign int

const (
	byConstant   sign = iota // UDP above the ceiling gets its part of one queue
	byDraining               // the RTT falls below the idle one
	bySwaying                // the idle RTT moves as a queue's length does, up to the queue's end
	byFairShare              // eight streams get more than any one flow
	byStirring               // the idle RTT moves as a queue's length does
	byOutsending             // more UDP gets more of a line that has one rate
	byTaking                 // a busy bottleneck gives our stream a part, which changes
	byCrowding               // one stream and eight fill the queue, and carry a part
	byOutbidding             // eight streams lose more, and leave most unused
	byBesieging              // whatever we send meets a queue that stands
)

// others looks for other traffic in the bottleneck.
func (v *view) others() (o others, found bool) {
	if o.constant, found = v.constantOthers(); found {
		o.by = byConstant
		return o, true
	}
	switch {
	case v.drains():
		return others{by: byDraining}, true
	case v.sways():
		return others{by: bySwaying}, true
	case v.fairShare():
		return others{by: byFairShare}, true
	case v.stirs():
		return others{by: byStirring}, true
	}
	if least, most, found := v.outsent(); found {
		return others{by: byOutsending, least: least, most: most}, true
	}
	if v.slows() {
		return others{}, false // what looks like others' share is the path's own rate
	}
	if least, most, found := v.taken(); found {
		return others{by: byTaking, least: least, most: most}, true
	}
	switch {
	case v.crowded():
		return others{by: byCrowding}, true
	case v.outbid():
		return others{by: byOutbidding}, true
	case v.besieged():
		return others{by: byBesieging}, true
	}
	return others{}, false
}

// besiegedSure: a path whose own rate is low again and again looks alike.
const besiegedSure = 0.6

// besieged says that whatever we send far below the path's rate meets a queue that
// stands and drops some of it, which so little does not fill.
func (v *view) besieged() bool {
	if v.idle.Dev >= jitterOfRTT*v.idle.Mid || v.bunches() {
		return false
	}
	n := 0
	for _, r := range v.rungs {
		if r.sent >= shallowShare*v.capacity || float64(r.packets) < fairSample/3 {
			continue
		}
		if lost := (proportion{k: r.lost, n: r.packets}); !v.inQueue(r) || lost.low() < besiegedLost {
			return false
		}
		n++
	}
	return n >= 2
}

// besiegedLost is more than random loss leaves to a stream that fills its path.
const besiegedLost = 0.01

// takenSure is the confidence where others show by our share of a busy bottleneck.
const takenSure = 0.75

// drains says that the RTT fell below what it was without our load: a queue
// stood there, and others gave way. The same quantile is compared, so that
// jitter does not pass for it.
func (v *view) drains() bool {
	if v.floor <= 0 || v.idle.N < 20 {
		return false
	}
	if v.fallsTo(v.floor) {
		return true
	}
	// Under a flood of ours others give way as well, or stop for a moment by
	// themselves, as BBR does to find the RTT. A path whose delay changes does so
	// whatever the load; the queue without our load stands at its end.
	least := v.leastBeside()
	span := v.idle.High - least
	return least > 0 && v.fallsTo(least) && v.fullQueue() > 0 && v.fullQueue() < v.idle.High+sameEnd*span
}

// fallsTo says that an RTT lies below the idle one by more than noise.
func (v *view) fallsTo(rtt float64) bool {
	return v.idle.Low-rtt > max(3*v.idle.Dev, 0.05*v.idle.Mid, 2*leastSwaySeconds)
}

// leastBeside is the least RTT below which several echo probes in a row came back
// beside our load of either direction; 0 where there were none. Others who send by
// BBR give way together, for a moment in ten seconds.
func (v *view) leastBeside() float64 {
	least := 0.0
	for i := range v.run.Echoes {
		e := &v.run.Echoes[i]
		if e.Name == "idle" {
			continue
		}
		all := rtts(e, 0, math.Inf(1))
		for i := 0; i+inRow <= len(all); i++ {
			if most := slices.Max(all[i : i+inRow]); least == 0 || most < least {
				least = most
			}
		}
	}
	return least
}

// leastSeen is the least RTT beside our load.
func (v *view) leastSeen() float64 {
	if least := v.leastBeside(); least > 0 {
		return min(v.floor, least)
	}
	return v.floor
}

// inRow probes are no chance.
const inRow = 4

// fullQueue is the RTT of echo probes while the path was overloaded; 0 where it
// never was.
func (v *view) fullQueue() float64 {
	full := 0.0
	for _, r := range v.overloads() {
		if r.risen {
			full = max(full, r.spread.Mid)
		}
	}
	return full
}

// fairShare says that a flood of UDP got less than eight TCP streams did: the
// bottleneck serves flows in turn, and other flows take their turns. So it must be
// seen to keep flows apart, or others to stand in its queue.
func (v *view) fairShare() bool {
	top, overloaded := v.ceiling()
	top = max(top, v.served) // what of each rung waited in a queue of its own came beside the next
	apart := v.isolated() || v.stirred()
	if v.eight == nil || v.eight.Rate < fairGain*top {
		return false // what streams had waited for came at once, after a loss: for a moment more than the line carries
	}
	return overloaded && apart && v.eight.SteadyRate > fairGain*top && v.eight.SteadyRate > fairGain*v.rate
}

// crowded says that one stream and eight met a full queue though UDP, which
// does not give way, carried much more. Acknowledgements that queue on the way
// back look the same from here, and are excluded by their own figures.
func (v *view) crowded() bool {
	if v.eight == nil || !v.queued() || v.rate < v.eight.SteadyRate/crowdedAlike || v.capacity < crowdedLeft*v.eight.SteadyRate {
		return false
	}
	if typical(v.one) > baselineShare*v.capacity || typical(v.eight) > baselineShare*v.capacity {
		return false // it has the path to itself, but for a while in which nothing came through
	}
	full := v.fullQueue()
	if v.bunches() {
		return false
	}
	if _, acks := v.acksQueue(); acks {
		return false
	}
	return full > 0 && v.busier.Mid-v.idle.Mid > 0.5*(full-v.idle.Mid) && v.busier.Mid < crowdedAlike*full
}

// outbid says that eight streams, which leave most of what UDP gets through, lose
// a far larger share than one stream and than UDP sent evenly do. Random loss
// takes the same share of everything; a short queue takes nothing that comes
// evenly. An outage during the eight streams would take all.
func (v *view) outbid() bool {
	if v.eight == nil || v.eight.SteadyRate > leavesUnused*v.capacity || len(v.out.all) > 0 || len(v.stalls) > 0 {
		return false
	}
	if v.base.k < 5 || v.reordered() || v.eight.Retransmits < manyLost {
		return false
	}
	return lostBy(v.eight, v.mss) > lossGrows*max(v.losses.AllRatio(), v.base.high())
}

// manyLost packets tell a share to within a third (95 %, Poisson).
const manyLost = 40

// lostBy is the share of a TCP transfer's segments that its senders resent.
func lostBy(t *record.Transfer, mss int) float64 {
	sent := t.Rate*t.Duration/8/float64(mss) + float64(t.Retransmits)
	if t.Retransmits <= 0 {
		return 0
	}
	return float64(t.Retransmits) / sent
}

// typical is the median rate of the intervals of a transfer that is under way,
// in bit/s: an outage of part of them does not lower it.
func typical(t *record.Transfer) float64 {
	var rates []float64
	for _, i := range t.Intervals {
		if i.At > steadyFrom*t.Duration {
			rates = append(rates, i.Rate)
		}
	}
	if len(rates) == 0 {
		return 0
	}
	return stats.Median(rates)
}

// floorOf is the least RTT under any load, its 5th percentile where echo probes
// tell it.
func floorOf(v *view) float64 {
	floor := 0.0
	for _, t := range v.tcp() {
		under := flow.SpreadOf(rtts(v.run.Echo(t.Name), 0, t.Duration))
		if under.N >= 20 && (floor == 0 || under.Low < floor) {
			floor = under.Low
		}
	}
	return floor
}
