package tunnel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/record"
)

// tailscaleStatus is what tailscaled tells of itself (GET
// /localapi/v0/status; ipn/ipnstate.Status). A Headscale
// server's network has the same daemon.
type tailscaleStatus struct {
	Version      string
	BackendState string
	TUN          *bool // absent in versions that always have one
	TailscaleIPs []netip.Addr
	Self         *tailscalePeer
	Peer         map[string]*tailscalePeer
}

type tailscalePeer struct {
	HostName     string
	DNSName      string
	TailscaleIPs []netip.Addr
	AllowedIPs   []netip.Prefix // in newer versions
	// PrimaryRoutes are what older versions tell of a peer's networks.
	PrimaryRoutes []netip.Prefix
	ExitNode      bool // it is the one in use

	// Which path a peer has is told by the first of these that holds:
	CurAddr   string // direct, to this address
	PeerRelay string // through another peer at this address: ip:port:vni (since 1.86)
	Relay     string // through the DERP region of this code; it is named also where it is not in use

	Active        bool // a packet was sent within two minutes
	LastHandshake time.Time
}

// errOtherNetwork means that a daemon is not the one behind the device.
var errOtherNetwork = errors.New("the program that answered has another address than the device")

// parseTailscale reads a status for the peer that packets to an address go to.
func parseTailscale(b []byte, q query) (state, error) {
	var doc tailscaleStatus
	if err := json.Unmarshal(b, &doc); err != nil {
		return state{}, anotherVersion("tailscaled", err)
	}
	if doc.BackendState == "" {
		return state{}, anotherVersion("tailscaled", errors.New("no BackendState"))
	}
	s := state{program: "tailscaled " + doc.Version, carrier: record.Userspace}
	userspace := doc.TUN != nil && !*doc.TUN
	if userspace {
		s.nearTCP = record.Userspace
	} else {
		s.nearTCP = record.Kernel
		if !slices.Contains(doc.TailscaleIPs, q.source) && !slices.Contains(own(doc.Self), q.source) {
			return state{}, errOtherNetwork
		}
	}
	if doc.BackendState != "Running" {
		down := "tailscaled is not up: its state is " + doc.BackendState
		if userspace {
			return state{}, errors.New(down) // it knows nothing of the address
		}
		s.unknown = append(s.unknown, down)
		return s, nil
	}
	peer := doc.peer(q.address)
	if peer == nil {
		if userspace {
			return state{}, fmt.Errorf("no peer of this tailscaled has the address %s", q.address)
		}
		s.unknown = append(s.unknown, fmt.Sprintf("no peer of this tailscaled takes packets to %s", q.address))
		return s, nil
	}
	s.peer = orElse(peer.HostName, peer.DNSName)
	s.handshake, s.target = peer.LastHandshake, record.Behind
	if slices.Contains(peer.TailscaleIPs, q.address) {
		s.target = record.AtPeer
	}
	switch {
	case !peer.Active:
		s.via = record.Idle
	case peer.CurAddr != "":
		s.via, s.endpoint = record.Direct, peer.CurAddr
	case peer.PeerRelay != "":
		s.via, s.endpoint = record.PeerRelay, withoutVNI(peer.PeerRelay)
	case peer.Relay != "":
		// DERP is HTTP over TLS over TCP.
		s.via, s.relay = record.Relayed, record.Relay{Name: peer.Relay, Transport: "tcp"}
	}
	return s, nil
}

// peer finds the one that packets to an address go to: nil where it is none.
func (d tailscaleStatus) peer(address netip.Addr) *tailscalePeer {
	var found nearest[*tailscalePeer]
	for _, p := range d.Peer {
		if p == nil {
			continue
		}
		for _, ip := range p.TailscaleIPs {
			found.offer(single(ip), address, p)
		}
		for _, prefix := range slices.Concat(p.AllowedIPs, p.PrimaryRoutes) {
			if prefix.Bits() > 0 { // whoever offers to be an exit node has a default route
				found.offer(prefix, address, p)
			}
		}
		if p.ExitNode {
			found.offer(netip.PrefixFrom(address, 0), address, p)
		}
	}
	return found.peer
}

func own(self *tailscalePeer) []netip.Addr {
	if self == nil {
		return nil
	}
	return self.TailscaleIPs
}

// withoutVNI cuts the network number from a peer relay's address.
func withoutVNI(s string) string {
	for cut := s; cut != ""; cut = cut[:max(strings.LastIndexByte(cut, ':'), 0)] {
		if _, err := netip.ParseAddrPort(cut); err == nil {
			return cut
		}
	}
	return s
}

// tailscaleNode is what tailscaled knows of a node from its coordination
// server (GET /localapi/v0/whois; tailcfg.Node and Hostinfo). Servers leave
// out what they like.
type tailscaleNode struct {
	Node struct {
		Endpoints []netip.AddrPort
		Hostinfo  struct {
			Userspace *bool // without a TUN device
			NetInfo   *struct {
				WorkingUDP            *bool
				MappingVariesByDestIP *bool
				HavePortMap           bool
			}
		}
	}
}

func parseTailscaleNode(b []byte) (tailscaleNode, error) {
	var doc tailscaleNode
	if err := json.Unmarshal(b, &doc); err != nil {
		return doc, anotherVersion("tailscaled", err)
	}
	return doc, nil
}

// directCheck is what both nodes' own network checks say of a direct path.
func directCheck(self, peer tailscaleNode) *record.DirectCheck {
	var c record.DirectCheck
	if n := self.Node.Hostinfo.NetInfo; n != nil {
		c.UDP, c.HardNAT, c.PortMap = n.WorkingUDP, n.MappingVariesByDestIP, &n.HavePortMap
	}
	if n := peer.Node.Hostinfo.NetInfo; n != nil {
		c.PeerUDP, c.PeerHardNAT = n.WorkingUDP, n.MappingVariesByDestIP
	}
	if c == (record.DirectCheck{}) {
		return nil
	}
	return &c
}

// parseTailscaleRelays reads the map of relays (GET /localapi/v0/derpmap;
// tailcfg.DERPMap) for a region's addresses and names. A node may be without an address of a
// family ("none"), or without any, so that its name is looked up.
func parseTailscaleRelays(b []byte, region string) (addresses []string, err error) {
	var doc struct {
		Regions map[string]*struct {
			RegionCode string
			Nodes      []struct {
				HostName   string
				IPv4, IPv6 string
				DERPPort   int // 0 is 443
				STUNOnly   bool
			}
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, anotherVersion("tailscaled", err)
	}
	for _, r := range doc.Regions {
		if r == nil || r.RegionCode != region {
			continue
		}
		for _, n := range r.Nodes {
			port := n.DERPPort
			if port == 0 {
				port = 443
			}
			for _, host := range []string{n.IPv4, n.IPv6, n.HostName} {
				if !n.STUNOnly && host != "" && host != "none" {
					addresses = append(addresses, net.JoinHostPort(host, strconv.Itoa(port)))
				}
			}
		}
	}
	return addresses, nil
}
