package twin

import (
	"math/rand/v2"
	"time"

	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/unit"
	"unchoke/internal/wire"
)

// Copy is a path that the record allows, seen from a direction's sender: up is
// the measured direction.
type Copy struct {
	Path       path.Path
	CC         string
	SendMax    unit.Size // of the sender; 0 is the kernel's own
	ReceiveMax unit.Size // of the receiver
	NoSACK     bool      // the connection has no selective acknowledgements
	Seed       uint64    // of what is random on it
	outage     outage    // when nothing comes through
	shared     bool      // others' queue, and not its delay, makes up the path's idle RTT
}

// Copy draws one of a direction. Copy 0 is the likeliest path; the same number
// and seed give the same copy.
func (f Fit) Copy(d record.Direction, i int, seed uint64) Copy {
	r := rand.New(rand.NewPCG(seed, uint64(i)))
	there, back := f.way(d), f.way(d.Opposite())
	c := Copy{CC: there.CC, NoSACK: there.NoSACK, Seed: 1 + r.Uint64()%1_000_000}
	if i == 0 {
		c.Path, c.shared = join(there, back, (*Way).likeliest)
		c.SendMax, c.ReceiveMax = bytes(there.SendMax.Value), bytes(there.ReceiveMax.Value)
		c.outage = f.Outages.likeliest()
	} else {
		c.Path, c.shared = join(there, back, func(w *Way) (path.Direction, bool) { return w.draw(r) })
		c.SendMax, c.ReceiveMax = bytes(there.SendMax.at(r.Float64())), bytes(there.ReceiveMax.at(r.Float64()))
		c.outage = f.Outages.draw(r)
	}
	c.Path = passing(f.bare(c.Path))
	return c
}

// join is the path of two ways, each as it is made. Where others' queue is in one of them,
// neither has its delay beside.
func join(there, back *Way, of func(*Way) (path.Direction, bool)) (p path.Path, shared bool) {
	up, sharedUp := of(there)
	down, sharedDown := of(back)
	if shared = sharedUp || sharedDown; shared {
		there.quieten(&up)
		back.quieten(&down)
	}
	return path.Path{Up: up, Down: down}, shared
}

// bare is a path without its tunnel: its packets have the size that they have
// inside, and what limits bytes limits as many fewer. To TCP it is the same, and
// the lab makes several times as much of it in a second.
func (f Fit) bare(p path.Path) path.Path {
	inner := float64(f.mss + wire.ACK)
	share := inner / (inner + float64(f.Tunnel.Headers()))
	p.MTU = 0
	if mtu := f.mss + wire.IPTCP; mtu != path.DefaultMTU {
		p.MTU = max(mtu, path.MinMTU)
	}
	if share == 1 {
		return p
	}
	back := share
	if (p.Down.Cross == path.Cross{}) {
		// Nothing but acknowledgements goes back, of which the headers are a larger
		// part: 66 bytes with Ethernet's.
		back = wire.ACK / (wire.ACK + float64(f.Tunnel.Headers()))
	}
	narrow(&p.Up, share)
	narrow(&p.Down, back)
	return p
}

// passing is a path whose queues and buckets hold a full frame at least: the lab
// takes no other.
func passing(p path.Path) path.Path {
	for _, d := range []*path.Direction{&p.Up, &p.Down} {
		if d.Queue.Bytes > 0 {
			d.Queue.Bytes = max(d.Queue.Bytes, p.Frame(*d))
		}
		if d.Policer.Rate > 0 {
			d.Policer.Burst = max(d.Policer.Burst, p.Frame(*d))
		}
	}
	return p
}

// narrow is a direction whose packets are smaller by a share.
func narrow(d *path.Direction, share float64) {
	d.Rate, d.SQM.Rate, d.Policer.Rate = scaled(d.Rate, share), scaled(d.SQM.Rate, share), scaled(d.Policer.Rate, share)
	d.Queue.Bytes, d.Policer.Burst = scaled(d.Queue.Bytes, share), scaled(d.Policer.Burst, share)
	d.Cross = narrower(d.Cross, share)
}

func scaled[T ~int64](v T, share float64) T { return T(float64(v) * share) }

// Trial is a run in the lab: one stream, or several, of a copy's sender.
type Trial struct {
	Copy
	Streams  int
	Duration time.Duration
	Omit     time.Duration // from its beginning: what is left out of all figures
	Window   unit.Size     // of both sockets' buffers; 0 leaves them to the kernel
	Pace     unit.BitRate  // of each stream; 0 is no limit
	// Reordering is how many segments may overtake one at first; 0 is the
	// kernel's own.
	Reordering int
	Neighbor   string // algorithm of a stream beside it; empty for none
	Early      bool   // the first half's rate is asked for
	// Read is the size of one read; 0 takes whatever is there. A stream of a few
	// seconds is counted to a part of a hundredth by small ones.
	Read unit.Size
}

// Outcome is what came of a trial.
type Outcome struct {
	Rate     float64 // goodput in bit/s, all streams together
	Steady   float64 // of the first stream, as a check reckons it
	Early    float64 // of it, first half
	Segments float64 // retransmits included
	Resent   float64 // of them, a count
	RTT      float64 // median of the sender's own, in s
	Neighbor float64 // goodput of the stream beside it
	Failed   string  // why a connection was lost; empty where all lasted
}

// Checks are the trials by which a copy shows how it behaves: those of a check.
func (f Fit) Checks(d record.Direction, c Copy) []Trial {
	b := f.way(d).Seen
	trials := []Trial{f.check(c, b.One)}
	if b.Cubic.Duration > 0 {
		other := c
		other.CC = cubic
		trials = append(trials, f.check(other, b.Cubic))
	}
	if b.Many > 0 {
		many := toTime(b.Many)
		eight := Trial{Copy: c, Streams: record.ManyStreams, Duration: many, Omit: many / 2, Read: max(read(b.One)/8, wire.Segment)}
		eight.Path.Schedule = f.Outages.replayed(c.outage, b.ManyStarted, b.Many)
		trials = append(trials, eight)
	}
	return trials
}

const cubic = "cubic"

// check is the trial of a copy by one stream of a check.
func (f Fit) check(c Copy, s Stream) Trial {
	t := Trial{Copy: c, Streams: 1, Duration: toTime(s.Duration), Early: true, Read: read(s)}
	t.Path.Schedule = f.Outages.replayed(c.outage, s.Started, s.Duration)
	return t
}

// read is the size of a read that counts a stream to a five-hundredth.
func read(s Stream) unit.Size {
	return unit.Size(min(max(s.Rate*s.Duration/8/500, wire.Segment), 32<<10))
}

func toTime(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}

// behaviour is a copy's, from the outcomes of its checks beside what was measured.
func (c Copy) behaviour(measured Behaviour, outcomes []Outcome) Behaviour {
	idle := c.Path.RTT().Seconds()
	if c.shared {
		idle = measured.RTT // both with others' queue
	}
	b := Behaviour{One: stream(outcomes[0], idle)}
	outcomes = outcomes[1:]
	if measured.Cubic.Duration > 0 {
		b.Cubic, outcomes = stream(outcomes[0], idle), outcomes[1:]
	}
	if measured.Many > 0 {
		b.Eight = outcomes[0].Rate
	}
	return b
}

// stream is what an outcome says of one, at an idle RTT in seconds.
func stream(o Outcome, idle float64) Stream {
	s := Stream{Rate: o.Steady, Early: o.Early, Segments: o.Segments, Rise: max(o.RTT-idle, 0)}
	if o.Segments > 0 {
		s.Resent = o.Resent / o.Segments
	}
	return s
}
