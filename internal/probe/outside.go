package probe

import (
	"context"
	"net/netip"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// outsideAddress is where a tunnel's outer packets go, by UDP and directly to the target;
// the zero value where there is no such tunnel, or the target is another host behind it.
func (c *checker) outsideAddress() netip.Addr {
	if c.Tunnel == nil || c.noOutside {
		return netip.Addr{}
	}
	if t := c.Tunnel.Tunnel(); !t.OverUDP() || t.Via() != record.Direct || t.Target == record.Behind {
		return netip.Addr{}
	}
	if all := c.Tunnel.Outside(); len(all) > 0 && all[0] != c.Address {
		return all[0]
	}
	return netip.Addr{}
}

// outsideTCP asks a server beside the tunnel, on the target's port, what one TCP
// stream carries outside. Where that is clearly more than inside, UDP takes its
// turn there: a network that holds UDP back holds the tunnel back.
//
// It is put off while less time is left than a reserve, unless the question is
// urgent.
func (c *checker) outsideTCP(d record.Direction, reserve func() time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		if !c.mayAskOutside(d) || c.left() < reserve() && !c.urgent(d) {
			return nil
		}
		c.asked[d] = true
		if c.peerIsNearer(ctx) {
			c.noOutside = true
			c.skip("outside the tunnel", "the tunnel's peer is clearly nearer than the target: another host, behind which the target is")
			return nil
		}
		address := c.outsideAddress()
		b := besides{checker: c, client: c.client, address: address, outside: true}
		b.client.Timeout = outsidePatience + controlRTTs*c.plan.rtt
		b.client.BusyWait = 0
		length := outsideLength + 6*c.plan.rtt
		inside := inside(c.one(d), length)
		t, err := b.tcpTest(ctx, d, 0, length, stopWhenFaster(2*inside))
		if err == nil && t.Duration > 0 && t.Delivered == 0 && c.left() > length+c.plan.overhead() {
			// Large packets vanish outside, as where ICMP is filtered. Those of the
			// tunnel pass, and so do segments that are no larger.
			b.segment = flow.SegmentSize(c.one(d).Series)
			t, err = b.tcpTest(ctx, d, 0, length, stopWhenFaster(2*inside))
		}
		if ctx.Err() != nil {
			return err
		}
		if err != nil || t.Duration == 0 {
			c.noOutside = true // nobody serves there
			c.skip("outside the tunnel", "no iperf3 server answers at "+b.server()+", beside the tunnel: what the path carries without it is not known")
			return nil
		}
		if t.Delivered < outsideFaster*inside {
			c.run.Besides = append(c.run.Besides, record.Beside{Direction: d, Address: address.String(), Outside: true, Tests: []record.BesideTest{t}})
			return nil
		}
		// That UDP, or anything, fails outside says nothing of what runs inside.
		if err := b.turns(ctx, d, int64(besideShare*t.Delivered), []record.BesideTest{t}); err != nil && ctx.Err() == nil {
			c.skip("outside the tunnel, "+string(d), err.Error())
		}
		return ctx.Err()
	}
}

// peerIsNearer says that the target may be behind the tunnel's peer, and that the way there
// takes clearly less time: what runs there is not what the target gets.
func (c *checker) peerIsNearer(ctx context.Context) bool {
	t := c.Tunnel.Tunnel()
	if t.Target != record.PerhapsBehind || t.Underlay == nil {
		return false
	}
	if t.Underlay.RTT == 0 {
		c.outside(ctx)
		t = c.Tunnel.Tunnel()
	}
	return t.Underlay != nil && t.Underlay.RTT > 0 && t.Underlay.RTT < clearlyNearer*c.plan.rtt.Seconds()-programTime
}

// beforeEight is the time that must be left for a question outside the tunnel before eight
// streams run. What one stream fills, eight fill as well: what is outside tells more there,
// unless it took the time of the eight streams that tell something the other way.
func (c *checker) beforeEight(d record.Direction) func() time.Duration {
	return func() time.Duration {
		switch {
		case !c.filled[d]:
			return c.Budget // put off
		case c.filled[d.Opposite()]:
			return c.outsideTime()
		}
		return c.outsideTime() + c.eightTime()
	}
}

