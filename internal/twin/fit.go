// Package twin rebuilds a measured path. A fit reads a record and says what
// each parameter of the path is, with the interval in which the record leaves
// it. From a fit, copies of the path are drawn; each is run in the lab as the
// check ran on the path, and those count that behave as it did. What a change
// gains on these copies is the prediction: it holds both how well the path is
// known and how much chance there is in a run. Where no copy behaves as the
// path did, the path is not understood well enough, and there is none.
//
// Approximate Bayesian computation is the name of the method (Beaumont, Zhang,
// Balding, "Approximate Bayesian Computation in Population Genetics", 2002).
//
// The package is pure: who calls it runs the lab.
package twin

import (
	"errors"
	"fmt"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/unit"
	"unchoke/internal/wire"
)

// Fit is what a record says of a path, as the lab would make it.
type Fit struct {
	Tunnel   path.Tunnel
	MTU      int // of the underlay; 0 is path.DefaultMTU
	Up, Down Way

	// NotRebuilt is what the path does and no copy can; such a path is not
	// understood.
	NotRebuilt []string
	Outages    Outages // of both directions
	// holes are the directions in which what is larger than MTU vanishes.
	holes map[record.Direction]bool

	mss int // payload of a full segment
}

// Way is one direction of a fit, and the hosts as far as they shape it.
type Way struct {
	Delay  Param   // one way, in seconds
	Quiet  float64 // the same where it varies by others' queue, which is not the path
	Jitter Param   // standard deviation, in seconds
	Dist   path.Dist
	Order  path.Order

	Loss    Loss
	Rate    Param // bottleneck in bit/s of link-layer frames; not known: none was met
	Queue   Queue
	Policer Policer
	Cross   []path.Cross // what else may be there; empty for nothing
	SQM     path.SQM     // on the sending host itself, at Rate instead of a bottleneck

	CC         string // of the sender
	SendMax    Param  // tcp_wmem's maximum in bytes; 0 is the kernel's own
	ReceiveMax Param  // tcp_rmem's
	NoSACK     bool   // its connections have no selective acknowledgements

	Seen Behaviour // as measured

	figures  diagnose.Figures
	others   bool // other traffic shares its bottleneck
	unmet    bool // nothing faster than the streams was tried, and they met no bottleneck
	measured bool
}

// ErrNothing is a record of which no path can be made.
var ErrNothing = errors.New("the record has no TCP stream whose path could be rebuilt")

// ErrFlow is a record of a connection that was looked at.
var ErrFlow = errors.New("the record is of a connection that was looked at: what its path carries was not measured")

// ErrFetch is a record of a check of a URL.
var ErrFetch = errors.New("the record is of downloads from a URL: they tell why one of them is slow, and not what its path carries")

// ErrTooFast is a path that the lab cannot have.
var ErrTooFast = errors.New("the path is faster than the lab rebuilds a path")

// fastest is the goodput in bit/s up to which the lab makes a second of traffic
// in some seconds of one core.
const fastest = 2e9

// Of fits a record.
func Of(r *record.Run) (Fit, error) {
	if r.Flow != nil {
		return Fit{}, ErrFlow
	}
	if r.Fetch != nil {
		return Fit{}, ErrFetch
	}
	f := Fit{Tunnel: tunnelOf(r)}
	f.Outages = outagesOf(r)
	mss := 0
	for _, d := range record.Directions {
		w := f.way(d)
		if w.figures, w.measured = diagnose.FiguresOf(r, d); w.measured {
			mss = max(mss, w.figures.MSS)
			if w.figures.Capacity > fastest {
				return f, ErrTooFast
			}
		}
	}
	if mss == 0 {
		return f, ErrNothing
	}
	f.mss = mss
	if mtu := mss + wire.IPTCP + overhead(f.Tunnel); mtu != path.DefaultMTU && mtu >= path.MinMTU && mtu <= path.MaxMTU {
		f.MTU = mtu
	}
	f.findHoles(r)
	f.delays(r)
	f.Up.others, f.Down.others = othersIn(f.Up.figures, f.Down.figures)
	for _, d := range record.Directions {
		w := f.way(d)
		if !w.measured {
			continue
		}
		frame := float64(w.figures.MSS+wire.ACK+f.Tunnel.Headers()) / float64(w.figures.MSS)
		w.Loss = lossOf(w.figures, 2*w.Delay.Value)
		w.bottleneck(r, d, frame)
		w.hosts(r, d)
		w.Seen = seen(w.figures)
	}
	return f, nil
}

func (f *Fit) way(d record.Direction) *Way {
	if d == record.Up {
		return &f.Up
	}
	return &f.Down
}

// Measured says whether the record has a direction.
func (f Fit) Measured(d record.Direction) bool { return f.way(d).measured }

// Slows says that a direction's own rate is lower at times.
func (f Fit) Slows(d record.Direction) bool { return f.way(d).figures.Slows }

// Way is one direction.
func (f Fit) Way(d record.Direction) Way { return *f.way(d) }

// Path is the likeliest path.
func (f Fit) Path() path.Path {
	p, _ := join(&f.Up, &f.Down, (*Way).likeliest)
	p.Tunnel, p.MTU = printed(f.Tunnel), f.MTU
	p.Up.NoPMTUD, p.Down.NoPMTUD = f.holes[record.Up], f.holes[record.Down]
	if len(f.Outages.Seen) > 1 {
		p.Schedule = f.Outages.likeliest().again()
	}
	return passing(p)
}

// findHoles notes where full-size packets vanish. What a stream that cannot
// start would do with another algorithm is not asked: the hole comes first.
func (f *Fit) findHoles(r *record.Run) {
	mtu, up, down := diagnose.Holes(r)
	if mtu == 0 {
		return
	}
	f.MTU, f.holes = mtu, map[record.Direction]bool{record.Up: up, record.Down: down}
	for _, d := range record.Directions {
		if f.holes[d] {
			f.NotRebuilt = append(f.NotRebuilt, fmt.Sprintf("%s, packets larger than %d bytes vanish: fix that first", d.Word(), mtu))
		}
	}
}

// Text is the likeliest path of a record for `unchoke lab exec --path`, empty
// where the record lacks a direction.
func Text(r *record.Run) string {
	f, err := Of(r)
	if err != nil || !f.Up.measured || !f.Down.measured {
		return ""
	}
	return f.Path().String()
}

// printed leaves out what needs no word.
func printed(t path.Tunnel) path.Tunnel {
	if t == path.NoTunnel {
		return ""
	}
	return t
}

// tunnelOf is the tunnel that the lab can make; one of another kind shows in
// the MTU alone.
func tunnelOf(r *record.Run) path.Tunnel {
	switch k := path.Tunnel(r.Route.Tunnel.Kind); k {
	case path.WireGuard, path.GRE, path.IP6GRE:
		return k
	}
	return path.NoTunnel
}

// overhead is what a tunnel takes of the underlay's MTU, in bytes: WireGuard leaves room
// for an outer IPv6 header (wg-quick(8)).
func overhead(t path.Tunnel) int {
	if t == path.WireGuard {
		return 20 + wire.WireGuard
	}
	return t.Headers()
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(50 * time.Microsecond)
}

func bits(rate float64) unit.BitRate { return unit.BitRate(unit.Significant(rate, 3)) }
