package twin

import (
	"math"
	"math/rand/v2"

	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/unit"
	"unchoke/internal/wire"
)

// Queue is what stands in front of the bottleneck.
type Queue struct {
	Wait Param // seconds that a full one takes to drain; not known: nothing filled it
	// Managed is how likely it is an AQM, and AQMs which.
	Managed float64
	AQMs    []path.AQM
}

// Policer is a token bucket without a queue, if there is one.
type Policer struct {
	Sure    float64  // how likely it is there
	Buckets []Bucket // what it may be, by their bursts
}

// middle is the bucket in the middle of what may be.
func (p Policer) middle() path.Policer { return p.Buckets[len(p.Buckets)/2].policer() }

func (b Bucket) policer() path.Policer {
	return path.Policer{Rate: bits(b.Rate), Burst: bytes(b.Burst)}
}

// bottleneck fits rate, queue, policer and other traffic of a direction. frame
// is how many link-layer bytes carry a byte of payload.
func (w *Way) bottleneck(r *record.Run, d record.Direction, frame float64) {
	f := w.figures
	if w.shaped(r, d, frame) {
		return
	}
	switch {
	case f.Policer > 0 && !f.Isolated:
		w.Policer = w.policer(r, d, f.Policer, frame)
		return // what lies behind it is never full
	case len(f.Overloads) > 0 || f.Queued:
		w.Rate = w.met(frame)
	default:
		// Nothing met the bottleneck. It is no slower than what arrived: enough to
		// know only where that is far more than a stream carries.
		w.Rate = Param{f.Capacity * frame, f.Capacity * frame, 2 * f.Capacity * frame}
		w.unmet = f.Capacity < farAbove*f.Rate
		if f.Eight != nil && f.Eight.SteadyRate < noMore*f.Rate {
			w.Rate.High, w.unmet = noMore*w.Rate.Value, false // eight streams carry no more than one: both met it
		}
	}
	w.queue()
	w.hidden(r, d, frame)
	switch {
	case w.others && f.Constant > 0:
		w.constant(frame)
	case w.others:
		w.crossing()
	}
}

// met is the rate of a bottleneck that something filled: what the stream
// carried, or UDP above the ceiling, which tells it better. What was counted in a
// short time is two packets off, and one rung alone by what the queue still held
// at its end. Behind a delay that varies, some of it arrives too late to be
// counted.
func (w *Way) met(frame float64) Param {
	f := w.figures
	least, most, duration, held := f.Capacity, f.Capacity, f.One.Duration, 0.0
	for _, o := range f.Overloads {
		least, duration = min(least, o.Delivered), min(duration, o.Duration)
		if w.Jitter.Known() && o.Duration > 0 {
			most = max(most, o.Delivered, min(o.Sent, o.Arrived/o.Duration))
		}
	}
	if f.Queued && f.Loaded.Mid-f.Idle.Mid >= w.bunched(bunchedMost) {
		// Streams that fill a queue carry the rate, however little UDP was counted.
		carried := f.Rate
		if f.Eight != nil {
			carried = max(carried, f.Eight.SteadyRate)
		}
		if len(f.Overloads) == 0 || carried > mostOfIt*least {
			least = min(least, carried)
		}
	}
	if len(f.Overloads) == 1 {
		held = max(f.OwnWait, 0) / duration
	}
	off := 1 + rateError + 2/max(f.Capacity*duration/8/float64(max(f.MSS, 1)), 2)
	return Param{f.Capacity * frame, least * frame / (off + held), most * frame * off}
}

// mostOfIt: streams that carry less of what UDP had while it met the bottleneck are held by
// something else, as by bunches that overflow the queue.
const mostOfIt = 0.75

// farAbove: a ladder that was not cut short reaches eighty times what one stream
// carries; few remedies gain twenty times.
const farAbove = 20

// noMore: eight streams on a path that one leaves unused carry several times as much.
const noMore = 1.25

// rateError is of a count that lasts long: headers that are not as supposed.
const rateError = 0.03

