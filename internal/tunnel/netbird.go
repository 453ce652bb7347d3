package tunnel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"unchoke/internal/record"
)

// netbirdStatus is what `netbird status --json` prints (client/cmd/status.go
// up to 0.36, client/status/status.go since).
type netbirdStatus struct {
	DaemonVersion string `json:"daemonVersion"`
	IP            string `json:"netbirdIp"` // with the network's length
	Kernel        *bool  `json:"usesKernelInterface"`
	Peers         *struct {
		Details []netbirdPeer `json:"details"`
	} `json:"peers"`
	Relays struct { // since 0.26
		Details []struct {
			URI       string `json:"uri"`
			Available bool   `json:"available"`
			Transport string `json:"transport"` // since 0.73: ws, quic
		} `json:"details"`
	} `json:"relays"`
}

type netbirdPeer struct {
	FQDN           string        `json:"fqdn"`
	IP             string        `json:"netbirdIp"`
	IPv6           string        `json:"netbirdIpv6"` // since 0.71
	Status         string        `json:"status"`
	ConnectionType string        `json:"connectionType"` // P2P, Relayed, -
	Candidates     ends          `json:"iceCandidateType"`
	Endpoints      ends          `json:"iceCandidateEndpoint"` // since 0.27
	RelayAddress   string        `json:"relayAddress"`         // since 0.29: a URI
	Handshake      time.Time     `json:"lastWireguardHandshake"`
	Latency        time.Duration `json:"latency"` // ns
	Networks       []string      `json:"networks"`
	Routes         []string      `json:"routes"` // its name up to 0.34
}

type ends struct {
	Local  string `json:"local"`
	Remote string `json:"remote"`
}

// parseNetbird reads a status for the peer that packets to an address go to.
func parseNetbird(b []byte, q query) (state, error) {
	var doc netbirdStatus
	if err := json.Unmarshal(b, &doc); err != nil {
		return state{}, anotherVersion("netbird", err)
	}
	if doc.Peers == nil {
		return state{}, anotherVersion("netbird", errors.New("no peers"))
	}
	s := state{program: "netbird " + doc.DaemonVersion, nearTCP: record.Kernel}
	if doc.Kernel != nil {
		s.carrier = record.Userspace
		if *doc.Kernel {
			s.carrier = record.Kernel
		}
	}
	p := doc.peer(q.address)
	if p == nil {
		s.unknown = append(s.unknown, fmt.Sprintf("no peer of this netbird takes packets to %s", q.address))
		return s, nil
	}
	s.peer, s.handshake, s.target = p.FQDN, p.Handshake, record.Behind
	if own := q.address.String() + "/"; strings.HasPrefix(p.IP+"/", own) || strings.HasPrefix(p.IPv6+"/", own) {
		s.target = record.AtPeer
	}
	// Earlier versions say "Relayed" of a TURN server's candidate as well.
	switch p.ConnectionType {
	case "P2P":
		s.via, s.endpoint = record.Direct, p.Endpoints.Remote
	case "Relayed":
		s.via = record.Relayed
		s.relay = record.Relay{Address: hostPort(p.RelayAddress), Transport: doc.transport(p.RelayAddress), RTT: p.Latency.Seconds()}
		s.relay.Name = hostName(p.RelayAddress)
		s.direct = &record.DirectCheck{Local: p.Candidates.Local, Remote: p.Candidates.Remote}
	case "-", "":
		s.via = record.Idle
	default:
		return state{}, anotherVersion("netbird", fmt.Errorf("connectionType %q", p.ConnectionType))
	}
	return s, nil
}

func (d netbirdStatus) peer(address netip.Addr) *netbirdPeer {
	var found nearest[*netbirdPeer]
	for i := range d.Peers.Details {
		p := &d.Peers.Details[i]
		for _, ip := range []string{p.IP, p.IPv6} {
			ip, _, _ = strings.Cut(ip, "/")
			if a, err := netip.ParseAddr(ip); err == nil {
				found.offer(single(a), address, p)
			}
		}
		for _, n := range append(p.Networks, p.Routes...) { // or a domain, which is no prefix
			if prefix, err := netip.ParsePrefix(n); err == nil {
				found.offer(prefix, address, p)
			}
		}
	}
	return found.peer
}

// transport is what the relay is reached by: WebSockets are TCP. A version that
// does not tell uses them where the relay's URI says so; a TURN server is
// reached by UDP unless its URI says otherwise.
func (d netbirdStatus) transport(relay string) string {
	for _, r := range d.Relays.Details {
		if r.URI == relay && r.Transport != "" {
			if r.Transport == "ws" || r.Transport == "wss" {
				return "tcp"
			}
			return r.Transport
		}
	}
	if strings.HasPrefix(relay, "turn") {
		if strings.Contains(relay, "transport=tcp") {
			return "tcp"
		}
		return "udp"
	}
	return ""
}

// hostPort is a URI's address: rels://relay.example.net:443. A URI without //
// (turn:host:port) is read as one with it.
func hostPort(uri string) string {
	_, rest, ok := strings.Cut(uri, ":")
	rest = strings.TrimPrefix(rest, "//")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if !ok || rest == "" {
		return uri
	}
	return rest
}

func hostName(uri string) string {
	address := hostPort(uri)
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

func askNetbird(ctx context.Context, h host, q query) (state, error) {
	b, err := h.Run(ctx, "netbird", "status", "--json")
	if err != nil {
		return state{}, err
	}
	return parseNetbird(b, q)
}
