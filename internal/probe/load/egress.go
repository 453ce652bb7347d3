package load

import (
	"cmp"
	"sort"
	"strings"
	"time"

	"unchoke/internal/linux/device"
	"unchoke/internal/record"
)

// Egress watches what this host's queueing disciplines do while a transfer
// runs: whether the bottleneck is here, and what really left the host of what
// its programs sent. It holds counters read every now and then, in order of
// time.
type Egress struct {
	names  map[int]string // of devices, by index
	origin time.Time
	looks  []reading
}

// reading is one reading of all counters.
type reading struct {
	at    time.Duration
	stats map[queue]device.Stats
}

// queue names a queueing discipline. Two on one device differ in where they
// hang: the kernel's own ones all have the handle 0.
type queue struct {
	device         int
	handle, parent device.Handle
}

// WatchEgress takes the first reading. It is nil where the host does not tell.
func WatchEgress() *Egress {
	devices, err := device.List()
	if err != nil {
		return nil
	}
	e := &Egress{names: map[int]string{}, origin: time.Now()}
	for _, d := range devices {
		e.names[d.Index] = d.Name
	}
	e.Look()
	return e
}

// Look takes a further reading.
func (e *Egress) Look() {
	if e == nil {
		return
	}
	stats, err := device.Statistics()
	if err != nil {
		return // the readings before and after still tell
	}
	l := reading{at: time.Since(e.origin), stats: map[queue]device.Stats{}}
	for _, s := range stats {
		l.stats[queue{s.Device, s.Handle, s.Parent}] = s
	}
	e.looks = append(e.looks, l)
}

// Use tells what each queueing discipline did from one moment to another, by
// the readings nearest to them, sorted by device and handle. Those that passed
// nothing are left out.
func (e *Egress) Use(from, to time.Time) []record.QdiscUse {
	if e == nil || len(e.looks) < 2 {
		return nil
	}
	first, last := e.nearest(from), e.nearest(to)
	if first == last {
		return nil
	}
	var out []record.QdiscUse
	for q, now := range e.looks[last].stats {
		then := e.looks[first].stats[q]
		if now.Packets == then.Packets && now.Drops == then.Drops {
			continue
		}
		u := record.QdiscUse{
			Device: e.names[q.device], Kind: now.Kind, Handle: q.handle.String(), Root: q.parent == device.Root,
			Bytes: now.Bytes - then.Bytes, Packets: now.Packets - then.Packets,
			Drops: now.Drops - then.Drops, Overlimits: now.Overlimits - then.Overlimits,
		}
		for _, l := range e.looks[first : last+1] {
			u.Backlog = max(u.Backlog, l.stats[q].Backlog)
		}
		out = append(out, u)
	}
	sort.SliceStable(out, func(i, j int) bool { return byDevice(out[i], out[j]) < 0 })
	return out
}

func (e *Egress) nearest(t time.Time) int {
	at := t.Sub(e.origin)
	best := 0
	for i, l := range e.looks {
		if (l.at - at).Abs() < (e.looks[best].at - at).Abs() {
			best = i
		}
	}
	return best
}

func byDevice(a, b record.QdiscUse) int {
	return cmp.Or(strings.Compare(a.Device, b.Device), strings.Compare(a.Handle, b.Handle))
}
