package probe

import (
	"time"

	"unchoke/iperf3"
)

// watch looks at the echoes beside a ladder that this host sends, and ends it
// once two rungs in a row have filled the path.
type watch struct {
	echoes *running        // nil until they are sent
	ends   []time.Duration // of the slots
	rtt    time.Duration
	next   int
	full   int
}

func newWatch(slots []iperf3.Slot, rtt time.Duration) *watch {
	w := &watch{rtt: rtt}
	var end time.Duration
	for _, s := range slots {
		end += s.Duration
		w.ends = append(w.ends, end)
	}
	return w
}

// stop is asked some seven times a second while the ladder runs. A rung is
// judged once the echoes of its last part have had time to come back.
func (w *watch) stop(p iperf3.Progress) bool {
	if w.echoes == nil || w.rtt == 0 || w.next >= len(w.ends) || p.Elapsed < w.ends[w.next]+w.rtt/2 {
		return false
	}
	w.next++
	lost, rise := w.echoes.recent(25, w.rtt)
	o := outcome{loss: lost, rise: rise}
	if o.full() {
		w.full++
	}
	return w.full >= 2
}
