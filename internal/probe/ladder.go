package probe

import (
	"context"
	"fmt"
	"time"

	"unchoke/internal/congestion"
	"unchoke/internal/flow"
	"unchoke/internal/probe/load"
	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// ladderUp sends UDP up at rising rates. Echo probes beside it tell when the path is
// full, and so when to stop. A queue that keeps flows apart hides that from them, and
// holds for seconds what the fastest rungs send: where there is time for two tests, those
// are one of their own, left out where the first had filled the path.
func (c *checker) ladderUp(ctx context.Context) error {
	reserve := c.reserve() + c.owed()
	var slots []iperf3.Slot
	for _, rate := range c.rates(record.Up, c.plan.rtt, reserve) {
		slots = append(slots, iperf3.Slot{Rate: rate, Duration: c.slot(rate)})
	}
	gentle, fast := apart(slots, gentleMost*c.single(record.Up))
	if c.left() < total(slots)+2*(c.linger()+c.plan.overhead())+reserve {
		gentle, fast = slots, nil
	}
	before := len(c.run.Transfers)
	if err := c.sendRungs(ctx, gentle, true); err != nil || c.filledBy(c.run.Transfers[before:], len(gentle)) {
		return err
	}
	return c.sendRungs(ctx, fast, true)
}

// gentleMost is how much faster than one stream the first rungs of a ladder up are at
// the most.
const gentleMost = 10

// filledBy says that the rungs of a test up, of so many that were planned, ended with
// one that this host's own queue held back, or filled the path: two that did, or one
// beside which no echo probe waited, as behind a queue that keeps flows apart. In a queue
// for all, what a faster one gets tells whether others have the rest. Echo probes end a
// test earlier that has filled the path.
func (c *checker) filledBy(rungs []record.Transfer, planned int) bool {
	if len(rungs) < planned {
		return true
	}
	full, last := c.full(rungs, record.Up)
	if full >= 2 || last.full() && last.rise <= overloadRise {
		return true
	}
	return planned > 0 && rungs[len(rungs)-1].UDP.Sent < piledShare*rungs[len(rungs)-1].UDP.Offered
}

// full counts the rungs of a direction that filled the path, and judges the last one.
func (c *checker) full(all []record.Transfer, d record.Direction) (n int, last outcome) {
	baseline := 1.0
	for i := range all {
		t := &all[i]
		if t.Direction != d || t.UDP == nil {
			continue
		}
		last = c.outcomeOf(t, baseline)
		baseline = min(baseline, last.loss)
		if last.full() {
			n++
		}
	}
	return n, last
}

// sendRungs sends UDP up, all rungs in one iperf3 test: a stream a rung, one
// after the other, since the server counts each stream by itself.
func (c *checker) sendRungs(ctx context.Context, slots []iperf3.Slot, stopWhenFull bool) error {
	if len(slots) == 0 {
		return nil
	}
	client := c.client
	queues := load.WatchEgress()
	client.Progress = func(iperf3.Progress) { queues.Look(); c.tell() }
	full := newWatch(slots, c.plan.rtt)
	if stopWhenFull {
		client.Enough = full.stop
	}
	test := iperf3.Test{
		Protocol: iperf3.UDP, Slots: slots, Streams: len(slots),
		Duration: total(slots) + c.linger(), GetServerOutput: true,
		Length: c.datagram(),
	}
	var echoes *running
	result, err := c.runTest(ctx, client, c.server(), test, func() {
		echoes = c.startEcho(ctx, besideRung(c.thinnest()))
		full.echoes = echoes
	})
	var series record.Echo
	if echoes != nil {
		series = c.stopAfter(echoes, "udp-up", result)
	}
	queues.Look()
	if result == nil || result.Elapsed == 0 {
		c.keepBetween(series)
		return err
	}
	if err != nil {
		return err // nobody knows what arrived
	}
	begin := result.Start.Sub(c.start).Seconds()
	series = since(series, begin)
	output := parseServerOutput(result)
	for _, a := range output.arrivals {
		a.Start, a.End = a.Start+begin, a.End+begin
		c.run.Arrivals = append(c.run.Arrivals, a)
	}
	before := c.rungs(record.Up)
	var at time.Duration
	for i, s := range told(result.Streams) {
		slot := slots[i]
		inSlot(&s, at, slot.Duration)
		t := rungOf(fmt.Sprintf("udp-up-%d", before+i+1), record.Up, slot.Rate, s, c.datagram())
		from := result.Start.Add(at)
		t.Started, t.Duration = begin+at.Seconds(), slot.Duration.Seconds()
		t.Egress = queues.Use(from, from.Add(slot.Duration))
		if output.reordered != nil {
			t.UDP.Reordered = output.reordered[i]
		}
		c.run.Transfers = append(c.run.Transfers, t)
		if echoes != nil {
			c.run.Echoes = append(c.run.Echoes, window(series, t.Name, at.Seconds(), (at+slot.Duration).Seconds()))
		}
		at += slot.Duration
	}
	c.keepAfter(series, max(at, result.Elapsed).Seconds())
	c.stands()
	return nil
}

// told are the first streams up that were sent and of which the far end told what
// arrived. Where its results never came, nobody knows.
func told(streams []iperf3.Stream) []iperf3.Stream {
	for i, s := range streams {
		if s.Sent.Packets == 0 || s.Remote == nil {
			return streams[:i]
		}
	}
	return streams
}

// rungs counts the rungs of a direction so far.
func (c *checker) rungs(d record.Direction) int {
	n := 0
	for i := range c.run.Transfers {
		if t := &c.run.Transfers[i]; t.Direction == d && t.Protocol == record.UDP {
			n++
		}
	}
	return n
}

// ladderDown asks the far end to send UDP at rising rates, a test each: a
// stock server knows no other way.
func (c *checker) ladderDown(ctx context.Context) error {
	seen, _ := c.full(c.run.Transfers, record.Down) // before it was broken off
	for i, rate := range c.rates(record.Down, c.plan.overhead(), c.owed()) {
		owed := c.owed()
		if seen == 0 {
			owed /= 2 // a rung above the ceiling tells more than eight streams in the other direction
		}
		if i > 0 && c.left() < c.slot(rate)+c.plan.overhead()+owed {
			c.skip(fmt.Sprintf("UDP ladder down, from %d bit/s", rate), fmt.Sprintf("not enough left of the %v of path time", c.Budget))
			return nil
		}
		if t, err := c.receiveRung(ctx, rate, c.slot(rate)); err != nil || t == nil {
			return err
		}
		n, last := c.full(c.run.Transfers, record.Down)
		if seen = n; last.full() && (seen >= 2 || rate > 3*int64(c.single(record.Down))) {
			return nil
		}
	}
	return nil
}

// receiveRung asks the far end for one rung. The transfer, which stands in the
// record, is nil where nothing was measured.
func (c *checker) receiveRung(ctx context.Context, rate int64, length time.Duration) (*record.Transfer, error) {
	name := fmt.Sprintf("udp-down-%d", c.rungs(record.Down)+1)
	test := iperf3.Test{
		Protocol: iperf3.UDP, Reverse: true, Rate: rate, Duration: length,
		Length: c.datagram(), PacingTimer: pacingTimer(rate, c.datagram()),
		Trace: maxTrace,
	}
	var echoes *running
	sockets := c.load.BeginSockets()
	result, err := c.runTest(ctx, c.client, c.server(), test, func() { echoes = c.startEcho(ctx, besideRung(c.thinnest())) })
	drops := sockets.End()
	var series record.Echo
	if echoes != nil {
		series = c.stopAfter(echoes, name, result)
	}
	if result == nil || len(result.Streams) == 0 || result.Elapsed == 0 {
		c.keepBetween(series)
		return nil, err
	}
	if err != nil {
		return nil, err // it was broken off
	}
	t := rungOf(name, record.Down, rate, result.Streams[0], c.datagram())
	t.Started, t.UDPDrops = result.Start.Sub(c.start).Seconds(), drops
	c.run.Transfers = append(c.run.Transfers, t)
	if echoes != nil {
		series = since(series, t.Started)
		c.run.Echoes = append(c.run.Echoes, window(series, name, 0, t.Duration))
		c.keepAfter(series, t.Duration)
	}
	c.stands()
	return &t, nil
}

// confirm sends evenly, well below what the path carries, for longer than a
// rung: where one stream is slow, this tells loss that is there at any rate
// from queues that only bursts overflow.
func (c *checker) confirm(d record.Direction) func(context.Context) error {
	return func(ctx context.Context) error {
		rate := int64(confirmShare * c.carried(d))
		if c.single(d) >= fullShare*c.carried(d) || rate < ladderFloor || c.throttled(d) {
			return nil
		}
		return c.rung(ctx, d, rate, min(confirmTime, confirmPackets*gap(rate, c.datagram())))
	}
}

// rung sends UDP at one rate, either way.
func (c *checker) rung(ctx context.Context, d record.Direction, rate int64, length time.Duration) error {
	if d == record.Down {
		_, err := c.receiveRung(ctx, rate, length)
		return err
	}
	return c.sendRungs(ctx, []iperf3.Slot{{Rate: rate, Duration: length}}, false)
}

// overload sends up faster than the path seems to carry, for longer than a
// second, where packets were lost and no echo probe waited: the far end's count
// of whole seconds then tells a policer from a queue that keeps flows apart.
// A stock server counts packets and seconds, not when packets arrive.
func (c *checker) overload(ctx context.Context) error {
	most := 0.0
	for i := range c.run.Transfers {
		t := &c.run.Transfers[i]
		if t.Direction != record.Up || t.Protocol != record.UDP {
			continue
		}
		most = max(most, t.UDP.Delivered)
		if c.rttBeside(t)-c.plan.rtt > overloadRise {
			return nil // the queue shows
		}
	}
	if most == 0 || !c.lostAbove() || c.throttled(record.Up) {
		return nil
	}
	if err := wait.For(ctx, staleTime); err != nil {
		return err
	}
	rate := min(int64(overloadFactor*most), ladderTop)
	return c.rung(ctx, record.Up, rate, overloadTime)
}

// unknown are the directions of which one stream is all that was measured, and that it
// kept no queue standing in, the faster one first: nobody knows what they carry. Paths
// through space leave no time for a ladder. BBR's own queue does not say that it has all.
func (c *checker) unknown() []record.Direction {
	var ways []record.Direction
	for _, d := range record.Directions {
		more := false
		for i := range c.run.Transfers {
			t := &c.run.Transfers[i]
			more = more || t.Direction == d && (t.Protocol == record.UDP || t.Streams > 1)
		}
		if one := c.one(d); one != nil && !more && one.SteadyRate > 0 && (!c.filled[d] || congestion.BBR(one.CC)) {
			ways = append(ways, d)
		}
	}
	if len(ways) == 2 && c.single(ways[1]) > c.single(ways[0]) {
		ways[0], ways[1] = ways[1], ways[0]
	}
	return ways
}

// above sends UDP at several times what one stream carried: what comes through is what
// the path carries.
func (c *checker) above(ctx context.Context) error {
	for _, d := range c.unknown() {
		rate := min(int64(aboveFactor*c.single(d)), ladderTop)
		if c.left() < c.slot(rate)+c.plan.overhead() {
			c.skip("UDP above one stream, "+string(d), fmt.Sprintf("not enough left of the %v of path time", c.Budget))
			continue
		}
		if err := c.rung(ctx, d, rate, c.slot(rate)); err != nil {
			return err
		}
	}
	return nil
}

// aboveFactor: a stream that grows back has half of the path at the least, and one in its
// slow start half of that.
const aboveFactor = 4

// lostAbove says that a rung up lost a twentieth of its packets or more.
func (c *checker) lostAbove() bool {
	for i := range c.run.Transfers {
		t := &c.run.Transfers[i]
		if t.Direction == record.Up && t.Protocol == record.UDP && 20*t.UDP.Lost > t.UDP.Packets {
			return true
		}
	}
	return false
}

const (
	overloadTime   = 1300 * time.Millisecond
	overloadFactor = 1.4
	overloadRise   = 5 * time.Millisecond
)

const (
	// confirmShare of the capacity leaves room for what a stock server's timer
	// makes of evenly sent packets.
	confirmShare = 0.6
	// confirmPackets tell a loss of one in 5,000 from none: it costs a stream
	// of 100 Mbit/s at 50 ms half of its rate (RFC 9438 §5.1).
	confirmPackets = 20_000
	confirmTime    = 1200 * time.Millisecond
	// fullShare: a stream that carries as much of what others do is not slow.
	fullShare = 0.8
)

// carried is the most that was seen to come through a direction in at least a
// rung's time, in bit/s.
func (c *checker) carried(d record.Direction) float64 {
	most := 0.0
	for i := range c.run.Transfers {
		t := &c.run.Transfers[i]
		switch {
		case t.Direction != d:
		case t.Protocol == record.TCP:
			most = max(most, t.SteadyRate)
		case d == record.Down:
			most = max(most, t.UDP.Delivered)
		}
	}
	if d == record.Up {
		// What of a short rung arrived may have waited in a queue beyond its
		// end; what arrived in a time did not.
		for _, a := range c.run.Arrivals {
			if a.End-a.Start >= leastArrivals.Seconds() {
				most = max(most, a.Rate)
			}
		}
	}
	return most
}

// leastArrivals is how long an interval of arrivals must be to tell a rate.
const leastArrivals = 200 * time.Millisecond

// outcomeOf judges a rung for the choice of the next one, by the least loss of the rungs
// before it; 1 where there were none.
func (c *checker) outcomeOf(t *record.Transfer, baseline float64) outcome {
	o := outcome{baseline: baseline}
	if t.UDP.Packets > 0 {
		o.loss = float64(t.UDP.Lost) / float64(t.UDP.Packets)
	}
	o.piled = t.UDP.Delivered < piledShare*(1-o.loss)*t.UDP.Sent
	if baseline == 1 {
		o.baseline = 0
	}
	if rtt := c.rttBeside(t); rtt > 0 && c.plan.rtt > 0 {
		o.rise = rtt - c.plan.rtt
	}
	return o
}

// rttBeside is the median RTT of the echo probes beside a transfer, 0 where none was
// answered.
func (c *checker) rttBeside(t *record.Transfer) time.Duration {
	e := c.run.Echo(t.Name)
	if e == nil {
		return 0
	}
	return medianRTT(*e)
}

// single is what one TCP stream carries in a direction, in bit/s: the last one,
// whose segments pass.
func (c *checker) single(d record.Direction) float64 {
	if t := c.one(d); t != nil {
		return t.SteadyRate
	}
	return 0
}

// thinnest is what one stream carried in the slower of the directions in which it
// kept a queue standing, in bit/s: a rate of the line's, not of the stream's. 0 where
// there was none.
func (c *checker) thinnest() float64 {
	least := 0.0
	for _, d := range record.Directions {
		t := c.one(d)
		if t == nil || t.SteadyRate <= 0 || !c.filled[d] && !c.queuesBeside(t) {
			continue
		}
		if least == 0 || t.SteadyRate < least {
			least = t.SteadyRate
		}
	}
	return least
}

// queuesBeside says that echo probes beside a transfer took twice as long as without.
func (c *checker) queuesBeside(t *record.Transfer) bool {
	return c.plan.rtt > 0 && c.rttBeside(t) > 2*c.plan.rtt
}

// reserve is what the ladder up leaves for the one down: two rungs.
func (c *checker) reserve() time.Duration {
	if c.Quick && c.filled[record.Down] {
		return 0
	}
	return 2 * (c.plan.slot() + c.plan.overhead())
}

// rates of a direction's ladder, a rung of which takes some time beyond its own,
// in the time that is left less a reserve. Where time is owed to what comes
// later, a ladder with fewer rungs reaches as high as one that is cut short
// would not. A ladder that was broken off goes on above its last rung.
func (c *checker) rates(d record.Direction, each, reserve time.Duration) []int64 {
	rates := c.plan.rates(c.single(d))
	took := c.plan.overhead()
	for _, rate := range rates {
		took += c.slot(rate) + each
	}
	if c.owed() > 0 && took > c.left()-reserve {
		rates = ladder(c.single(d), coarse)
	}
	for i := range c.run.Transfers {
		t := &c.run.Transfers[i]
		for t.Direction == d && t.UDP != nil && len(rates) > 0 && rates[0] <= int64(t.UDP.Offered) {
			rates = rates[1:]
		}
	}
	return c.affordable(rates, reserve)
}

// affordable leaves out rungs that the time that is left, less a reserve, does
// not allow. Each stream of a UDP test takes a round trip to open.
func (c *checker) affordable(rates []int64, reserve time.Duration) []int64 {
	room := c.left() - c.plan.overhead() - reserve
	for i, rate := range rates {
		if room -= c.slot(rate) + c.plan.rtt; room < 0 && i > 1 {
			return rates[:i]
		}
	}
	return rates
}

// slot is how long a rung of this rate runs: a fast one is cut short where it
// would send too much, and a slow one runs longer for having packets to count.
func (c *checker) slot(rate int64) time.Duration {
	each := gap(rate, c.datagram())
	return min(max(c.plan.slot(), min(leastPackets*each, 2*c.plan.slot())), rungPackets*each)
}

// gap is the time between two packets of a rate.
func gap(rate int64, payload int) time.Duration {
	return time.Duration(float64(payload) * 8 / float64(rate) * float64(time.Second))
}

// linger is how long the far end goes on counting after the last rung: for
// what still stands in a queue.
func (c *checker) linger() time.Duration { return c.plan.rtt + 200*time.Millisecond }

// datagram is the UDP payload that makes packets as large as TCP's: what one
// direction's ladder finds then holds for the other protocol. 0 leaves it to
// the client, which asks its control connection.
func (c *checker) datagram() int {
	least := 0
	for _, mss := range c.mss {
		if least == 0 || mss < least {
			least = mss
		}
	}
	if least > 0 {
		return least - 12 // TCP's timestamps, as of a segment (RFC 7323)
	}
	for i := range c.run.Transfers {
		if n := flow.SegmentSize(c.run.Transfers[i].Series); n > 0 {
			return n
		}
	}
	return defaultDatagram
}

// defaultDatagram fits IPv6's least MTU with its headers (RFC 8200 §5).
const defaultDatagram = 1200

// maxTrace bounds the packets of a rung that are kept in memory.
const maxTrace = 200_000

// pacingTimer asks a stock server to look at its rate about once a packet:
// its default of a millisecond would send bursts that a short queue or a
// policer drops, and blame the path for it. Below a quarter of a millisecond
// it would spend its time looking.
func pacingTimer(rate int64, payload int) time.Duration {
	return min(max(gap(rate, payload), 250*time.Microsecond), time.Millisecond)
}

func total(slots []iperf3.Slot) time.Duration {
	var sum time.Duration
	for _, s := range slots {
		sum += s.Duration
	}
	return sum
}
