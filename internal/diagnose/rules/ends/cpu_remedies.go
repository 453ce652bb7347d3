package ends

import (
	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// cpuRemedies are what gives the packets more of the host's processors, or
// makes each cheaper.
func cpuRemedies(v *view.View, f hosts.Full) []finding.Remedy {
	var out []finding.Remedy
	add := func(r finding.Remedy) {
		r.Where, r.Host = f.End.Where, f.End.Host
		out = append(out, r)
	}
	if g := f.Group; g != nil {
		cores := float64(max(f.End.Facts.CPUs, 1))
		if cores <= g.Cores {
			cores = 2 * g.Cores
		}
		add(finding.Remedy{
			What: "Give the control group " + g.Path + " more processor time. Whoever set the limit (a unit's CPUQuota=, a container's --cpus) sets it again when it starts the next time: change it there.",
		}.By(finding.LiftCPULimit(g.Path, g.Version, cores)))
	}
	for _, n := range f.End.NICs {
		if !n.GRO && n.Use != record.DefaultRoute && n.Driver != "tun" && n.Driver != "veth" && f.Group == nil {
			add(finding.Remedy{
				What: "Switch GRO on for " + n.Device + ": the kernel then passes many small packets on as one.",
			}.By(finding.SwitchOn(n.Device, "rx-gro")))
		}
	}
	if r, ok := forwardingGRO(f.End); ok {
		add(r)
	}
	if f.Core != nil {
		add(finding.Remedy{What: "Spread arriving packets over the cores: more receive queues of the card (ethtool -L), or receive packet steering (/sys/class/net/DEV/queues/rx-*/rps_cpus). One tunnel is one flow to the card: steering by the inner packets takes threaded NAPI or the tunnel's own threads."})
	}
	if text := cheaper(f.Who, f.End.Tunnel()); text != "" {
		add(finding.Remedy{What: text})
	}
	add(finding.Remedy{What: "Larger packets, where the way allows them, or a host with a faster core. No congestion control and no TCP buffer makes a packet cheaper."})
	return out
}

// cheaper is how a tunnel's program, which takes the time, costs less.
func cheaper(who string, t record.Tunnel) string {
	if t.Carrier == record.Kernel {
		return ""
	}
	switch {
	case who == "wireguard-go" || who == "boringtun-cli":
		return "Use the kernel's WireGuard in place of " + who + " (modprobe wireguard): it needs a fraction of the time, on all cores."
	case t.Kind == "netbird":
		return "Let NetBird use the kernel's WireGuard (modprobe wireguard, then restart it)."
	case t.Kind == "openvpn":
		return "OpenVPN's program works in one thread: use its part in the kernel (DCO, OpenVPN 2.6 or later), or WireGuard."
	case t.Kind == "tailscale":
		return "Use a current tailscaled: from 1.54 on it hands many packets to the kernel at once (UDP GSO and GRO, with Linux 6.2 or later)."
	}
	return ""
}

// forwardingGRO is Tailscale's advice for exit nodes and subnet routers: where
// this host passes others' packets on, its kernel can join UDP packets that it
// forwards (Linux 6.2 or later: net/netkernelconf of Tailscale), and the card of
// its default route does not.
func forwardingGRO(e view.End) (finding.Remedy, bool) {
	if e.Tunnel().Kind != "tailscale" || !e.Facts.Forwards || e.KernelBefore(6, 2) {
		return finding.Remedy{}, false
	}
	card := outward(e.NICs)
	if card == nil || card.Forwarding == nil || *card.Forwarding && !card.List {
		return finding.Remedy{}, false
	}
	return finding.Remedy{
		What: "The host passes packets on: if it is an exit node or a subnet router, let its card join the UDP packets that it forwards. Streams that end on the host gain nothing by it.",
	}.By(finding.SwitchOn(card.Device, finding.UDPGROForwarding)), true
}

// outward is the card of the default route, or where that has none, one that the tunnel's
// own packets leave by; nil where there is neither.
func outward(nics []record.NIC) *record.NIC {
	var underlay *record.NIC
	for i := range nics {
		switch nics[i].Use {
		case record.DefaultRoute:
			return &nics[i]
		case record.OnUnderlay:
			if underlay == nil {
				underlay = &nics[i]
			}
		}
	}
	return underlay
}
