package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
)

// pathCapacity is the most that was seen to arrive, whatever carried it.
func (v *View) pathCapacity() float64 {
	most := v.Rate
	if v.Eight != nil {
		most = max(most, v.Eight.SteadyRate)
	}
	most = max(most, v.mostDelivered())
	// Where rates above the ceiling were offered, what came through then is
	// the ceiling: a burst that a bucket or a queue swallowed is not.
	if top, ok := v.Ceiling(); ok {
		most = max(v.Rate, min(most, top))
	}
	// Where the bottleneck serves flows in turn, one flow's flood is its share,
	// and several flows have several; so it is where others stand in its queue.
	if v.Eight != nil && (v.Isolated() || v.stirred() && v.fairShare()) {
		most = max(most, v.Eight.SteadyRate)
	}
	if c, found := v.constantOthers(); found {
		most = c.Line
	}
	most = max(most, v.outsentExactly())
	return max(most, v.untried())
}

// mostDelivered is the most that a rung delivered which came through, in bit/s; 0 where none
// did.
func (v *View) mostDelivered() float64 {
	most := 0.0
	for _, r := range v.Rungs {
		if !r.Unfinished() {
			most = max(most, r.Delivered)
		}
	}
	return most
}

// WithoutTunnel is the most that was seen to arrive, or that one stream carried outside a
// tunnel.
func (v *View) WithoutTunnel() float64 {
	outside, _ := seen.WorseForUDP(v.Run, v.Dir, true)
	if outside.Perhaps {
		return v.Capacity
	}
	return max(v.Capacity, outside.Free)
}

// Ceiling is what UDP delivers when clearly more is offered than the path
// carries, and whether that was seen: the lesser of what the longest such rung
// and the fastest one brought. Of a short one a queue takes in much; a bucket
// that is full lets much of the first pass. What this host saw wait in a queue of its
// own came at the rate at which that was served, and tells by itself.
func (v *View) Ceiling() (rate float64, found bool) {
	var longest seen.Rung
	over := v.Overloads()
	if most := v.nearTheStream(over); 2*len(most) > len(over) {
		over = most
	}
	for _, r := range over {
		if r.Duration >= longest.Duration {
			longest, found = r, true
		}
	}
	if !found {
		return 0, false
	}
	if longest.Timed && longest.Own > leastWait {
		return longest.Delivered, true
	}
	if len(over) == 1 {
		return longest.Delivered * filling(longest), true
	}
	return min(longest.Delivered, over[len(over)-1].Delivered), true
}

// nearTheStream leaves out what brought less than half of the one stream's rate: an AQM
// that a flood provoked goes on dropping the next one.
func (v *View) nearTheStream(over []seen.Rung) []seen.Rung {
	return slices.DeleteFunc(slices.Clone(over), func(r seen.Rung) bool { return r.Delivered < v.Rate/2 })
}

// carries says that the path can carry what a rung sent.
func (v *View) carries(r seen.Rung) bool {
	return r.Sent < baselineShare*v.Capacity && !r.Overloaded(v.Rungs)
}

// inBaseline says that the path could carry a rung, and did: what is lost while a queue
// stands, it lost.
func (v *View) inBaseline(r seen.Rung) bool {
	return v.carries(r) && r.Sent < v.sharedLimit() && !v.inQueue(r)
}

// baseline pools the rungs that are in it.
func (v *View) baseline() (lost, strays seen.Proportion) {
	for _, r := range v.Rungs {
		if r.Reordered >= 0 {
			strays.Add(r.Reordered, r.Packets)
		}
		if v.inBaseline(r) {
			lost.Add(r.Lost, r.Packets)
		}
	}
	return lost, strays
}

// BaseOwnDrops is how many of the packets lost below the ceiling the sending host's own queue
// dropped: they are not the path's.
func (v *View) BaseOwnDrops() (n int64) {
	for _, r := range v.Rungs {
		if v.inBaseline(r) {
			n += r.OwnDrops
		}
	}
	return n
}

// BaseRuns is how many packets were lost below the ceiling, and in how many runs of one
// after the other, as far as this host saw their order: above it a full queue loses whole
// bursts. What the sending host's own queue dropped is none of the path's.
func (v *View) BaseRuns() (lost, runs int64) {
	for _, r := range v.Rungs {
		if v.inBaseline(r) && r.OwnDrops == 0 {
			lost, runs = lost+r.InRuns, runs+r.Runs
		}
	}
	return lost, runs
}

// Overloads are the rungs above the ceiling, in order of rate.
func (v *View) Overloads() []seen.Rung {
	var out []seen.Rung
	for _, r := range v.Rungs {
		if r.Overloaded(v.Rungs) {
			out = append(out, r)
		}
	}
	return out
}

// Once is seen.Once of the one stream.
func (v *View) Once() float64 { return seen.Once(v.One, v.Idle.Mid, v.MSS) }

// Contradicted says that what overloads delivered is clearly less than one stream had,
// and eight streams had clearly more: neither is what the path can carry. Of 14 kept
// directions like that 12 were healthy.
func (v *View) Contradicted() bool {
	top, known := v.Ceiling()
	return known && top < SlowShare*v.Rate && v.Eight != nil && SlowShare*v.Eight.SteadyRate > v.Rate
}

// Outruns is the rate at which UDP ended without a queue, where the one stream carried
// more than that from slow start to its end and lost nothing, and no other stream was
// measured; 0 elsewhere. Who drops UDP above a rate lets TCP have more.
func (v *View) Outruns() float64 {
	top, known := v.Ceiling()
	waits := slices.ContainsFunc(v.Overloads(), func(r seen.Rung) bool {
		return !r.Risen || r.Rise > max(seen.LeastQueue(r), 4*v.Idle.Noise())
	})
	if !known || waits || v.Eight != nil || v.Queued() || v.Losses.Steady > 0 || v.Rate < seen.Elsewhere*top {
		return 0
	}
	return top
}

// PassedFaster is what a rung delivered that lost nothing, stood in no queue, and was
// clearly faster than what the path is taken to carry; 0 where none was.
func (v *View) PassedFaster() float64 {
	most := 0.0
	for _, r := range v.Rungs {
		if r.Lost == 0 && r.Packets >= seen.FewPackets && r.Risen && r.Rise < max(4*v.Idle.Noise(), v.Idle.Mid*hiddenQueue) && r.Delivered > v.Capacity/SlowShare {
			most = max(most, r.Delivered)
		}
	}
	return most
}

// Halves says that eight streams had less than half of what one stream had, where
// the queue stood under them, or where UDP above the ceiling had as little.
func (v *View) Halves(by string) bool {
	if v.Eight == nil || v.Eight.SteadyRate >= v.Rate/2 {
		return false
	}
	top, known := v.Ceiling()
	return by == v.Eight.Name || known && top < v.Rate/2
}
