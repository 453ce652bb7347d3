package probe

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/linux/netstat"
	"unchoke/internal/probe/load"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// oneStream runs one TCP stream until its rate has settled.
func (c *checker) oneStream(ctx context.Context, d record.Direction) error {
	least, most := c.plan.single()
	return c.tcp(ctx, d, 1, c.unused(c.transferName(d, 1)), least, most)
}

// eightStreams runs as many streams side by side as a speed test would.
func (c *checker) eightStreams(ctx context.Context, d record.Direction) error {
	return c.tcp(ctx, d, record.ManyStreams, c.transferName(d, record.ManyStreams), c.plan.many(), c.plan.many())
}

// tcp runs one TCP transfer and adds it to the record, whatever came of it. Between
// the least and the most time it ends as soon as it has settled.
func (c *checker) tcp(ctx context.Context, d record.Direction, streams int, name string, least, most time.Duration) error {
	ran, err := c.transfer(ctx, d, streams, c.CC, name, least, most)
	t := ran.transfer
	if t == nil {
		return err
	}
	c.run.Transfers = append(c.run.Transfers, *t)
	c.learnPeer(d, ran.result)
	c.warnOfOthers(*t)
	c.warnOfCPU("this host", t.CPUNear, name)
	c.warnOfCPU("the far host", t.CPUFar, name)
	if idle := c.run.Echo("idle"); err == nil && streams == 1 && idle != nil {
		third, last := window(ran.beside, name, t.Duration/2, 0.75*t.Duration), window(ran.beside, name, 0.75*t.Duration, t.Duration)
		c.filled[d] = !rising(third.Probes, last.Probes) &&
			fills(record.RTTs(idle.Probes), append(record.RTTs(third.Probes), record.RTTs(last.Probes)...), t.Goodput(0.5, 0.75), t.Goodput(0.75, 1))
	}
	return err
}

// ran is a TCP transfer, nil where none began, the echo probes beside it, and what iperf3
// made of it.
type ran struct {
	transfer *record.Transfer
	beside   record.Echo
	result   *iperf3.Result
}

// transfer runs one TCP transfer by a congestion control, and adds the echo probes
// beside it to the record.
func (c *checker) transfer(ctx context.Context, d record.Direction, streams int, cc, name string, least, most time.Duration) (ran, error) {
	most = max(min(most, c.left()-c.plan.overhead()), time.Second)
	test := iperf3.Test{
		Duration: most, Streams: streams, AtOnce: true, Reverse: d == record.Down,
		Congestion: cc, GetServerOutput: true,
	}
	if c.mss[d] > 0 {
		test.Segments = []int{c.mss[d]}
	}
	client := c.client
	before, queues := netstat.TCPExt(), load.WatchEgress()
	work, sockets := c.load.Begin(), c.load.BeginSockets()
	client.Progress = func(iperf3.Progress) { queues.Look(); work.Look(); c.tell() }
	var echoes *running
	settled, still := stopWhenSettled(least), stoodStill(c.stillness())
	client.Enough = func(p iperf3.Progress) bool { return still(p) || settled(p, echoes) || c.timeIsUp(p) }
	headers := c.readHeaders(&client, d, streams)
	started := c.elapsed()
	result, err := c.runTest(ctx, client, c.server(), test, func() { echoes = c.startEcho(ctx, loadInterval) })
	out := ran{result: result}
	if echoes != nil {
		out.beside = c.stopAfter(echoes, name, result)
		if result != nil {
			out.beside = since(out.beside, result.Start.Sub(c.start).Seconds())
		}
		c.run.Echoes = append(c.run.Echoes, out.beside)
	}
	packets := headers.end(result)
	queues.Look()
	work.End()
	drops := sockets.End()
	if result == nil || result.Elapsed <= 0 {
		return out, err
	}
	t := transferOf(name, d, result)
	t.MSS = c.mss[d]
	t.Egress = queues.Use(result.Start, result.Start.Add(result.Elapsed))
	t.CPU, t.UDPDrops = work.CPU(result.Start, result.Elapsed), drops
	t.Started = started.Seconds()
	if !result.Start.IsZero() {
		t.Started = result.Start.Sub(c.start).Seconds()
	}
	t.Counters = netstat.Since(before, netstat.TCPExt())
	t.Packets = packets
	if err != nil {
		t.Error = err.Error()
	}
	out.transfer = &t
	return out, err
}

