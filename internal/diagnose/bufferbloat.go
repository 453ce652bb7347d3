package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/stats"
)

// bufferbloat: a queue far larger than the path needs stands at the
// bottleneck.
func bufferbloat(v *view) *finding.Finding {
	by, under, alone, found := v.standing()
	if !found {
		return nil
	}
	if _, acks := v.acksQueue(); acks {
		return nil // acknowledgements that queue on the way back are their own cause
	}
	if v.eight != nil && by == v.eight.Name && !v.slow() && (!v.rising || v.fullIsShort()) {
		return nil // one stream fills the path and leaves the queue short, as behind an AQM
	}
	excess := under.Mid - v.idle.Mid
	severity := stats.Clamp(excess/(excess+bloatFactor*v.idle.Mid+bloatExcess), 0, 1)
	if v.slow() || !alone {
		// The queue makes others wait; it does not make this stream slow.
		severity *= 0.3
	}
	counts := max(bloatExcess, (bloatFactor-1)*v.idle.Mid)
	confidence := bloatLeast + (bloatMost-bloatLeast)*stats.Clamp(excess/counts-1, 0, 1)
	if v.slows() || v.halves(by) {
		confidence = slowsMost
	}
	return &finding.Finding{
		Cause:      finding.Bufferbloat,
		Confidence: confidence,
		Severity:   severity,
		Summary: fmt.Sprintf("A queue of %s stands at the bottleneck: the round trip takes %s idle and %s under load, for everyone on it.",
			duration(excess), duration(v.idle.Mid), duration(under.Mid)),
		Evidence: []finding.Evidence{
			{What: "RTT idle", Value: v.idle.Mid, Unit: finding.Seconds},
			{What: "RTT under load, median", Value: under.Mid, Unit: finding.Seconds},
			{What: "RTT under load, 95th percentile", Value: under.High, Unit: finding.Seconds},
			{What: "queue standing at the bottleneck", Value: excess * v.capacity / 8, Unit: finding.Bytes},
			{What: "bandwidth-delay product", Value: v.bdp(), Unit: finding.Bytes},
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "measured under " + by, Value: v.capacity, Unit: finding.BitRate},
		},
		Remedies: []finding.Remedy{
			finding.Remedy{
				What:  "Let a smart queue stand in front of the bottleneck: on the router that feeds it, shape to just below its rate with cake (DEV is the device towards the slow link).",
				Where: finding.Network,
			}.By(finding.Shape(0.95 * v.capacity)),
			v.bloatAtSender(),
		},
	}
}

// How sure bufferbloat is: just above what counts as such 5 of 7 were right at first
// sight, half as far again 21 of 23, from twice that on all of the last nine draws.
const (
	bloatLeast = 0.75
	bloatMost  = 0.99
)

// halves says that eight streams had less than half of what one stream had, where
// the queue stood under them, or where UDP above the ceiling had as little.
func (v *view) halves(by string) bool {
	if v.eight == nil || v.eight.SteadyRate >= v.rate/2 {
		return false
	}
	top, known := v.ceiling()
	return by == v.eight.Name || known && top < v.rate/2
}

// slowsMost is the confidence where the path's own rate changes, as one that gives
// eight streams less than half of what one had: at another time another queue stands.
const slowsMost = 0.6

