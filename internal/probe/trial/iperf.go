package trial

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"unchoke/internal/probe"
	"unchoke/internal/record"
	"unchoke/iperf3"
	"unchoke/tcpinfo"
)

// newMethod finds the way to run an arm beside the neighbor, if there is one.
func newMethod(a Side, o Options, s *servers) method {
	var main method
	iperf := &transfer{servers: s, arm: a}
	if a.URL != nil {
		main = &download{arm: a, network: o.Network, agent: o.Agent}
	} else {
		main = iperf
	}
	switch n := o.Neighbor; {
	case n == nil:
		return main
	case !n.Server.IsValid():
		iperf.neighbor = n
		return main
	default:
		beside := *n
		beside.Direction, beside.Streams = a.Direction, 1
		return &pair{main, &transfer{servers: s, arm: beside}}
	}
}

// transfer runs an arm as a test with an iperf3 server.
type transfer struct {
	servers *servers
	arm     Side
	// neighbor is one more stream of the same test, which this host sends.
	neighbor *Side
}

func (m *transfer) address() netip.Addr { return m.arm.Server.Addr() }

func (m *transfer) down() bool { return m.arm.Direction == record.Down }

func (m *transfer) run(ctx context.Context, omit, length time.Duration) (outcome, error) {
	result, err := m.servers.run(ctx, m.arm.Server, m.test(omit, length))
	if err != nil {
		return outcome{}, m.explain(ctx, err)
	}
	if err := m.verify(ctx, result); err != nil {
		return outcome{}, err
	}
	return m.outcome(result), nil
}

// test is what the arm asks for.
func (m *transfer) test(omit, length time.Duration) iperf3.Test {
	t := iperf3.Test{
		Reverse: m.down(), Streams: m.streams(), Window: int(m.arm.Window),
		Congestion: m.arm.CC, Omit: omit, Duration: length,
	}
	if m.neighbor != nil {
		t.Congestion = ""
		for range t.Streams {
			t.Congestions = append(t.Congestions, m.arm.CC)
		}
		t.Congestions = append(t.Congestions, m.neighbor.CC)
		t.Streams++
	}
	return t
}

// streams of the arm, without the neighbor.
func (m *transfer) streams() int { return max(1, m.arm.Streams) }

// wanted is the congestion control of the nth stream; empty leaves it open.
func (m *transfer) wanted(n int) string {
	if n >= m.streams() {
		return m.neighbor.CC
	}
	return m.arm.CC
}

// explain turns a test's failure into what it says of the arm.
func (m *transfer) explain(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, iperf3.ErrCongestion):
		return probe.NearRefusal(m.arm.CC, m.servers.near)
	case errors.Is(err, iperf3.ErrCongestionDenied) && ctx.Err() == nil:
		offers, worse := m.servers.offers(ctx, m.arm.Server)
		if worse != nil { // so it was not the algorithm
			return worse
		}
		return deniedThere(m.arm.CC, m.arm.Server, offers)
	}
	return err
}

// verify compares what was used with what the arm asks for.
func (m *transfer) verify(ctx context.Context, r *iperf3.Result) error {
	for n, s := range r.Streams {
		if want := m.wanted(n); s.Sending && want != "" && s.Congestion != want {
			return probe.Refuse(fmt.Sprintf("this host used %s where %s was asked for", orUnknown(s.Congestion), want),
				probe.NearHint(want, m.servers.near))
		}
		if s.Buffer > 0 && int64(s.Buffer) < m.arm.Window {
			return windowRefusal(m.arm.Window, int64(s.Buffer), s.Sending)
		}
	}
	if used := r.Remote.Congestion; m.down() && m.arm.CC != "" && used != m.arm.CC {
		offers, _ := m.servers.offers(ctx, m.arm.Server) // none to name where it is gone by now
		return fellBack(m.arm.CC, used, m.arm.Server, offers)
	}
	return nil
}

// outcome takes apart what the test measured.
func (m *transfer) outcome(r *iperf3.Result) outcome {
	o := outcome{
		start: r.Start, retransmits: -1, warnings: r.Warnings,
		cpuNear: r.Local.CPU.Total, cpuFar: r.Remote.CPU.Total,
	}
	for n, s := range r.Streams {
		series := probe.SeriesOf(s)
		o.from, o.to = s.Start.Seconds(), s.End.Seconds()
		if n >= m.streams() {
			o.neighbor = &outcome{start: r.Start, from: o.from, to: o.to, series: []record.Series{series}, cc: s.Congestion}
			continue
		}
		o.series = append(o.series, series)
		if count := retransmits(s); count >= 0 {
			o.retransmits = max(o.retransmits, 0) + count
		}
	}
	if m.down() {
		o.cc = r.Remote.Congestion
	} else {
		o.cc = r.Streams[0].Congestion
		if !acknowledged(r.Streams[0]) {
			o.warnings = append(o.warnings, "this system does not tell what has arrived: the rate is of what was handed to it")
		}
	}
	if !m.down() || m.arm.CC == "" {
		o.peer.CC = r.Remote.Congestion // what it was not asked for is its own
	}
	return o
}

// acknowledged tells whether TCP_INFO counts what the receiver acknowledged.
func acknowledged(s iperf3.Stream) bool {
	return len(s.Samples) > 0 && s.Samples[len(s.Samples)-1].Info.Has(tcpinfo.FieldBytesAcked)
}

// retransmits is the sender's count, whichever side that is; -1 where it does
// not tell.
func retransmits(s iperf3.Stream) int64 {
	switch {
	case s.Sending:
		return s.Retransmits
	case s.Remote != nil:
		return s.Remote.Retransmits
	}
	return -1
}
