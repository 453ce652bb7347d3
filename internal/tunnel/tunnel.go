// Package tunnel finds out who carries the packets to a target: what kind of
// tunnel the way leads through, if any, whether the kernel or a program carries
// it, who the peer is, and whether packets go directly, by a relay or by
// another peer.
//
// Each kind has its source, one file each: the program's own status, read by a
// pure function from bytes. How those bytes are had (a socket, a command) is at
// the package's edge: see host. Nothing here changes anything.
package tunnel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"unchoke/internal/linux/device"
	"unchoke/internal/linux/route"
	"unchoke/internal/record"
)

// Patience is how long an answer may keep a run waiting. Who does not answer once is not asked
// again, so that silence costs no more than this.
const Patience = time.Second

// latest is how long an answer may take that keeps nobody waiting: NetBird up to 0.59 first
// tries its relays, for 6 s.
const latest = 10 * time.Second

// state is what one source says of the way to one address at one moment. What
// it does not know is zero.
type state struct {
	program  string // with its version
	carrier  record.Place
	nearTCP  record.Place
	farTCP   record.Place
	peer     string
	target   record.Position // of the address; empty: not known
	via      record.Via
	endpoint string // host:port
	relay    record.Relay
	relays   []string // other addresses of the relay, host:port
	// candidates are the addresses at which a relayed peer might be reached.
	candidates []netip.AddrPort
	handshake  time.Time
	direct     *record.DirectCheck
	unknown    []string // what could not be learned, and why

	transport string // what carries the packets on a direct path: tcp, udp
}

// source asks what carries one kind of tunnel about one address.
type source struct {
	ask func(context.Context, host, query) (state, error)
	// every is how often it may be asked while a test runs: rarely where it
	// takes a command, not at all (0) where the answer cannot change.
	every time.Duration
}

// query is what a source is asked about.
type query struct {
	address netip.Addr // inner, of the target
	source  netip.Addr // inner, of this host
	device  device.Device
}

// sourceOf is that of a kind of tunnel. The kinds that are missing here have
// nobody to ask.
func sourceOf(kind string) source {
	switch kind {
	case tailscale:
		return source{askTailscale, time.Second}
	case netbird:
		return source{askNetbird, 5 * time.Second}
	case zerotier:
		return source{askZerotier, 5 * time.Second}
	case nebula:
		return source{askNebula, 5 * time.Second}
	case openvpn:
		return source{askOpenvpn, 0}
	case wireguard:
		return source{askWireguard, time.Second}
	case "gre", "gretap", "ip6gre", "ip6gretap", "ipip", "sit", "ip6tnl", "vxlan":
		return source{askDevice, 0}
	}
	return source{}
}

// Watcher follows a tunnel during a run. During and Tunnel
// may be called beside Look.
type Watcher struct {
	host     host
	query    query
	source   source                                    // its ask is nil where there is nobody to ask
	underlay func(netip.Addr) (record.Underlay, error) // of an outer address

	silent atomic.Bool // the source failed: it is not asked again

	mu     sync.Mutex
	failed error // why the source did not answer
	tunnel record.Tunnel
	sure   int        // of what is unknown: the rest a later answer may tell
	asked  netip.Addr // the underlay's last address
	outer  outer      // the connection to the relay
	// candidates are the addresses at which a relayed peer might be reached.
	candidates []netip.AddrPort
}

// Watch begins to follow the tunnel of a route.
func Watch(r record.Route) *Watcher {
	w := &Watcher{host: system{}, underlay: underlay, tunnel: record.Tunnel{Kind: none}}
	address, err := netip.ParseAddr(r.Address)
	if err != nil {
		return w // the route was not found
	}
	w.query.address = address.Unmap()
	w.query.source, _ = netip.ParseAddr(r.Source)
	w.query.device = device.Device{Name: r.Device, MTU: r.MTU}
	if dev, err := net.InterfaceByName(r.Device); err == nil {
		if known, err := device.ByIndex(dev.Index); err == nil { // on Linux
			w.query.device = known
		}
	}
	w.identify(os.DirFS("/proc"))
	return w
}

// identify finds the kind of tunnel, and with it whom to ask.
func (w *Watcher) identify(proc fs.FS) {
	q := w.query
	kind := kindOf(q.device, q.source, proc)
	w.tunnel = record.Tunnel{Kind: kind}
	if kind != none {
		w.tunnel.Device, w.tunnel.MTU = q.device.Name, q.device.MTU
	} else if sharedRange.Contains(q.address) || tailscaleRange.Contains(q.address) {
		// No tunnel device, and yet an address of such a network: a daemon
		// without a TUN device may know it.
		kind = tailscale
	}
	w.source = sourceOf(kind)
}