// queue reads the wait in front of the bottleneck. UDP above the ceiling waits
// for all of a queue that it had the time to fill; a stream that fills one waits
// for all of it at its peaks.
func (w *Way) queue() {
	f := w.figures
	under, watched := w.under()
	wait := max(f.OwnWait, 0)
	lost := false
	for _, o := range f.Overloads {
		lost = lost || o.Arrived < 0.95*o.Sent*o.Duration
	}
	switch {
	case f.Isolated:
		w.Queue = Queue{Wait: about(max(wait, leastWait), 2), Managed: 1, AQMs: []path.AQM{path.FQCoDel, path.FQCoDel, path.Cake}}
	case wait > leastWait && lost:
		w.Queue.Wait = Param{wait, 0.75 * wait, 1.35 * max(wait, min(under, 2*wait))}
		if watched && under < wait/3 && f.Losses.Real > 0 {
			// One stream never fills what a flood does: something drops early.
			w.Queue.Managed, w.Queue.AQMs = 0.6, []path.AQM{path.CoDel, path.PIE}
			if f.Lost >= 2 || f.Reordered {
				w.Queue.Managed = 0.2 // or it was held back by something else
			}
		}
	case f.Queued || wait > leastWait:
		// It was filled by something, and perhaps not to its end.
		seen := max(wait, under, leastWait)
		w.Queue.Wait = Param{1.1 * seen, 0.8 * seen, 3 * seen}
	case len(f.Overloads) > 0:
		w.Queue.Wait = Param{leastWait, leastWait / 8, 2 * leastWait}
	}
	if q := &w.Queue.Wait; q.Known() {
		q.Value = max(q.Value-w.bunched(bunchedLikely), min(q.Value, leastWait))
		q.Low = max(q.Low-w.bunched(bunchedMost), min(q.Low, leastWait/8))
	}
}

// under is how much longer packets took beside one stream or eight than without them,
// in seconds; known is false where no echo tells.
func (w *Way) under() (most float64, known bool) {
	f := w.figures
	if f.Idle.N == 0 || f.Loaded.N == 0 && f.Busier.N == 0 {
		return 0, false
	}
	if f.Loaded.N > 0 {
		most = max(f.Loaded.High-f.Idle.High, f.Loaded.Mid-f.Idle.Mid)
	}
	return max(most, f.Busier.High-f.Idle.High, 0), true
}

// bunched is how long packets that come close together wait without a queue, in
// seconds, where the delay varies and they keep their order: each for the slowest
// before it, which is so many standard deviations above the mean.
func (w *Way) bunched(deviations float64) float64 {
	if !w.Jitter.Known() || w.Order == path.Free {
		return 0
	}
	return deviations * w.Jitter.Value
}

// netem's distributions end four standard deviations above the mean (32767 of the
// table's 8192 to one, iproute2's netem/*.dist); the fitted deviation is a fifth off.
const (
	bunchedLikely = 3
	bunchedMost   = 5
)

// datagram is how many link-layer bytes carry a byte of the payload of UDP, whose
// header of 8 bytes stands in place of TCP's 32.
func datagram(frame float64, mss int) float64 { return frame - 24/float64(mss) }

// lineMost is how many times faster than a policer the line may be in front of it.
const lineMost = 20

// leastWait: a shorter wait is not told from the error of the probes, in
// seconds.
const leastWait = 0.002

// hidden allows for a policer where the diagnosis does not see one for noise:
// what was sent too fast vanished, and little waited, as far as that was seen.
func (w *Way) hidden(r *record.Run, d record.Direction, frame float64) {
	f := w.figures
	if f.Isolated || len(f.Overloads) == 0 || !f.Waited || f.OwnWait > max(leastWait, 0.25*f.Idle.Mid, f.Idle.Dev) {
		return
	}
	w.Policer = w.policer(r, d, f.Overloads[len(f.Overloads)-1].Delivered, frame)
	w.Policer.Sure = 0.4
}