// outsideBoth asks outside the tunnel in both directions: time may not suffice for
// the second.
func (c *checker) outsideBoth(reserve func() time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		first := c.outsideFirst()
		if err := c.outsideTCP(first, reserve)(ctx); err != nil {
			return err
		}
		return c.outsideTCP(first.Opposite(), reserve)(ctx)
	}
}

// outsideFirst is the direction that is asked about first: the one that loses, of
// two the slower one.
func (c *checker) outsideFirst() record.Direction {
	if c.losing(record.Up) && (!c.losing(record.Down) || c.single(record.Up) < c.single(record.Down)) {
		return record.Up
	}
	return record.Down
}

// mayAskOutside says that there is an outside, not asked yet, and something to
// hold against it. Where large packets vanish this way, that is to be fixed first; a
// quick check has no time for it.
func (c *checker) mayAskOutside(d record.Direction) bool {
	return !c.Quick && !c.asked[d] && c.mss[d] == 0 && c.one(d) != nil && c.outsideAddress().IsValid()
}

// inside is what the one stream carried in the tunnel, to hold a stream of some
// length outside against: a stream that loses is fastest while it is young.
func inside(one *record.Transfer, length time.Duration) float64 {
	share := min(length.Seconds()/one.Duration, 1)
	young := flow.Goodput(func(from, to float64) float64 { return one.Goodput(share*from, share*to) })
	return max(one.SteadyRate, young.Steady())
}

// urgent says that a direction is asked about outside the tunnel before all that
// only tells how many packets are lost: whether UDP alone loses them is the
// question. Where UDP proved to be held back one way, most often it is the other way
// too. Else, of two directions that lose, the slower one comes first, and the other
// one gets what time is left.
func (c *checker) urgent(d record.Direction) bool {
	other := d.Opposite()
	if b := c.run.BesideIn(other, true); b != nil && len(b.Tests) == heldBack {
		return c.left() >= c.outsideTime()
	}
	if !c.losing(d) || c.left() < c.outsideTime()+c.turnsTime() {
		return false
	}
	return !c.losing(other) || !c.asked[other] && c.single(d) <= c.single(other)
}

// owed is the time of the eight streams where a question outside the tunnel was
// put before them: the ladders leave it.
func (c *checker) owed() time.Duration {
	if len(c.asked) == 0 {
		return 0
	}
	return 2 * c.eightTime()
}

// losing says that the one stream of a direction lost so many packets as slow a
// stream down, and that it filled no queue.
func (c *checker) losing(d record.Direction) bool {
	one := c.one(d)
	if one == nil || c.filled[d] || one.Retransmits < worthALook {
		return false
	}
	segments := one.Rate*one.Duration/8/float64(c.datagram()) + 1
	return float64(one.Retransmits) > losingShare*segments
}

// losingShare is the loss at which CUBIC carries about 9 Mbit/s at 50 ms
// (RFC 9438 §5.1).
const losingShare = 0.001

// outsideTime is what it takes in a direction where UDP is not held back.
func (c *checker) outsideTime() time.Duration {
	return outsideLength + 6*c.plan.rtt + c.plan.overhead()
}

// eightTime is what eight streams take in a direction.
func (c *checker) eightTime() time.Duration { return c.plan.many() + c.plan.overhead() }

const (
	outsidePatience = 1500 * time.Millisecond
	outsideLength   = 1300 * time.Millisecond
	// outsideFaster: a tunnel's headers take at most a tenth; a stream that
	// gains a third outside suffers inside.
	outsideFaster = 1.25
	// clearlyNearer is a share of the RTT, and programTime what a tunnel's program takes of
	// it at the ends, in seconds.
	clearlyNearer = 0.9
	programTime   = 0.002
	// heldBack: so many tests outside there are where UDP lost in its turns what
	// TCP did not.
	heldBack = 4
)

// stopWhenFaster ends a stream that has been above a rate in bit/s for half a
// second.
func stopWhenFaster(rate float64) func(iperf3.Progress) bool {
	var at []time.Duration
	var totals []int64
	return func(p iperf3.Progress) bool {
		var sum int64
		for _, b := range p.Bytes {
			sum += b
		}
		at, totals = append(at, p.Elapsed), append(totals, sum)
		for i := range at {
			if span := p.Elapsed - at[i]; span < 500*time.Millisecond {
				return i > 0 && float64(sum-totals[i-1])*8 > rate*(p.Elapsed-at[i-1]).Seconds() && p.Elapsed > time.Second
			}
		}
		return false
	}
}