// Every is how often During is worth a call; 0 is never.
func (w *Watcher) Every() time.Duration { return w.source.every }

// reply is what a source says when it is asked once.
type reply struct {
	state
	error
}

// Look asks before, during or after traffic, at a time since the run began, unless an answer
// failed before. An answer that comes late is noted when it comes.
func (w *Watcher) Look(ctx context.Context, at time.Duration) {
	if w.source.ask == nil || w.silent.Load() {
		return
	}
	begun := time.Now()
	patient, done := context.WithTimeout(ctx, Patience)
	defer done()
	answers := make(chan reply, 1)
	asking, cancel := context.WithTimeout(ctx, latest)
	go func() { // a source may fail to heed its context
		defer cancel()
		s, err := w.source.ask(asking, w.host, w.query)
		answers <- reply{s, err}
	}()
	got := reply{error: errLate}
	select {
	case got = <-answers:
	case <-patient.Done():
	}
	if ctx.Err() != nil {
		return // the run has ended
	}
	w.take(patient, got, at)
	if got.error == errLate {
		go func() {
			if got := <-answers; got.error == nil {
				w.take(ctx, got, at+time.Since(begun))
			}
		}()
	}
}

// errLate is why a source is not asked again that may still answer.
var errLate = fmt.Errorf("no answer within %v", Patience)

// take notes an answer. After an error there is none, but for one that is late. Where the
// device was taken for Tailscale's by its address, and is not, it is another program's.
func (w *Watcher) take(ctx context.Context, got reply, at time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = got.error
	if got.error != nil {
		w.silent.Store(true)
		set(&w.tunnel.Transport, got.transport) // a configuration tells it, too
		if errors.Is(got.error, errOtherNetwork) && w.tunnel.Kind != none && sharedRange.Contains(w.query.source) {
			w.tunnel.Kind, w.failed = "tun", nil
		}
		return
	}
	w.note(ctx, got.state, at.Seconds())
}

func (w *Watcher) unknown(why string) {
	if !slices.Contains(w.tunnel.Unknown, why) {
		w.tunnel.Unknown = append(w.tunnel.Unknown, why)
	}
}

// note puts an answer into the record. What an answer lacks keeps its earlier
// value: a path that fell idle still is the one that was used.
func (w *Watcher) note(ctx context.Context, s state, at float64) {
	t := &w.tunnel
	if t.Kind == none { // an address that a daemon without a TUN device knows
		t.Kind = tailscale
	}
	set(&t.Program, s.program)
	set(&t.Carrier, s.carrier)
	set(&t.NearTCP, s.nearTCP)
	set(&t.FarTCP, s.farTCP)
	set(&t.Peer, s.peer)
	if !s.handshake.IsZero() {
		t.LastHandshake = &s.handshake
	}
	if s.direct != nil {
		t.Direct = s.direct
	}
	if len(s.candidates) > 0 {
		w.candidates = tryable(w.host, s.candidates)
	}
	t.Unknown = t.Unknown[:w.sure]
	if s.via == record.Direct && w.leadsHere(s.endpoint) {
		// How a program of this host (wstunnel, udp2raw, stunnel) takes them on is its
		// own affair.
		s.via, s.transport = "", "other"
		w.unknown("the way of the outer packets: another program on this host carries them, from " + s.endpoint)
	}
	for _, why := range s.unknown {
		w.unknown(why)
	}
	set(&t.Transport, s.transport)
	way := record.Way{From: at, To: at, Via: s.via}
	switch s.via {
	case "":
		return
	case record.Relayed:
		way.Relay = orElse(s.relay.Name, s.relay.Address)
		relay := s.relay
		w.outer.sample(ctx, w.host, &relay, s.relays, at)
		s.relay.Address = relay.Address
		relay.TCP, relay.CC = w.outer.series, w.outer.cc
		t.Relay, t.Relayed = &relay, true
	case record.PeerRelay, record.Direct:
		way.Endpoint = s.endpoint
		t.Relayed, t.Endpoint, t.Transport = false, s.endpoint, s.transport
	}
	if n := len(t.Ways); n > 0 && t.Ways[n-1].Same(way) {
		t.Ways[n-1].To = at
	} else {
		t.Ways = append(t.Ways, way)
	}
	t.Target = cmp.Or(s.target, record.PerhapsBehind)
	if s.via != record.Idle {
		w.findUnderlay(s)
	}
	w.sure = len(t.Unknown)
}

