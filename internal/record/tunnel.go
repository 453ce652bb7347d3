package record

import (
	"math"
	"slices"
	"time"
)

// Tunnel is what carries the packets to the target.
type Tunnel struct {
	// Kind is none, tailscale, netbird, zerotier, nebula, openvpn, or the
	// kernel's name of the device: wireguard, gre, ip6gre, ipip, vxlan, tun, …
	Kind   string `json:"kind"`
	Device string `json:"device,omitempty"`
	// Relayed is true where a third host carries the packets, as the last
	// answer said: see Ways for what was before.
	Relayed bool `json:"relayed"`

	// Carrier says what encrypts and forwards: the kernel, or a program in
	// userspace. Empty where it is not known.
	Carrier Place `json:"carrier,omitempty"`
	// NearTCP and FarTCP are where a host's TCP is. A program that runs without
	// a TUN device has a TCP of its own, which no setting of the host reaches.
	// Empty where it is not known.
	NearTCP Place `json:"near_tcp,omitempty"`
	FarTCP  Place `json:"far_tcp,omitempty"`

	Program string `json:"program,omitempty"` // that told, with its version
	Peer    string `json:"peer,omitempty"`    // name of the host at the other end
	// Target says where the target is beside that host. Empty where no program told of
	// the way, and in older records.
	Target Position `json:"target,omitempty"`
	// Endpoint is where the outer packets go on a direct path, or the address
	// of a peer that relays: host:port.
	Endpoint string `json:"endpoint,omitempty"`
	Relay    *Relay `json:"relay,omitempty"`
	// Transport is what the packets travel in on a direct path, where that is not
	// the kind's own: tcp, udp, or other where another program of this host carries
	// them. Empty: not known, or as the kind always does.
	Transport string `json:"transport,omitempty"`

	MTU           int        `json:"mtu_bytes,omitempty"` // inside
	Underlay      *Underlay  `json:"underlay,omitempty"`
	LastHandshake *time.Time `json:"last_handshake,omitempty"`

	// Direct says what the program knows of why there is no direct path.
	Direct *DirectCheck `json:"direct_check,omitempty"`

	// Ways are the ways that packets took during the run, in order of time.
	Ways []Way `json:"ways,omitempty"`
	// Unknown says what was not learned, and why.
	Unknown []string `json:"unknown,omitempty"`
}

// overUDP are the tunnels that travel in UDP, unless their transport is another.
var overUDP = []string{"wireguard", "tailscale", "netbird", "zerotier", "nebula", "openvpn"}

// OverUDP says that the tunnel's packets travel in UDP to the peer: a network may
// treat them worse than TCP's.
func (t Tunnel) OverUDP() bool {
	return slices.Contains(overUDP, t.Kind) && !t.Relayed && (t.Transport == "" || t.Transport == "udp")
}

// Place is the kernel or a program.
type Place string

const (
	Kernel    Place = "kernel"
	Userspace Place = "userspace"
)

// Position is where a target is beside the tunnel's peer.
type Position string

const (
	AtPeer        Position = "peer"           // the peer itself
	Behind        Position = "behind"         // another host, to which the peer forwards: the peer is a hub, a subnet router, an exit node
	PerhapsBehind Position = "perhaps-behind" // either
)

// Via says who carries a tunnel's packets.
type Via string

const (
	Direct    Via = "direct"
	Relayed   Via = "relay"      // a server of the tunnel's makers, or one's own: DERP, a NetBird relay, a ZeroTier root
	PeerRelay Via = "peer-relay" // another host of the same network
	Idle      Via = "idle"       // no path is in use: there was no traffic
)

// Relay is the server that carries a relayed tunnel.
type Relay struct {
	Name    string `json:"name,omitempty"`    // of its region
	Address string `json:"address,omitempty"` // host:port
	// Transport is what the packets travel in between here and the relay: tcp
	// where it is TCP (with TLS, or WebSockets), udp, quic. Empty: not known.
	Transport string `json:"transport,omitempty"`
	// RTT is the time to the peer and back through it, as the program measures.
	RTT float64 `json:"rtt_s,omitempty"`
	// TCP is the TCP_INFO of this host's connection to the relay where that is
	// TCP, one sample an answer, in seconds since the run began; nil where it was
	// not found. Such a connection repairs losses and keeps order by itself, beneath
	// the connections inside the tunnel.
	TCP *Series `json:"tcp_series,omitempty"`
	CC  string  `json:"cc,omitempty"` // of that connection
}

