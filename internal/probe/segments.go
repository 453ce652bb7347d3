package probe

import (
	"context"
	"fmt"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/wire"
	"unchoke/iperf3"
)

// stream runs one TCP stream. Where it stands still from its first full segment
// on, streams with segments of several sizes run side by side: if smaller ones
// arrive while full ones do not, large packets vanish, and the rest of the check
// keeps to a size that passes.
func (c *checker) stream(d record.Direction) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := c.oneStream(ctx, d); err != nil {
			return err
		}
		t := &c.run.Transfers[len(c.run.Transfers)-1]
		if t.Direction != d || !flow.StoodStill(t) {
			return nil
		}
		test, err := c.segmentTest(ctx, d)
		if err != nil {
			return err
		}
		mss, vanished := test.Largest()
		if vanished && mss == 0 {
			return nil // whatever it is, it is no matter of size
		}
		if vanished {
			c.mss[d] = mss
		}
		c.stands()
		return c.oneStream(ctx, d)
	}
}

// segmentTest runs streams of several segment sizes side by side. What arrived
// of each stands in the record.
func (c *checker) segmentTest(ctx context.Context, d record.Direction) (record.SegmentTest, error) {
	out := record.SegmentTest{Direction: d, Started: c.elapsed().Seconds()}
	bounds := segmentBounds(c.run.Route.MTU, wire.Headers(c.Address), c.echoLimit())
	result, err := c.runTest(ctx, c.client, c.server(), iperf3.Test{
		Duration: segmentTime + 4*c.plan.rtt, Streams: len(bounds), Reverse: d == record.Down,
		Congestion: c.CC, Segments: bounds,
	}, func() {})
	if err != nil || len(result.Streams) != len(bounds) {
		return out, err
	}
	out.Duration = result.Elapsed.Seconds()
	for i, s := range result.Streams {
		out.Streams = append(out.Streams, segmentStream(bounds[i], d, s))
	}
	c.run.SegmentTests = append(c.run.SegmentTests, out)
	return out, nil
}

// segmentTime is enough for a first window and for the retransmission of what
// of it was lost (RFC 6298: a first timeout of at most a second).
const segmentTime = time.Second

func segmentStream(bound int, d record.Direction, s iperf3.Stream) record.SegmentStream {
	out := record.SegmentStream{MSS: bound, Bytes: s.Bytes, Resent: retransmits(s, d)}
	if n := len(s.Samples); n > 0 {
		series, info := SeriesOf(s), s.Samples[n-1].Info
		out.Segment, out.PMTU = flow.SegmentSize([]record.Series{series}), int(info.PMTU)
		out.Bytes = int64(flow.Arrived(series, s.Samples[n-1].At.Seconds()))
	}
	return out
}

// segmentBounds are the bounds of streams that are to show which sizes pass: none
// (0) first, then from large to small. Where echoes found the largest packet that
// comes and goes, limit, it is among them, and fewer others are: each stream
// takes a round trip to open.
func segmentBounds(mtu, headers, limit int) []int {
	sizes := segmentSizes
	if limit > 0 {
		var above []int
		for _, size := range sizes {
			if size > limit && size < mtu {
				above = append(above, size)
			}
		}
		if n := len(above); n > 3 {
			above = []int{above[0], above[n/2], above[n-1]}
		}
		sizes = append([]int{min(sizes[0], limit), max(sizes[0], limit)}, above...)
	}
	out, last := []int{0}, 0
	for i := len(sizes) - 1; i >= 0; i-- {
		if size := sizes[i]; size != last && (size < mtu || mtu == 0) {
			last = size
			out = append(out, size-headers)
		}
	}
	return out
}

// segmentSizes are packet sizes that tell most of what networks do, in order; the least
// is what Linux itself falls back to (tcp_base_mss of 1024).
var segmentSizes = []int{1064, 1280, 1360, 1400, 1420, 1460, 1492}

// echoLimit is the largest packet that echoes found to pass where larger ones
// vanish; 0 where they did not find that.
func (c *checker) echoLimit() int {
	for _, p := range c.run.PacketSizes {
		if passed, vanished := p.Largest(); !p.Outside && vanished > 0 {
			return passed
		}
	}
	return 0
}

// stoodStill ends a transfer in which nothing has moved since its first moment:
// a sender filled its buffer, or nothing came.
func stoodStill(patience time.Duration) func(iperf3.Progress) bool {
	first := int64(-1)
	return func(p iperf3.Progress) bool {
		var sum int64
		for _, b := range p.Bytes {
			sum += b
		}
		if first < 0 {
			first = sum
		}
		return sum == first && p.Elapsed > patience
	}
}

// stillness is how long a stream may stand still at its start: three
// retransmission timeouts (of 200 ms and a round trip, doubling) and what a
// sender that probes for an MTU needs after them (net.ipv4.tcp_mtu_probing).
func (c *checker) stillness() time.Duration {
	return 2*time.Second + 6*c.plan.rtt
}

// transferName tells the transfers of one direction apart.
func (c *checker) transferName(d record.Direction, streams int) string {
	name := fmt.Sprintf("%s-%d", d, streams)
	if c.mss[d] > 0 {
		name += fmt.Sprintf("-mss-%d", c.mss[d])
	}
	return name
}

// unused is a name that no transfer has yet, so that each keeps its own echo probes: a
// stream that stood still, though all sizes passed then, runs again.
func (c *checker) unused(name string) string {
	for i := range c.run.Transfers {
		if c.run.Transfers[i].Name == name {
			return c.unused(name + "-again")
		}
	}
	return name
}
