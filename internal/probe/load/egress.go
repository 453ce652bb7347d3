package load

import (
	"cmp"
	"math"
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
	then, now := e.counted(first, from), e.counted(last, to)
	var out []record.QdiscUse
	for q, n := range now {
		t := then[q]
		u := record.QdiscUse{
			Device: e.names[q.device], Kind: n.Kind, Handle: q.handle.String(), Root: q.parent == device.Root,
			Bytes: n.Bytes - t.Bytes, Packets: n.Packets - t.Packets,
			Drops: n.Drops - t.Drops, Overlimits: n.Overlimits - t.Overlimits,
		}
		if u.Packets == 0 && u.Drops == 0 {
			continue
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
	after := sort.Search(len(e.looks), func(i int) bool { return e.looks[i].at > t.Sub(e.origin) })
	return min(max(after-1, 0), len(e.looks)-2)
}

// counted are all counters at a moment between a reading and the next.
func (e *Egress) counted(i int, t time.Time) map[queue]device.Stats {
	a, b := e.looks[i], e.looks[i+1]
	share := 1.0
	if past := t.Sub(e.origin) - a.at; past < b.at-a.at {
		share = max(past.Seconds()/(b.at-a.at).Seconds(), 0)
	}
	out := map[queue]device.Stats{}
	for q, s := range b.stats {
		s0 := a.stats[q]
		between := func(n0, n int64) int64 { return n0 + int64(math.Round(share*float64(n-n0))) }
		s.Bytes, s.Packets = between(s0.Bytes, s.Bytes), between(s0.Packets, s.Packets)
		s.Drops, s.Overlimits = between(s0.Drops, s.Drops), between(s0.Overlimits, s.Overlimits)
		out[q] = s
	}
	return out
}

func byDevice(a, b record.QdiscUse) int {
	return cmp.Or(strings.Compare(a.Device, b.Device), strings.Compare(a.Handle, b.Handle))
}