// timeIsUp says that a test has to end now for the check to keep to its time: the path
// took longer to drain than was planned for.
func (c *checker) timeIsUp(p iperf3.Progress) bool {
	return p.Elapsed > time.Second && c.left() < resultRTTs*c.plan.rtt
}

// resultRTTs are those in which client and server exchange results.
const resultRTTs = 2

// busyCPU is the share of a core from which a rate may be the core's and not
// the path's.
const busyCPU = 0.9

func (c *checker) warnOfCPU(host string, share float64, name string) {
	if share > busyCPU {
		c.run.Warnings = append(c.run.Warnings, fmt.Sprintf("the test's core on %s was %.0f %% busy during %s: its rate may be the core's limit", host, 100*share, name))
	}
}

func (c *checker) server() string { return netip.AddrPortFrom(c.Address, c.Port).String() }

// stopWhenSettled ends a transfer of one stream as soon as neither its rate
// nor the delay beside it changes any more, but not before a least duration.
func stopWhenSettled(least time.Duration) func(iperf3.Progress, *running) bool {
	var totals []int64
	return func(p iperf3.Progress, echoes *running) bool {
		var sum int64
		for _, b := range p.Bytes {
			sum += b
		}
		totals = append(totals, sum)
		return p.Elapsed >= least && settled(totals) && !echoes.rising(p.Elapsed)
	}
}

// learnPeer keeps what the far end told of itself.
func (c *checker) learnPeer(d record.Direction, r *iperf3.Result) {
	out := parseServerOutput(r)
	if out.version != "" {
		c.run.Far.Software = out.version
	}
	if out.system != "" {
		c.run.Far.System = out.system
	}
	if out.sees != "" {
		c.run.Far.Sees = out.sees
	}
	if d == record.Down && r.Remote.Congestion != "" {
		c.run.Far.CC = r.Remote.Congestion
	}
}

// transferOf turns what iperf3 measured into the record's terms. Rates are
// goodput: what the receiver got, by its own count where this host is it, else
// by what it acknowledged to this one.
func transferOf(name string, d record.Direction, r *iperf3.Result) record.Transfer {
	t := record.Transfer{
		Name: name, Direction: d, Protocol: record.TCP,
		Cookie: r.Cookie, Streams: len(r.Streams), Duration: r.Elapsed.Seconds(), Retransmits: -1,
		CPUNear: r.Local.CPU.Total, CPUFar: r.Remote.CPU.Total,
	}
	if d == record.Up {
		t.CC = r.Local.Congestion
	} else {
		t.CC = r.Remote.Congestion
	}
	for _, s := range r.Streams {
		t.Series = append(t.Series, SeriesOf(s))
		if n := retransmits(s, d); n >= 0 {
			t.Retransmits = max(t.Retransmits, 0) + n
		}
	}
	t.Intervals = flow.Intervals(t.Series, t.Duration, flow.Slices)
	t.Rate, t.SteadyRate = t.Goodput(0, 1), flow.Steady(&t)
	t.Far = parseServerOutput(r).intervals
	return t
}

func retransmits(s iperf3.Stream, d record.Direction) int64 {
	if d == record.Up {
		return s.Retransmits
	}
	if s.Remote != nil {
		return s.Remote.Retransmits
	}
	return -1
}

// SeriesOf turns a stream's samples into the record's.
func SeriesOf(s iperf3.Stream) record.Series {
	out := record.Series{Stream: s.ID, Sender: s.Sending, Samples: make([]record.Sample, len(s.Samples))}
	for i, x := range s.Samples {
		out.Samples[i] = record.Sample{At: x.At.Seconds(), Bytes: x.Bytes, Info: x.Info}
	}
	return out
}