// likeliest is the direction by its likeliest figures. shared says that others' queue delays
// packets: quieten takes that from both ways.
func (w *Way) likeliest() (d path.Direction, shared bool) {
	d = path.Direction{Delay: seconds(w.Delay.Value)}
	w.vary(&d, w.Jitter.Value)
	d.Loss = w.Loss.likeliest()
	if w.Policer.Sure > 0.5 {
		d.Policer = w.Policer.middle()
		return d, false
	}
	if !w.Rate.Known() {
		return d, false
	}
	if w.SQM.Shaper != "" {
		d.SQM = w.SQM
		d.SQM.Rate = bits(w.Rate.Value)
		return d, false
	}
	d.Rate = bits(w.Rate.Value)
	switch {
	case w.Queue.Managed > 0.5:
		d.Queue.AQM = w.Queue.AQMs[0]
	case w.Queue.Wait.Known():
		d.Queue.Bytes = w.queueBytes(w.Rate.Value, w.Queue.Wait.Value)
	}
	if len(w.Cross) > 0 && !w.strays() {
		d.Cross = w.Cross[0]
		return d, true
	}
	return d, false
}

// vary gives a direction a delay that varies, by a standard deviation in seconds.
func (w *Way) vary(d *path.Direction, sigma float64) {
	if d.Jitter = seconds(sigma); d.Jitter > 0 {
		d.Dist, d.Order = w.Dist, w.Order
	}
}

// quieten gives a direction the delay that it has but for others' queue, which the RTT does
// not tell from the other way's. Packets overtake each other in no queue: what varies there
// is the path.
func (w *Way) quieten(d *path.Direction) {
	if d.Order != path.Free {
		d.Delay, d.Jitter, d.Dist, d.Order = seconds(w.Quiet), 0, "", ""
	}
}

// draw is a direction that the record allows, and whether others' queue delays its packets.
func (w *Way) draw(r *rand.Rand) (d path.Direction, shared bool) {
	d = path.Direction{Delay: seconds(w.Delay.at(r.Float64()))}
	if w.Jitter.Known() {
		w.vary(&d, w.Jitter.at(r.Float64()))
	}
	d.Loss = w.Loss.draw(r)
	u, v, managed, policed := r.Float64(), r.Float64(), r.Float64(), r.Float64()
	if policed < w.Policer.Sure {
		d.Policer = w.Policer.Buckets[int(u*float64(len(w.Policer.Buckets)))].policer()
		// The line before a policer is faster than that, and nobody knows how much: it
		// sets how close a burst's packets come.
		d.Rate = bits(float64(d.Policer.Rate) * Param{1, 1.5, lineMost}.at(v))
		d.Queue.BDP = 1
		return d, false
	}
	if !w.Rate.Known() {
		return d, false
	}
	rate := w.Rate.at(u)
	if w.SQM.Shaper != "" {
		d.SQM = w.SQM
		d.SQM.Rate = bits(rate)
		return d, false
	}
	d.Rate = bits(rate)
	switch {
	case managed < w.Queue.Managed:
		d.Queue.AQM = w.Queue.AQMs[r.IntN(len(w.Queue.AQMs))]
	case w.Queue.Wait.Known():
		d.Queue.Bytes = w.queueBytes(rate, w.Queue.Wait.at(v))
	default:
		// Nothing filled it. Between a tenth of a bandwidth-delay product and two.
		d.Queue.BDP = unit.Significant(Param{1, 0.1, 2}.at(v), 2)
	}
	// A delay that varies is others' queue, or jitter that looks like one.
	switch n := len(w.Cross); {
	case n > 0 && (w.figures.Constant > 0 || r.Float64() < 0.6):
		d.Cross, shared = w.Cross[r.IntN(n)], true
	case n > 0 && r.Float64() < 0.4:
		shared = true // UDP that does not give way: a slower line
	}
	return d, shared
}

// queueBytes is a wait as a length, of two full frames at least.
func (w *Way) queueBytes(rate, wait float64) unit.Size { return bytes(max(rate/8*wait, 2*wire.Frame)) }

func bytes(n float64) unit.Size { return unit.Size(math.Round(unit.Significant(n, 3))) }
