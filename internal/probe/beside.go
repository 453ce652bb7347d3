package probe

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// besides compares UDP and TCP over one address.
type besides struct {
	*checker
	client  iperf3.Client
	address netip.Addr
	outside bool
	segment int // bound on TCP's segments in bytes; 0: as the hosts have it
}

// tcpTest runs one TCP stream at a rate, 0 for as much as goes. enough may end
// it.
func (b besides) tcpTest(ctx context.Context, d record.Direction, rate int64, length time.Duration, enough func(iperf3.Progress) bool) (record.BesideTest, error) {
	test := iperf3.Test{Duration: length, Reverse: d == record.Down, Congestion: b.CC, Rate: rate}
	if rate > 0 {
		test.Length = pacedWrite
	}
	segment := b.segment
	if !b.outside {
		segment = b.mss[d]
	}
	if segment > 0 {
		test.Segments = []int{segment}
	}
	client := b.client
	client.Enough = enough
	begun := b.elapsed()
	r, err := b.take(ctx, client, test)
	out := record.BesideTest{Protocol: record.TCP, Started: begun.Seconds(), Offered: float64(rate), MSS: segment}
	if r == nil || r.Elapsed == 0 || len(r.Streams) == 0 {
		return out, err
	}
	t := transferOf("", d, r)
	out.Duration, out.Delivered = t.Duration, t.SteadyRate
	if rate > 0 {
		out.Delivered = t.Rate
	}
	out.Packets, out.Lost = int64(t.Rate*t.Duration/8)/int64(b.datagram())+max(t.Retransmits, 0), t.Retransmits
	return out, err
}

// pacedWrite is what a stock server writes at once where it keeps to a rate: a
// few packets, so that it sends no bursts.
const pacedWrite = 4 << 10

// udpTest sends UDP at a rate.
func (b besides) udpTest(ctx context.Context, d record.Direction, rate int64, length time.Duration) (record.BesideTest, error) {
	payload := b.datagram()
	test := iperf3.Test{Protocol: iperf3.UDP, Length: payload}
	if d == record.Up {
		test.Slots = []iperf3.Slot{{Rate: rate, Duration: length}}
		test.Duration = length + b.linger()
	} else {
		test.Reverse, test.Rate, test.Duration = true, rate, length
		test.PacingTimer, test.Trace = pacingTimer(rate, payload), maxTrace
	}
	begun := b.elapsed()
	r, err := b.take(ctx, b.client, test)
	out := record.BesideTest{Protocol: record.UDP, Started: begun.Seconds(), Offered: float64(rate)}
	if r == nil || len(r.Streams) == 0 || r.Elapsed == 0 || d == record.Up && len(told(r.Streams)) == 0 {
		return out, err
	}
	if d == record.Up {
		inSlot(&r.Streams[0], 0, length)
	}
	t := rungOf("", d, rate, r.Streams[0], payload)
	out.Duration, out.Delivered, out.Packets, out.Lost = length.Seconds(), t.UDP.Delivered, t.UDP.Packets, t.UDP.Lost
	return out, err
}

// take runs a test. What echo probes saw beside TCP, and after UDP, stands in the record.
func (b besides) take(ctx context.Context, client iperf3.Client, test iperf3.Test) (*iperf3.Result, error) {
	var echoes *running
	r, err := b.runTest(ctx, client, b.server(), test, func() { echoes = b.startEcho(ctx, loadInterval) })
	if echoes == nil {
		return r, err
	}
	series := b.stopAfter(echoes, "", r)
	if test.Protocol == iperf3.UDP && r != nil && r.Elapsed > 0 {
		b.keepAfter(since(series, r.Start.Sub(b.start).Seconds()), r.Elapsed.Seconds())
	} else {
		b.keepBetween(series)
	}
	return r, err
}

func (b besides) server() string { return netip.AddrPortFrom(b.address, b.Port).String() }

