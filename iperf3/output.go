package iperf3

import (
	"encoding/json"
	"net/netip"
	"time"

	"unchoke/iperf3/internal/wire"
	"unchoke/tcpinfo"
)

// maxServerSamples bounds what a server remembers of a test, of all flows
// together: as JSON it is some 5 MB. One flow is seen at every serverTick for 17
// minutes.
const maxServerSamples = 4096

// maxWatchedSamples bounds what a server keeps of a test for itself: some 12 MB.
const maxWatchedSamples = 32768

// A memory decides which looks at the flows become samples. The longer the test
// and the more its flows, the fewer: each time that the samples reach their
// bound, every second one is forgotten and half as many are taken from then on.
type memory struct {
	every int // of so many looks one is a sample; 1 when zero
	looks int
}

// wants tells whether this look is to be a sample.
func (m *memory) wants() bool {
	m.every = max(m.every, 1)
	m.looks++
	return m.looks%m.every == 0
}

// thin keeps the samples within their bound.
func (m *memory) thin(flows []*flow) {
	if len(flows)*len(flows[0].samples) < maxServerSamples {
		return
	}
	m.every, m.looks = 2*m.every, 0
	for _, f := range flows {
		f.samples = everySecond(f.samples)
	}
}

func everySecond(samples []Sample) []Sample {
	kept := samples[:0]
	for n := 1; n < len(samples); n += 2 {
		kept = append(kept, samples[n])
	}
	return kept
}

// watchFlows samples the server's own sockets, where it is to.
func (v *visit) watchFlows() {
	if v.server.SampleEvery <= 0 || !v.traffic.over() && !v.watched.wants() {
		return
	}
	flows := v.traffic.flows
	at := v.traffic.now()
	for _, f := range flows {
		f.watched = append(f.watched, f.sample(at))
	}
	if len(flows)*len(flows[0].watched) < maxWatchedSamples {
		return
	}
	v.watched.every, v.watched.looks = 2*v.watched.every, 0
	for _, f := range flows {
		f.watched = everySecond(f.watched)
	}
}

// output is what get_server_output asks for.
func (v *visit) output() json.RawMessage {
	out := wire.Output{Start: wire.OutputStart{
		Version: "iperf " + wire.Version + " (unchoke)", Cookie: v.cookie.String(),
		Timestamp: wire.OutputTimestamp{Time: v.report.Start.UTC().Format(time.RFC1123), Epoch: v.report.Start.Unix()},
	}}
	if client, err := netip.ParseAddrPort(v.report.Client); err == nil {
		out.Start.Accepted = wire.OutputAccepted{Host: client.Addr().Unmap().String(), Port: int(client.Port())}
	}
	flows := v.traffic.flows
	for n := range flows[0].samples {
		var interval wire.OutputInterval
		for _, f := range flows {
			interval.Streams = append(interval.Streams, f.interval(n, v.test.Omit))
		}
		out.Intervals = append(out.Intervals, interval)
	}
	for _, f := range flows {
		if f.udp != nil && !f.sending {
			out.End.Streams = append(out.End.Streams, wire.OutputSummary{UDP: f.counted()})
		}
	}
	doc, err := json.Marshal(out)
	if err != nil || len(doc) > wire.MaxServerResults/2 {
		return nil
	}
	return doc
}

// interval is the time between two samples.
func (f *flow) interval(n int, omit time.Duration) wire.OutputStream {
	var before Sample
	if n > 0 {
		before = f.samples[n-1]
	}
	now := f.samples[n]
	o := wire.OutputStream{
		Socket: f.id, Start: before.At.Seconds(), End: now.At.Seconds(), Seconds: (now.At - before.At).Seconds(),
		Bytes: now.Bytes - before.Bytes, Omitted: now.At <= omit && omit > 0, Sender: f.sending,
	}
	if o.Seconds > 0 {
		o.BitsPerSecond = float64(o.Bytes) * 8 / o.Seconds
	}
	if f.udp != nil && !f.sending {
		lost := now.Lost - before.Lost
		o.Packets, o.Lost = new(now.Arrived-before.Arrived+lost), &lost
	}
	info := &now.Info
	if info.Length == 0 {
		return o
	}
	o.TCPInfo = info
	if f.sending {
		if info.Has(tcpinfo.FieldTotalRetrans) {
			o.Retransmits = new(int64(info.TotalRetrans - before.Info.TotalRetrans))
		}
		o.SndCwnd = new(int64(info.SndCwnd) * int64(info.SndMSS))
		if info.Has(tcpinfo.FieldSndWnd) {
			o.SndWnd = new(int64(info.SndWnd))
		}
		o.RTT, o.RTTVar = new(info.RTT.Microseconds()), new(info.RTTVar.Microseconds())
		if info.Has(tcpinfo.FieldPMTU) {
			o.PMTU = new(int64(info.PMTU))
		}
	}
	return o
}

// counted is what a receiver of UDP has counted at the end.
func (f *flow) counted() *wire.OutputUDP {
	q := f.end.seq
	u := wire.OutputUDP{Socket: f.id, Bytes: q.Bytes, Packets: q.Arrived() + q.Lost(), Lost: q.Lost(), OutOfOrder: q.Reordered}
	if u.Packets > 0 {
		u.LostShare = 100 * float64(u.Lost) / float64(u.Packets)
	}
	return &u
}
