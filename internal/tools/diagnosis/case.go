package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// A trial is a lab path with what the check must say of it.
type trial struct {
	Want       diagnose.Cause
	Path       path.Path
	NearSysctl []string
	FarSysctl  []string
	Seed       uint64
	Boundary   bool // near where another verdict begins
}

func (t trial) String() string {
	var s strings.Builder
	s.WriteString(t.Path.String())
	for _, x := range t.NearSysctl {
		s.WriteString(" near:" + x)
	}
	for _, x := range t.FarSysctl {
		s.WriteString(" far:" + x)
	}
	return s.String()
}

// draw makes trials at random from what is physically the cause's, by one
// seed. A generator may fail to find a path that is clearly its cause's for
// the RTT and rate drawn; it is asked again.
func draw(seed uint64, perCause int) []trial {
	r := rand.New(rand.NewPCG(seed, 0))
	var out []trial
	for _, g := range generators {
		for n := 0; n < perCause; {
			t, ok := g.make(r)
			if !ok {
				continue
			}
			t.Want, t.Seed = g.cause, r.Uint64()%1_000_000
			out = append(out, t)
			n++
		}
	}
	return out
}

var generators = []struct {
	cause diagnose.Cause
	make  func(*rand.Rand) (trial, bool)
}{
	{diagnose.Healthy, healthy},
	{diagnose.LossLimited, lossLimited},
	{diagnose.Reordering, reordering},
	{diagnose.Policed, policed},
	{diagnose.Bufferbloat, bufferbloat},
	{diagnose.SendBuffer, sendBuffer},
	{diagnose.ReceiveWindow, receiveWindow},
}

// base draws what all paths have: an RTT of 5 to 300 ms and a rate of 5 to
// 300 Mbit/s, both evenly over their logarithms, and for every other path a
// tunnel.
func base(r *rand.Rand) path.Path {
	var p path.Path
	rtt := time.Duration(logUniform(r, 5, 300)*10) * 100 * time.Microsecond
	rate := unit.BitRate(logUniform(r, 5, 300)) * unit.Mbit
	p.Up = path.Direction{Delay: rtt / 2, Rate: rate}
	p.Down = p.Up
	if r.IntN(2) == 0 {
		p.Tunnel = []path.Tunnel{path.WireGuard, path.WireGuard, path.GRE, path.IP6GRE}[r.IntN(4)]
	}
	return p
}