// Datagrams says that packets travel to the relay as such, not in a stream.
func (r *Relay) Datagrams() bool { return r != nil && (r.Transport == "udp" || r.Transport == "quic") }

// Underlay is the way of the outer packets.
type Underlay struct {
	Address string `json:"address"` // of the endpoint, or of the relay
	Source  string `json:"source,omitempty"`
	Device  string `json:"device,omitempty"`
	Gateway string `json:"gateway,omitempty"`
	MTU     int    `json:"mtu_bytes,omitempty"`
	// RTT is that of the address without the tunnel; 0 where it does not answer.
	RTT float64 `json:"rtt_s,omitempty"`
}

// DirectCheck is a program's own test of whether its peers can reach it. What
// is not known is nil.
type DirectCheck struct {
	UDP     *bool `json:"udp,omitempty"`      // UDP to the outside works
	HardNAT *bool `json:"hard_nat,omitempty"` // the NAT gives each destination another port
	PortMap *bool `json:"port_map,omitempty"` // the router opened a port (UPnP, NAT-PMP, PCP)
	// PeerUDP and PeerHardNAT are what the peer's program reported of itself.
	PeerUDP     *bool `json:"peer_udp,omitempty"`
	PeerHardNAT *bool `json:"peer_hard_nat,omitempty"`
	// Address is one of the peer's outside the tunnel, and RTT the time to it and
	// back; absent where none answers.
	Address string  `json:"address,omitempty"`
	RTT     float64 `json:"rtt_s,omitempty"`
	// Local and Remote are the ends' ICE candidates: host, srflx, prflx, relay.
	Local  string `json:"local_candidate,omitempty"`
	Remote string `json:"remote_candidate,omitempty"`
}

// Way is a time during which every answer was the same. Between the To of one
// and the From of the next the path changed.
type Way struct {
	From     float64 `json:"from_s"` // first answer, since the run began
	To       float64 `json:"to_s"`   // last answer
	Via      Via     `json:"via"`
	Endpoint string  `json:"endpoint,omitempty"`
	Relay    string  `json:"relay,omitempty"` // its name, or its address where it has none
}

// Same says whether two answers describe one path.
func (w Way) Same(other Way) bool {
	w.From, w.To = other.From, other.To
	return w == other
}

// There says that the path goes through a tunnel.
func (t Tunnel) There() bool { return t.Kind != "" && t.Kind != "none" }

// InProgram says that a program carries the tunnel's packets, in UDP or another socket of
// its own. Any TUN device is one's.
func (t Tunnel) InProgram() bool { return t.Carrier == Userspace || t.Kind == "tun" }

// Brief is the tunnel without the relay's series.
func (t Tunnel) Brief() Tunnel {
	if t.Relay != nil {
		relay := *t.Relay
		relay.TCP = nil
		t.Relay = &relay
	}
	return t
}

// Via is the way that packets took last; empty where none is known.
func (t Tunnel) Via() Via { return t.ViaAt(math.Inf(1)) }

// ViaAt is the way at a moment of the run, in seconds: halfway between two answers that
// differ, the path is taken to have changed.
func (t Tunnel) ViaAt(at float64) Via {
	via := Via("")
	for i, w := range t.Ways {
		from := w.From
		if i > 0 {
			from = (t.Ways[i-1].To + w.From) / 2
		}
		if from > at && via != "" {
			break
		}
		if w.Via != Idle {
			via = w.Via
		}
	}
	return via
}

// During lists the ways of a time span, idle ones left out. An answer holds
// until the next one.
func (t Tunnel) During(from, to float64) []Way {
	var out []Way
	for i, w := range t.Ways {
		end := to
		if i+1 < len(t.Ways) {
			end = t.Ways[i+1].From
		}
		if w.Via != Idle && w.From <= to && end > from {
			out = append(out, w)
		}
	}
	return out
}