// standing looks for the queue under one stream, then under eight, then, for a
// stream that was still filling it when it ended, in the UDP rungs that
// overflowed it: a loss-based sender goes on until the queue is full.
func (v *view) standing() (by string, under flow.Spread, alone, found bool) {
	switch {
	case v.bbrStarts():
		// The queue is the start-up's, which the stream did not outlast.
	case v.slows() && !bloated(v.idle, v.whileLoaded()):
		// It stands only while the path's own rate is down.
	case bloated(v.idle, v.loaded):
		return v.one.Name, v.loaded, true, true
	case bloated(v.idle, v.ending):
		return v.one.Name, v.ending, true, true
	case v.eight != nil && bloated(v.idle, v.busier) && v.crowdWaits():
		return v.eight.Name, v.busier, !v.slow(), true
	case v.crowdWaitsLittle():
		// An AQM that a flood of UDP overran before it answered.
	case v.ending.Mid-v.idle.Mid < v.few():
		// The stream keeps no queue: a packet in front of it on a slow line takes
		// that long, and no queue manages that away.
	case v.rising && v.ending.Mid > fillingRise*v.idle.Mid && !v.slow() && (v.cc == "" || lossBased[v.cc]):
		for _, r := range v.overloads() {
			full := r.spread
			full.Mid = (full.Mid - v.shift()) * cubicMean
			if bloated(v.idle, full) {
				return r.name, full, true, true
			}
		}
	}
	return "", flow.Spread{}, false, false
}

// crowdWaits says that what eight streams wait for is a queue that stands this way: more
// packets than all of them sent at once when they began (RFC 6928), and not clearly
// more than the queue held when UDP overflowed it, as where their acknowledgements
// queue on the way back.
func (v *view) crowdWaits() bool {
	begun := float64(v.eight.Streams*initialWindow) * v.few() / 2
	full := v.fullQueue()
	return v.busier.Mid-v.idle.Mid > begun && (full <= 0 || v.busier.Mid < overFull*full)
}

// fullIsShort says that packets waited too little for bufferbloat while UDP overran
// the queue at the bottleneck: what eight streams wait for longer stands elsewhere, as
// where a tunnel's own packets queue.
func (v *view) fullIsShort() bool {
	own, _, known := v.wait()
	full := v.idle
	full.Mid += own
	return known && !bloated(v.idle, full)
}

// shift is how far the RTT stood above the idle one beside a rung that the path
// carried, in seconds: the path's own delay, as after a handover, and no queue.
func (v *view) shift() float64 {
	most := 0.0
	for _, r := range v.rungs {
		if r.risen && !r.overloaded(v.rungs) {
			most = max(most, r.rise)
		}
	}
	return most
}

// crowdWaitsLittle says that eight streams filled the path, which fill any queue
// that lets them, and that the RTT under them was known.
func (v *view) crowdWaitsLittle() bool {
	return v.eight != nil && v.busier.N > 0 && v.eight.SteadyRate > baselineShare*v.capacity
}

func (v *view) bloatAtSender() finding.Remedy {
	if v.cc == "bbr" {
		return finding.Remedy{
			What:  "BBR keeps its own queue short already: what stands here is other traffic's, or several streams'.",
			Where: finding.Sender, Host: v.sender(),
		}
	}
	return finding.Remedy{
		What:  "Where the router cannot be changed: a sender that paces itself to what arrives (BBR) leaves the queue nearly empty.",
		Where: finding.Sender,
		Host:  v.sender(),
	}.By(finding.UseCC("bbr"))
}

// nearlyBloated is how much longer the round trip takes under load, where that is
// not far from what counts as bufferbloat; 0 elsewhere. How long a queue is that a
// stream of seconds fills differs by so much from run to run.
func (v *view) nearlyBloated() float64 {
	most := 0.0
	for _, under := range []flow.Spread{v.loaded, v.ending, v.busier} {
		if under.N > 0 && v.idle.N > 0 && under.Mid > bloatFactor*v.idle.Mid {
			most = max(most, under.Mid-v.idle.Mid)
		}
	}
	if most < nearExcess*bloatExcess {
		return 0
	}
	return most
}

// nearBloat is the confidence of a healthy path where nearlyBloated: 14 of 14 in the
// last nine draws.
const nearBloat = 0.92

// few is how long the bottleneck takes for the packets of which any queue holds
// one or two, in seconds: one on its way out, one that waits.
func (v *view) few() float64 {
	return 2 * float64(8*(v.mss+ackSize)) / max(v.capacity, 1)
}

func bloated(idle, load flow.Spread) bool {
	return idle.N > 0 && load.N > 0 && load.Mid > bloatFactor*idle.Mid && load.Mid > idle.Mid+bloatExcess
}
