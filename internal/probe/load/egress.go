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

// Use tells what each queueing discipline did from one moment to another, sorted by
// device and handle. Between two readings its counters are taken to have grown evenly.
// Those that passed nothing are left out.
func (e *Egress) Use(from, to time.Time) []record.QdiscUse {
	if e == nil || len(e.looks) < 2 {
		return nil
	}
	first, last := e.before(from), e.before(to)
	var out []record.QdiscUse
	for q := range e.looks[last+1].stats {
		then, now := e.counted(q, first, from), e.counted(q, last, to)
		if now.Packets == then.Packets && now.Drops == then.Drops {
			continue
		}
		u := record.QdiscUse{
			Device: e.names[q.device], Kind: now.Kind, Handle: q.handle.String(), Root: q.parent == device.Root,
			Bytes: now.Bytes - then.Bytes, Packets: now.Packets - then.Packets,
			Drops: now.Drops - then.Drops, Overlimits: now.Overlimits - then.Overlimits,
		}
		for _, l := range e.looks[first : last+2] {
			u.Backlog = max(u.Backlog, l.stats[q].Backlog)
		}
		out = append(out, u)
	}
	sort.SliceStable(out, func(i, j int) bool { return byDevice(out[i], out[j]) < 0 })
	return out
}

// before is the last reading up to a moment that has another one after it, or the first.
func (e *Egress) before(t time.Time) int {
	i := 0
	for i < len(e.looks)-2 && e.looks[i+1].at <= t.Sub(e.origin) {
		i++
	}
	return i
}

// counted are a queue's counters at a moment between a reading and the next.
func (e *Egress) counted(q queue, i int, t time.Time) device.Stats {
	a, b := e.looks[i], e.looks[i+1]
	then, now := a.stats[q], b.stats[q]
	past, span := (t.Sub(e.origin) - a.at).Microseconds(), (b.at - a.at).Microseconds()
	if past >= span {
		return now
	}
	if past <= 0 {
		return then
	}
	between := func(then, now int64) int64 { return then + (now-then)*past/span }
	now.Bytes, now.Packets = between(then.Bytes, now.Bytes), between(then.Packets, now.Packets)
	now.Drops, now.Overlimits = between(then.Drops, now.Drops), between(then.Overlimits, now.Overlimits)
	return now
}

func byDevice(a, b record.QdiscUse) int {
	return cmp.Or(strings.Compare(a.Device, b.Device), strings.Compare(a.Handle, b.Handle))
}
