package fetched

import (
	"fmt"
	"net/netip"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/wire"
)

// hole: the connection opens and nothing large comes, until segments are small.
func hole(r *record.Run) *finding.Finding {
	p := r.Fetch.Probe
	if p == nil || !p.Passed {
		return nil
	}
	return &finding.Finding{
		Cause: finding.MTUBlackhole, Confidence: 0.9, Severity: 1,
		Summary: fmt.Sprintf("Connections open, and nothing of the answer comes: with segments of at most %d bytes it does. Full-size packets vanish on their way here, and nobody tells the server.", p.MSS),
		Evidence: []finding.Evidence{
			{What: "segments that pass", Value: float64(p.MSS), Unit: finding.Bytes},
			{What: "received with them in a second", Value: float64(p.Bytes), Unit: finding.Bytes},
		},
		Remedies: []finding.Remedy{
			finding.Remedy{What: "Have this host ask for smaller segments on that route: it advertises what its MTU allows.", Where: finding.Receiver}.By(finding.LimitRoute(routeFor(r.Fetch, p.MSS))),
			{What: "Or bound the segments on the router or the tunnel that loses the packets (MSS clamping), which helps every host behind it.", Where: finding.Network},
		},
	}
}

// routeFor is the MTU in bytes of a route to the server on which segments have so many
// bytes at the most; none of IPv6 is lower than its least (RFC 8200 §5).
func routeFor(f *record.Fetch, mss int) int64 {
	var address netip.Addr
	if len(f.Addresses) > 0 {
		address, _ = netip.ParseAddr(f.Addresses[0].Address)
	}
	mtu := int64(mss + wire.Headers(address))
	if address.Unmap().Is6() {
		return max(mtu, 1280)
	}
	return mtu
}

// bdp is the path's bandwidth-delay product in bytes.
func (v *view) bdp() int64 { return int64(v.capacity / 8 * max(v.rtt, 0.001)) }

// receiveWindow: this host's window is full.
func receiveWindow(v *view) *finding.Finding {
	if !v.seen.known() || last(v.seen.window) == 0 || v.many != nil && v.ratio() < manyOfOne || len(v.holes) > leastHoles {
		return nil
	}
	body := v.stream.Body
	third := flow.Advertised(v.one.Series[0], flow.Span{From: body + 0.5*v.lasted(), To: body + 0.75*v.lasted()})
	window := flow.Advertised(v.one.Series[0], flow.Span{From: body + 0.75*v.lasted(), To: body + v.lasted() + 1})
	if window == 0 || v.underWay() < windowFilled*window || third > 0 && window > windowLevel*third {
		return nil
	}
	f := &finding.Finding{
		Cause: finding.ReceiveWindow, Confidence: 0.9, Severity: v.severity(),
		Summary: fmt.Sprintf("This host offers a window of %s, and the server keeps it full: %s a round trip of %s is %s.",
			size(window), size(v.underWay()), duration(max(v.loaded.Mid, v.rtt)), rate(v.rate)),
		Evidence: append(v.evidence(),
			finding.Evidence{What: "receive window offered", Value: window, Unit: finding.Bytes},
			finding.Evidence{What: "under way (rate × RTT)", Value: v.underWay(), Unit: finding.Bytes},
			finding.Evidence{What: "tcp_rmem, most", Value: float64(v.run.Near.TCPRmem[2]), Unit: finding.Bytes}),
		Remedies: []finding.Remedy{finding.Remedy{
			What:  "Let the receive buffer grow to room for twice the bandwidth-delay product, and as much again for the kernel's bookkeeping. Autotuning is bounded by tcp_rmem's third value.",
			Where: finding.Receiver,
		}.By(finding.RaiseReceiveBuffer(max(finding.BufferFor(v.bdp()), 2*v.run.Near.TCPRmem[2])))},
	}
	if v.many == nil {
		f.Confidence = 0.7
	}
	return f
}

// short: the file ends before the connection is up to speed.
func short(v *view) *finding.Finding {
	if v.stream.End != record.EndOfBody || v.rtt <= 0 {
		return nil
	}
	trips := v.lasted() / v.rtt
	if trips > shortRTTs && v.grown < 1.5 || len(v.holes) >= leastHoles || v.stream.Bytes < 1 || v.brief() {
		return nil
	}
	return &finding.Finding{
		Cause: finding.SlowStart, Confidence: stats.Clamp(0.9-0.2*trips/shortRTTs, 0.6, 0.9), Severity: max(v.severity(), 0.5),
		Summary: fmt.Sprintf("The file (%s) is over after %.0f round trips: a connection begins slowly and doubles in each. Of %s in all, %s went to connecting, TLS and the wait for the first byte.",
			size(float64(v.stream.Bytes)), max(trips, 1), duration(v.whole()), percent(v.setup())),
		Evidence: append(v.evidence(),
			finding.Evidence{What: "connect", Value: v.stream.Connect, Unit: finding.Seconds},
			finding.Evidence{What: "TLS", Value: v.stream.TLS, Unit: finding.Seconds},
			finding.Evidence{What: "first byte after the request", Value: v.stream.FirstByte, Unit: finding.Seconds},
			finding.Evidence{What: "body", Value: v.lasted(), Unit: finding.Seconds}),
		Remedies: []finding.Remedy{
			{What: "Keep connections open between files (keep-alive, HTTP/2), so that each does not begin anew; net.ipv4.tcp_slow_start_after_idle=0 keeps a connection's speed while it rests.", Where: finding.Sender},
			{What: "Serve short files from nearer by (a cache, a CDN): the time goes by round trips, not by bandwidth.", Where: finding.Network},
		},
	}
}

// brief says that the whole file came nearly as fast as packets ever followed each
// other, which is the path's rate at the most: it ended before slow start mattered.
func (v *view) brief() bool {
	if v.stream.End != record.EndOfBody || v.lasted() <= 0 || v.rtt <= 0 || v.lasted() > shortRTTs*v.rtt {
		return false
	}
	return float64(v.stream.Bytes)*8/v.lasted() >= slowShare*v.seen.peak(0, peakWindow)*v.mss*8
}

// whole is the time from connecting to the end of the body, and setup the share
// of it before the body.
func (v *view) whole() float64 {
	return v.stream.Connect + v.stream.TLS + v.stream.FirstByte + v.lasted()
}

func (v *view) setup() float64 { return 1 - v.lasted()/max(v.whole(), 1e-9) }

// leftEarly: it loses nothing, no queue stands, and it still speeds up.
func leftEarly(v *view) *finding.Finding {
	if v.grown < grows || len(v.holes) > 0 || v.queued() || v.many == nil || v.ratio() < 1/slowShare {
		return nil
	}
	return &finding.Finding{
		Cause: finding.SlowStart, Confidence: 0.7, Severity: v.severity(),
		Summary: fmt.Sprintf("The connection loses nothing and fills no queue, and is still speeding up after %s, by %s since its middle: the server left slow start long before the path was full.",
			duration(v.lasted()), percent(v.grown-1)),
		Evidence: v.evidence(),
		Remedies: []finding.Remedy{
			{What: "On the server: BBR goes by the delivery rate and leaves its start when the path is full; CUBIC's HyStart takes a delay that varies for a full path.", Where: finding.Sender},
		},
	}
}
