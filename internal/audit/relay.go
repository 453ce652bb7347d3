package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"strings"
	"time"
)

// statusTimeout bounds how long a tunnel's program may take to tell its state.
const statusTimeout = time.Second

// status decoders, by the kind of tunnel; the key is also the program's name.
var status = map[string]func([]byte, netip.Addr) (relayed bool, err error){
	tailscale: tailscaleRelayed,
	netbird:   netbirdRelayed,
}

// Relayed tells whether a tunnel of this kind reaches addr through a relay
// rather than directly. A path settles only once there is traffic on it, so the
// answer is worth more after a transfer than before. It is false for tunnels
// that know no relays, and where their program is not installed.
func Relayed(ctx context.Context, kind string, addr netip.Addr) (bool, error) {
	decode, ok := status[kind]
	if !ok {
		return false, nil
	}
	program, err := exec.LookPath(kind)
	if errors.Is(err, exec.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find %s: %w", kind, err)
	}
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "status", "--json")
	cmd.WaitDelay = statusTimeout
	out, err := cmd.Output()
	if err == nil {
		var relayed bool
		if relayed, err = decode(out, addr.Unmap()); err == nil {
			return relayed, nil
		}
	}
	return false, fmt.Errorf("ask %s status: %w", kind, err)
}

// tailscaleRelayed reads tailscale status --json.
func tailscaleRelayed(b []byte, addr netip.Addr) (bool, error) {
	var doc struct {
		Peer map[string]struct {
			TailscaleIPs []netip.Addr
			AllowedIPs   []netip.Prefix
			CurAddr      string // of the direct path
			Relay        string // region of the peer's relay, used or not
			PeerRelay    string // another peer that forwards
			Active       bool
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return false, err
	}
	var nearest longest
	for _, p := range doc.Peer {
		relayed := p.Active && p.Relay != "" && p.CurAddr == "" && p.PeerRelay == ""
		for _, ip := range p.TailscaleIPs {
			nearest.offer(netip.PrefixFrom(ip, ip.BitLen()), addr, relayed)
		}
		for _, prefix := range p.AllowedIPs {
			nearest.offer(prefix, addr, relayed)
		}
	}
	return nearest.relayed, nil
}

// netbirdRelayed reads netbird status --json.
func netbirdRelayed(b []byte, addr netip.Addr) (bool, error) {
	var doc struct {
		Peers struct {
			Details []struct {
				IP             string   `json:"netbirdIp"`
				ConnectionType string   `json:"connectionType"`
				Networks       []string `json:"networks"`
			} `json:"details"`
		} `json:"peers"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return false, err
	}
	var nearest longest
	for _, p := range doc.Peers.Details {
		relayed := p.ConnectionType == "Relayed"
		ip, _, _ := strings.Cut(p.IP, "/")
		if a, err := netip.ParseAddr(ip); err == nil {
			nearest.offer(netip.PrefixFrom(a, a.BitLen()), addr, relayed)
		}
		for _, n := range p.Networks { // or a domain, which is no prefix
			if prefix, err := netip.ParsePrefix(n); err == nil {
				nearest.offer(prefix, addr, relayed)
			}
		}
	}
	return nearest.relayed, nil
}

// longest keeps what the peer with the longest prefix around an address said.
type longest struct {
	bits    int
	relayed bool
}

func (l *longest) offer(prefix netip.Prefix, addr netip.Addr, relayed bool) {
	// A default route has no bits and still beats no route at all.
	if bits := prefix.Bits() + 1; prefix.Contains(addr) && bits > l.bits {
		l.bits, l.relayed = bits, relayed
	}
}
