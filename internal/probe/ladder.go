package probe

import (
	"context"
	"fmt"
	"time"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// ladderUp sends UDP up at rising rates, all in one iperf3 test: a stream a
// rung, one after the other, since the server counts each stream by itself.
// Echo probes beside it tell when the path is full, and so when to stop.
func (c *checker) ladderUp(ctx context.Context) error {
	var slots []iperf3.Slot
	for _, rate := range c.affordable(c.plan.rates(c.single(record.Up)), c.reserve()) {
		slots = append(slots, iperf3.Slot{Rate: rate, Duration: c.slot(rate)})
	}
	echoes := c.startEcho(ctx, slotInterval)
	client := c.client
	watch := newWatch(echoes, slots, c.plan.rtt)
	client.Enough = watch.stop
	result, err := client.Run(ctx, c.server(), iperf3.Test{
		Protocol: iperf3.UDP, Slots: slots, Streams: len(slots),
		Duration: total(slots) + c.drain(), GetServerOutput: true,
		Length: c.datagram(),
	})
	var series record.Echo
	if echoes != nil {
		series = echoes.stop("udp-up", c.plan.rtt)
	}
	if result == nil || result.Elapsed == 0 {
		return err
	}
	begin := result.Start.Sub(c.start).Seconds()
	series = since(series, begin)
	reordered := parseServerOutput(result).reordered
	at := 0.0
	for i, s := range result.Streams {
		length := slots[i].Duration.Seconds()
		if s.Sent.Packets == 0 {
			break
		}
		t := rungOf(fmt.Sprintf("udp-up-%d", i+1), record.Up, slots[i].Rate, s, c.datagram())
		t.Started, t.Duration = begin+at, length
		if reordered != nil {
			t.UDP.Reordered = reordered[i]
		}
		c.run.Transfers = append(c.run.Transfers, t)
		if echoes != nil {
			c.run.Echoes = append(c.run.Echoes, window(series, t.Name, at, at+length))
		}
		at += length
	}
	return err
}

// ladderDown asks the far end to send UDP at rising rates, a test each: a
// stock server knows no other way.
func (c *checker) ladderDown(ctx context.Context) error {
	idle := c.plan.rtt
	baseline := 1.0
	seen := 0
	for i, rate := range c.affordable(c.plan.rates(c.single(record.Down)), 0) {
		if i > 0 && c.left() < c.slot(rate)+c.plan.overhead() {
			c.skip(fmt.Sprintf("UDP ladder down, from %d bit/s", rate), fmt.Sprintf("not enough left of the %v of path time", c.Budget))
			return nil
		}
		name := fmt.Sprintf("udp-down-%d", i+1)
		length := c.slot(rate)
		echoes := c.startEcho(ctx, slotInterval)
		result, err := c.client.Run(ctx, c.server(), iperf3.Test{
			Protocol: iperf3.UDP, Reverse: true, Rate: rate, Duration: length,
			Length: c.datagram(), PacingTimer: pacingTimer(rate, c.datagram()),
			Trace: maxTrace,
		})
		var series record.Echo
		if echoes != nil {
			series = echoes.stop(name, idle)
		}
		if result == nil || len(result.Streams) == 0 || result.Elapsed == 0 {
			return err
		}
		t := rungOf(name, record.Down, rate, result.Streams[0], c.datagram())
		t.Started = result.Start.Sub(c.start).Seconds()
		c.run.Transfers = append(c.run.Transfers, t)
		if echoes != nil {
			series = window(since(series, t.Started), name, 0, t.Duration)
			c.run.Echoes = append(c.run.Echoes, series)
		}
		if err != nil {
			return err
		}
		o := outcomeOf(t, series, idle, baseline)
		baseline = min(baseline, o.loss)
		if o.full() {
			if seen++; seen == 2 || rate > 3*int64(c.single(record.Down)) {
				return nil
			}
		}
	}
	return nil
}

// outcomeOf judges a rung for the choice of the next one.
func outcomeOf(t record.Transfer, e record.Echo, idle time.Duration, baseline float64) outcome {
	o := outcome{baseline: baseline}
	if t.UDP.Packets > 0 {
		o.loss = float64(t.UDP.Lost) / float64(t.UDP.Packets)
	}
	if baseline == 1 {
		o.baseline = 0
	}
	if rtt := medianRTT(e); rtt > 0 && idle > 0 {
		o.rise = rtt - idle
	}
	return o
}

// single is what one TCP stream carries in a direction, in bit/s.
func (c *checker) single(d record.Direction) float64 {
	for _, t := range c.run.Transfers {
		if t.Direction == d && t.Protocol == record.TCP && t.Streams == 1 {
			return t.SteadyRate
		}
	}
	return 0
}

// reserve is what the ladder up leaves for the one down: two rungs.
func (c *checker) reserve() time.Duration {
	if c.filled[record.Down] {
		return 0
	}
	return 2 * (c.plan.slot() + c.plan.overhead())
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

// drain is how long the far end goes on counting after the last rung: for
// what still stands in a queue.
func (c *checker) drain() time.Duration { return c.plan.rtt + 200*time.Millisecond }

// datagram is the UDP payload that makes packets as large as TCP's: what one
// direction's ladder finds then holds for the other protocol. 0 leaves it to
// the client, which asks its control connection.
func (c *checker) datagram() int {
	for i := range c.run.Transfers {
		if n := c.run.Transfers[i].SegmentSize(); n > 0 {
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