// leadsHere says whether an endpoint is this host itself: it sends from the very
// address that it sends to.
func (w *Watcher) leadsHere(endpoint string) bool {
	end, err := netip.ParseAddrPort(endpoint)
	if err != nil {
		return false
	}
	u, err := w.underlay(end.Addr().Unmap())
	return end.Addr().IsLoopback() || err == nil && u.Source == u.Address
}

// findUnderlay asks the kernel for the way of the outer packets. That of an earlier path
// is no longer theirs.
func (w *Watcher) findUnderlay(s state) {
	outer := s.endpoint
	if s.via == record.Relayed {
		outer = s.relay.Address
	}
	if host, _, err := net.SplitHostPort(outer); err == nil {
		outer = host
	}
	end, err := netip.ParseAddr(outer)
	if err == nil && end == w.asked {
		return // nothing new
	}
	w.asked, w.tunnel.Underlay = end, nil
	if err != nil {
		return // a name, whose address is not known
	}
	u, err := w.underlay(end.Unmap())
	switch {
	case err != nil:
		w.unknown(fmt.Sprintf("the way of the outer packets: %v", err))
	case u.Device == w.query.device.Name:
		// The program marks its own packets, so that they take another table's
		// route than ours would.
		w.unknown("the way of the outer packets: this host's own to " + end.String() + " leads into the tunnel")
	default:
		w.tunnel.Underlay = &u
	}
}

// maxCandidates bounds how many of a peer's addresses are tried: it names those
// of all its networks.
const maxCandidates = 4

// Outside lists the address of the outer packets and, where the path is
// relayed, those at which the peer might be reached without.
func (w *Watcher) Outside() []netip.Addr {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []netip.Addr
	if u := w.tunnel.Underlay; u != nil {
		all = append(all, netip.MustParseAddr(u.Address))
	}
	if w.tunnel.Relayed {
		for _, c := range w.candidates[:min(len(w.candidates), maxCandidates)] {
			if a := c.Addr().Unmap(); !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all
}

// Heard is told the RTT of an address outside.
func (w *Watcher) Heard(address netip.Addr, rtt time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if u := w.tunnel.Underlay; u != nil && u.Address == address.String() {
		u.RTT = rtt.Seconds()
	}
	d := w.tunnel.Direct
	isPeer := slices.ContainsFunc(w.candidates, func(c netip.AddrPort) bool { return c.Addr().Unmap() == address })
	if w.tunnel.Relayed && isPeer && d != nil && (d.RTT == 0 || rtt.Seconds() < d.RTT) {
		d.Address, d.RTT = address.String(), rtt.Seconds()
	}
}

// Tunnel is what was found so far. Nothing of it is shared with what comes next.
func (w *Watcher) Tunnel() record.Tunnel {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tunnel
	t.Ways, t.Unknown = slices.Clone(t.Ways), slices.Clone(t.Unknown)
	// Where the device is no tunnel, and only the address looked like one's, silence is no
	// news.
	if w.failed != nil && t.Kind != none {
		t.Unknown = append(t.Unknown, fmt.Sprintf("the way that the %s tunnel takes: %v", t.Kind, w.failed))
	}
	t.Underlay, t.Direct, t.Relay = copied(t.Underlay), copied(t.Direct), copied(t.Relay)
	if t.Relay != nil && t.Relay.TCP != nil {
		t.Relay.TCP = copied(t.Relay.TCP)
		t.Relay.TCP.Samples = slices.Clone(t.Relay.TCP.Samples)
	}
	if t.Relayed && t.Relay != nil && t.Relay.Transport == "tcp" && t.Relay.TCP == nil {
		t.Unknown = append(t.Unknown, "the TCP connection to the relay: this host has none to an address of it")
	}
	return t
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

// underlay is this host's way to an outer address.
func underlay(outer netip.Addr) (record.Underlay, error) {
	way, err := route.Get(outer, 0)
	if err != nil {
		return record.Underlay{}, err
	}
	dev, err := device.ByIndex(way.Index)
	if err != nil {
		return record.Underlay{}, err
	}
	u := record.Underlay{Address: outer.String(), Source: way.Source.String(), Device: dev.Name, MTU: dev.MTU}
	if way.Gateway.IsValid() {
		u.Gateway = way.Gateway.String()
	}
	if way.MTU != 0 {
		u.MTU = way.MTU
	}
	return u, nil
}

// set replaces a value by one that is not zero.
func set[T comparable](to *T, value T) {
	var zero T
	if value != zero {
		*to = value
	}
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}