// turns runs TCP and UDP in turns at a rate, and adds them to what is known.
// Where the first UDP test loses nothing, or TCP loses as well, UDP is treated as
// TCP is. What was broken off inside is nothing: it is taken again.
func (b besides) turns(ctx context.Context, d record.Direction, rate int64, known []record.BesideTest) error {
	length := min(besideTime+2*b.plan.rtt, besidePackets*gap(rate, b.datagram()))
	all := record.Beside{Direction: d, Address: b.address.String(), Outside: b.outside, Tests: known}
	var failed error
	for _, p := range []record.Protocol{record.UDP, record.TCP, record.UDP} {
		if b.outside && b.left() < length+b.plan.overhead() {
			b.skip("outside the tunnel, "+string(d), fmt.Sprintf("not enough left of the %v of path time", b.Budget))
			break
		}
		var t record.BesideTest
		if p == record.UDP {
			t, failed = b.udpTest(ctx, d, rate, length)
		} else {
			t, failed = b.tcpTest(ctx, d, rate, length, nil)
		}
		if failed == nil && t.Duration > 0 {
			all.Tests = append(all.Tests, t)
		}
		if failed != nil || p == record.UDP && t.Lost < worthALook || p == record.TCP && alike(all.Tests) {
			break
		}
	}
	if len(all.Tests) > 0 && (failed == nil || b.outside) {
		b.run.Besides = append(b.run.Besides, all)
	}
	return failed
}

// alike says that TCP, which came last, lost at least half the share that UDP did
// before it, or that nobody knows what it lost.
func alike(tests []record.BesideTest) bool {
	if len(tests) < 2 {
		return false
	}
	udp, tcp := tests[len(tests)-2], tests[len(tests)-1]
	if tcp.Protocol == record.TCP && tcp.Lost < 0 {
		return true // a sender that does not tell what it lost: another turn tells no more
	}
	share := func(t record.BesideTest) float64 { return float64(t.Lost) / float64(max(t.Packets, 1)) }
	return udp.Protocol == record.UDP && tcp.Protocol == record.TCP && 2*share(tcp) >= share(udp)
}

// turnsTime is what three turns take.
func (c *checker) turnsTime() time.Duration {
	return 3 * (besideTime + 2*c.plan.rtt + c.plan.overhead())
}

const (
	// besideTime is a test's length; besidePackets tell a loss of one in 300
	// from none.
	besideTime    = 700 * time.Millisecond
	besidePackets = 3000
	// worthALook: fewer lost packets than this prove nothing.
	worthALook = 3
	// besideShare of what TCP carries leaves TCP room to keep to a rate without
	// filling a queue.
	besideShare = 0.7
)

// besideUDP compares the two where a rung of the ladder lost packets at a rate
// that a TCP stream had carried, which itself lost far fewer: seconds lie
// between those, and a path may have changed in them.
func (c *checker) besideUDP(d record.Direction) func(context.Context) error {
	return func(ctx context.Context) error {
		if !c.suspect(d) {
			return nil
		}
		one := c.one(d)
		b := besides{checker: c, client: c.client, address: c.Address}
		return b.turns(ctx, d, int64(besideShare*one.SteadyRate), nil)
	}
}

// one is the direction's last TCP stream.
func (c *checker) one(d record.Direction) *record.Transfer {
	for i := len(c.run.Transfers) - 1; i >= 0; i-- {
		if t := &c.run.Transfers[i]; t.Direction == d && t.Protocol == record.TCP && t.Streams == 1 {
			return t
		}
	}
	return nil
}

// throttled says that UDP lost packets in its turn beside TCP: further rungs
// would say more of that, and nothing of the path.
func (c *checker) throttled(d record.Direction) bool {
	b := c.run.BesideIn(d, false)
	return b != nil && len(b.Tests) > 1
}

// suspect says that a rung lost what TCP at a higher rate did not.
func (c *checker) suspect(d record.Direction) bool {
	one := c.one(d)
	if one == nil {
		return false
	}
	segments := one.Rate*one.Duration/8/float64(c.datagram()) + 1
	resent := max(float64(one.Retransmits), 0) / segments
	for i := range c.run.Transfers {
		t := &c.run.Transfers[i]
		if t.Direction != d || t.UDP == nil || t.UDP.Sent > fullShare*one.SteadyRate {
			continue
		}
		if lost := float64(t.UDP.Lost); t.UDP.Lost >= worthALook && lost > 3*resent*float64(t.UDP.Packets) {
			return true
		}
	}
	return false
}
