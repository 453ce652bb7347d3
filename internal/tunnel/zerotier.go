package tunnel

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"unchoke/internal/record"
)

// zerotierNetwork is one of `zerotier-cli -j listnetworks`
// (service/OneService.cpp, _networkToJson).
type zerotierNetwork struct {
	ID     string `json:"id"`
	NWID   string `json:"nwid"` // the same; the name in version 1
	Device string `json:"portDeviceName"`
}

// zerotierPeer is one of `zerotier-cli -j peers` (_peerToJson).
type zerotierPeer struct {
	Address string `json:"address"` // ten hexadecimal digits
	Role    string `json:"role"`    // LEAF, MOON, PLANET
	Version string `json:"version"`
	Latency int    `json:"latency"` // ms; -1: not known
	// Bonded peers have several paths; with the policy broadcast none is preferred.
	Bonded bool `json:"isBonded"`
	// Tunneled is this node's, whoever the peer is: a TCP relay takes what it
	// sends to global IPv4 addresses. Since 1.10.4.
	Tunneled bool           `json:"tunneled"`
	Paths    []zerotierPath `json:"paths"`
}

type zerotierPath struct {
	Address   string `json:"address"` // ip/port
	Active    bool   `json:"active"`
	Preferred bool   `json:"preferred"`
}

// parseZerotierNetworks finds the network of a device.
func parseZerotierNetworks(b []byte, device string) (uint64, error) {
	var all []zerotierNetwork
	if err := json.Unmarshal(b, &all); err != nil {
		return 0, anotherVersion("zerotier-one", err)
	}
	for _, n := range all {
		if n.Device != device {
			continue
		}
		id, err := strconv.ParseUint(orElse(n.NWID, n.ID), 16, 64)
		if err != nil {
			return 0, anotherVersion("zerotier-one", err)
		}
		return id, nil
	}
	return 0, fmt.Errorf("zerotier-one has no network on %s", device)
}

// parseZerotierPeers reads the peers for the one with a node's address.
func parseZerotierPeers(b []byte, node string) (state, error) {
	var all []zerotierPeer
	if err := json.Unmarshal(b, &all); err != nil {
		return state{}, anotherVersion("zerotier-one", err)
	}
	s := state{program: "zerotier-one", carrier: record.Userspace, nearTCP: record.Kernel, peer: node}
	for _, p := range all {
		if p.Address != node {
			continue
		}
		s.target = record.AtPeer // whose MAC answers for the address
		// A peer without a path of its own is reached through a root server.
		s.via, s.relay = record.Relayed, record.Relay{Name: zerotierRoots, RTT: float64(max(p.Latency, 0)) / 1000}
		for _, way := range p.Paths {
			if way.Active && (way.Preferred || p.Bonded && s.endpoint == "") {
				s.endpoint = zerotierEndpoint(way.Address)
			}
		}
		switch {
		case s.endpoint == "" && p.Tunneled:
			s.relay.Transport = "tcp" // as far as the root
		case p.Tunneled && globalIPv4(s.endpoint):
			s.relay.Name, s.relay.Transport, s.endpoint = "TCP relay", "tcp", ""
		case s.endpoint != "":
			s.via, s.relay = record.Direct, record.Relay{}
		}
		return s, nil
	}
	s.via = record.Idle
	return s, nil
}

// globalIPv4 says whether ip:port is an IPv4 address outside of private networks
// and the shared range.
func globalIPv4(endpoint string) bool {
	a, err := netip.ParseAddrPort(endpoint)
	return err == nil && a.Addr().Is4() && !isPrivate(a.Addr())
}

// zerotierRoots are the servers that carry what has no path.
const zerotierRoots = "root server"

// zerotierEndpoint turns ip/port into ip:port.
func zerotierEndpoint(s string) string {
	i := strings.LastIndexByte(s, '/')
	if i < 0 {
		return s
	}
	return net.JoinHostPort(s[:i], s[i+1:])
}

// zerotierNode is the address of the node whose network card has this MAC: its
// lower 40 bits are the node's, masked by bits 8 to 48 of the network's ID in
// reverse order of bytes (node/MAC.hpp, toAddress).
func zerotierNode(mac net.HardwareAddr, network uint64) string {
	var id [8]byte
	binary.LittleEndian.PutUint64(id[:], network)
	var b [8]byte
	copy(b[3:], mac[1:])
	for i := range 5 {
		b[3+i] ^= id[1+i]
	}
	return fmt.Sprintf("%010x", binary.BigEndian.Uint64(b[:]))
}

// parseARP finds the MAC of an address in /proc/net/arp.
func parseARP(b []byte, address netip.Addr, device string) (net.HardwareAddr, error) {
	for _, line := range lines(string(b)) {
		// IP address, HW type, Flags, HW address, Mask, Device
		f := strings.Fields(line)
		if len(f) != 6 || f[0] != address.String() || f[5] != device || f[2] == "0x0" {
			continue
		}
		mac, err := net.ParseMAC(f[3])
		if err != nil || len(mac) != 6 {
			return nil, fmt.Errorf("address %q in /proc/net/arp", f[3])
		}
		return mac, nil
	}
	return nil, errNoNeighbour
}

var errNoNeighbour = errors.New("not a neighbour on the network, or not yet spoken to")

// askZerotier finds the peer by the target's MAC: ZeroTier is an Ethernet, and
// its status knows nodes only.
func askZerotier(ctx context.Context, h host, q query) (state, error) {
	networks, err := h.Run(ctx, "zerotier-cli", "-j", "listnetworks")
	if err != nil {
		return state{}, err
	}
	network, err := parseZerotierNetworks(networks, q.device.Name)
	if err != nil {
		return state{}, err
	}
	arp, err := h.ReadFile("/proc/net/arp")
	if err != nil {
		return state{}, err
	}
	mac, err := parseARP(arp, q.address, q.device.Name)
	if errors.Is(err, errNoNeighbour) {
		// Before the first packet, or behind a router, or IPv6.
		return state{
			program: "zerotier-one", carrier: record.Userspace, nearTCP: record.Kernel,
			unknown: []string{fmt.Sprintf("which ZeroTier node has %s: %v", q.address, err)},
		}, nil
	}
	if err != nil {
		return state{}, err
	}
	peers, err := h.Run(ctx, "zerotier-cli", "-j", "peers")
	if err != nil {
		return state{}, err
	}
	return parseZerotierPeers(peers, zerotierNode(mac, network))
}
