package tunnels

import (
	"strings"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// noDirect says why there is no direct path, as far as the program's own checks
// tell; empty where they tell nothing.
func noDirect(d *record.DirectCheck) string {
	if d == nil {
		return ""
	}
	is := func(b *bool, v bool) bool { return b != nil && *b == v }
	var why []string
	if is(d.UDP, false) {
		why = append(why, "no UDP comes through from this host to the outside and back")
	}
	if is(d.PeerUDP, false) {
		why = append(why, "no UDP comes through from the far host to the outside and back")
	}
	switch {
	case is(d.HardNAT, true) && is(d.PeerHardNAT, true):
		why = append(why, "both hosts are behind a NAT that uses another port for each destination (hard NAT)")
	case is(d.HardNAT, true):
		why = append(why, "this host is behind a NAT that uses another port for each destination (hard NAT)")
	case is(d.PeerHardNAT, true):
		why = append(why, "the far host is behind a NAT that uses another port for each destination (hard NAT)")
	}
	if is(d.UDP, true) && is(d.PeerUDP, true) && len(why) == 0 {
		why = append(why, "UDP works on both hosts, so that something between them drops their packets")
	}
	if d.Local == "relay" || d.Remote == "relay" {
		why = append(why, "the ends found no pair of addresses that reach each other (ICE chose a relayed candidate)")
	}
	if len(why) == 0 {
		return ""
	}
	return "Why there is no direct path, by the tunnel's own check: " + strings.Join(why, "; ") + "."
}

// udpPorts are the ports at which each kind's daemon listens unless it was told
// otherwise.
var udpPorts = map[string]string{"tailscale": "41641", "netbird": "51820", "zerotier": "9993", "nebula": "4242"}

// MayRelay says that a third host carries the packets of such tunnels where the peers do
// not reach each other.
func MayRelay(kind string) bool { return udpPorts[kind] != "" }

// DirectRemedies are what gets a relayed tunnel a direct path, or a better
// relay.
func DirectRemedies(v *view.View) []finding.Remedy {
	t := v.Run.Route.Tunnel
	port := udpPorts[t.Kind]
	open := finding.Remedy{
		What:  "Get a direct path: let UDP through on both hosts' networks, in and out.",
		Where: finding.Network,
	}
	if port != "" {
		open.What = "Get a direct path: let UDP port " + port + " through on both hosts' networks, in and out."
	}
	if t.Direct != nil && t.Direct.UDP != nil && !*t.Direct.UDP {
		open.What += " This host's own network is where it is blocked."
	}
	nat := finding.Remedy{
		What:  "Behind a hard NAT: forward that UDP port to the host on one side's router, or let the router open it (UPnP, NAT-PMP), or use IPv6 on both sides.",
		Where: finding.Network,
	}
	all := []finding.Remedy{open, nat}
	switch t.Kind {
	case "tailscale":
		all[0].Command = "tailscale netcheck"
		all = append(all, finding.Remedy{
			What:    "Where no direct path can be had: let a host of your own network that both reach by UDP carry the packets (a peer relay, Tailscale 1.86 or later, run there; the network's policy must grant it). It is UDP, where DERP is TCP.",
			Where:   finding.Network,
			Command: "tailscale set --relay-server-port=40000",
		})
	case "netbird":
		all[0].Command = "netbird status --detail"
	case "zerotier":
		all[0].Command = "zerotier-cli peers"
	}
	return all
}