func logUniform(r *rand.Rand, low, high float64) float64 {
	return low * math.Exp(r.Float64()*math.Log(high/low))
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// bdp in bytes.
func bdp(p path.Path) float64 { return float64(p.Up.Rate) / 8 * p.RTT().Seconds() }

// stockWindow is what a stock host's buffers (tcp_wmem 4 MB, tcp_rmem 6 MB, of
// which about half is payload) let one stream have in flight, less a margin.
const stockWindow = 1.9e6

// mathisRate is what a loss-based sender carries, in bit/s: RFC 9438 §5.1.
func mathisRate(p path.Path, loss float64) float64 {
	rtt := p.RTT().Seconds()
	w := max(1.054*math.Pow(rtt, 0.75)/math.Pow(loss, 0.75), math.Sqrt(1.5/loss))
	return w * 1400 * 8 / rtt
}

// each applies a change to one direction or both.
func each(r *rand.Rand, p *path.Path, change func(*path.Direction)) {
	way := r.IntN(4)
	if way != 0 {
		change(&p.Up)
	}
	if way != 1 {
		change(&p.Down)
	}
}

func healthy(r *rand.Rand) (trial, bool) {
	p := base(r)
	if bdp(p) > stockWindow*0.8 {
		return trial{}, false
	}
	t := trial{Path: p}
	switch r.IntN(6) {
	case 0: // a shorter queue, or one as long as bufferbloat just is not
		q := path.Queue{BDP: pick(r, 0.5, 0.75, 1)}
		if bdp(p)*q.BDP < 24*1514 {
			return trial{}, false
		}
		t.Path.Up.Queue, t.Path.Down.Queue = q, q
		t.Boundary = true
	case 1: // loss too rare to matter
		loss := pick(r, 0.00001, 0.00005, 0.0001)
		if mathisRate(p, loss) < 3*float64(p.Up.Rate) {
			return trial{}, false
		}
		each(r, &t.Path, func(d *path.Direction) { d.Loss.P = unit.Ratio(loss) })
		t.Boundary = true
	case 2: // a sender that does not mind loss
		loss := logUniform(r, 0.001, 0.02)
		t.Path.Up.Loss.P = unit.Ratio(math.Round(loss*1e4) / 1e4)
		t.Path.Down.Loss = t.Path.Up.Loss
		bbr := []string{"net.ipv4.tcp_congestion_control=bbr"}
		t.NearSysctl, t.FarSysctl = bbr, bbr
	case 3: // jitter that keeps the order, a little
		jitter := time.Duration(0.03 * float64(p.RTT())).Round(100 * time.Microsecond)
		t.Path.Up.Jitter, t.Path.Up.Dist, t.Path.Up.Order = jitter, path.Normal, path.Keep
		t.Path.Down.Jitter, t.Path.Down.Dist, t.Path.Down.Order = jitter, path.Normal, path.Keep
	}
	return t, true
}

func lossLimited(r *rand.Rand) (trial, bool) {
	p := base(r)
	loss := logUniform(r, 0.0003, 0.05)
	share := mathisRate(p, loss) / float64(p.Up.Rate)
	if share > 0.6 || bdp(p) > stockWindow {
		return trial{}, false
	}
	l := path.Loss{P: unit.Ratio(math.Round(loss*1e5) / 1e5)}
	if r.IntN(4) == 0 { // in bursts of four packets on average
		l = path.Loss{Burst: true, P: unit.Ratio(math.Round(loss/4*1e6) / 1e6), R: 0.25, Bad: 1}
		if mathisRate(p, loss/4) > 0.25*float64(p.Up.Rate) {
			return trial{}, false
		}
	}
	t := trial{Path: p, Boundary: share > 0.4}
	each(r, &t.Path, func(d *path.Direction) { d.Loss = l })
	return t, true
}

func reordering(r *rand.Rand) (trial, bool) {
	p := base(r)
	// A window of dozens of packets is in flight, and they overtake each other.
	if bdp(p) < 60*1514 || bdp(p) > stockWindow {
		return trial{}, false
	}
	share := logUniform(r, 0.2, 0.4)
	jitter := time.Duration(share * float64(p.RTT())).Round(100 * time.Microsecond)
	t := trial{Path: p, Boundary: share < 0.23}
	dist := pick(r, path.Normal, path.Normal, path.Uniform, path.ParetoNormal)
	// In both directions: where the answers keep their order, RACK gets by with
	// more jitter (RFC 8985 §6.2.1 widens its window by what it sees).
	for _, d := range []*path.Direction{&t.Path.Up, &t.Path.Down} {
		d.Jitter, d.Dist, d.Order = jitter, dist, path.Free
	}
	return t, true
}

func policed(r *rand.Rand) (trial, bool) {
	p := base(r)
	limit := p.Up.Rate
	if bdp(p) > stockWindow {
		return trial{}, false
	}
	burst := pick[unit.Size](r, 16, 32, 64, 128, 256) * unit.KiB
	wire := pick(r, 0, 1.5, 3, 10.0)
	t := trial{Path: p, Boundary: wire == 1.5 || burst >= 128*unit.KiB}
	each(r, &t.Path, func(d *path.Direction) {
		d.Policer = path.Policer{Rate: limit, Burst: burst}
		d.Rate = unit.BitRate(wire * float64(limit))
	})
	return t, true
}

func bufferbloat(r *rand.Rand) (trial, bool) {
	p := base(r)
	rtt := p.RTT().Seconds()
	delay := max(rtt, 0.1) * pick(r, 1.8, 2.5, 4, 8)
	queue := delay * float64(p.Up.Rate) / 8
	if queue+bdp(p) > stockWindow || delay > 2 {
		return trial{}, false
	}
	t := trial{Path: p, Boundary: delay < 2*max(rtt, 0.1)}
	q := path.Queue{Bytes: unit.Size(queue)}
	if r.IntN(3) == 0 {
		q = path.Queue{Packets: int(queue / 1514)}
	}
	each(r, &t.Path, func(d *path.Direction) { d.Queue = q })
	return t, true
}

func sendBuffer(r *rand.Rand) (trial, bool) {
	// Of a send buffer about two thirds are payload: the rest is sk_buffs.
	return smallBuffer(r, "net.ipv4.tcp_wmem", 16384, 0.65)
}

func receiveWindow(r *rand.Rand) (trial, bool) {
	// Of a receive buffer about half is offered as window (tcp_win_from_space).
	return smallBuffer(r, "net.ipv4.tcp_rmem", 131072, 0.5)
}

// smallBuffer draws a maximum for one host's buffer, of which a share is
// payload, so that what it holds in flight carries a part of the rate. initial
// is the kernel's own default, in bytes.
func smallBuffer(r *rand.Rand, sysctl string, initial int64, payload float64) (trial, bool) {
	p := base(r)
	share := logUniform(r, 0.05, 0.6)
	n := int64(share * bdp(p) / payload)
	t := trial{Path: p, Boundary: share > 0.45}
	setting := []string{fmt.Sprintf("%s=4096 %d %d", sysctl, min(initial, n), n)}
	if r.IntN(2) == 0 {
		t.NearSysctl = setting
	} else {
		t.FarSysctl = setting
	}
	return t, n >= 24<<10 && n < 4<<20
}

// command is what repeats a trial by hand.
func (t trial) command() string {
	var b strings.Builder
	fmt.Fprintf(&b, "unchoke lab exec --seed %d --path '%v'", t.Seed, t.Path)
	for _, s := range t.NearSysctl {
		fmt.Fprintf(&b, " --near-sysctl '%s'", s)
	}
	for _, s := range t.FarSysctl {
		fmt.Fprintf(&b, " --far-sysctl '%s'", s)
	}
	return b.String() + " --far 'iperf3 -s' -- unchoke check far"
}
