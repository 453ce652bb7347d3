package view

// KeepsClearOf says that the stream never stood in a queue of this wait, in
// seconds, once it was under way, although echoes would have shown it: it may
// have overflowed the queue in slow start, and has not come near it since.
func (v *View) KeepsClearOf(wait float64) bool {
	visible := wait > 2*QueueRise*v.Idle.Mid && wait > 3*v.Idle.Dev
	return visible && v.Loaded.N > 0 && v.Loaded.High-v.Idle.High < wait/4
}

// IsSpeck says that a full queue, beside which packets wait for so many seconds, holds a
// few of them, and hardly any of what is under way on the path. Then a stream is slow for
// it though it grows back soon, or shares its fate with seven others: it overflows it again
// and again.
func (v *View) IsSpeck(wait float64) bool {
	return wait < speckOfQueue*v.Idle.Mid && wait*v.Capacity/8 >= float64(2*v.MSS)
}

// speckOfQueue is the wait, as a share of the RTT, below which even the few packets that
// an acknowledgement lets go at once overflow the queue, again and again below the path's
// rate: CUBIC keeps 0.6 to 0.65 of it in the long run, and in the few seconds of a test up
// to 0.75.
const speckOfQueue = 0.05
