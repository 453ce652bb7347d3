package amend

import (
	"slices"

	"unchoke/internal/diagnose/rules/tunnels"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// fitting takes away remedies that cannot help where the packets go: those of a
// relayed tunnel's inner TCP and queue, and settings of a host whose TCP is the
// tunnel's program's own.
func fitting(v *view.View, f finding.Finding) finding.Finding {
	tunnel := v.Run.Route.Tunnel
	idle := func(r finding.Remedy) bool {
		if v.Carrier.Relayed >= view.RelayedShare && r.Action != nil && (r.Action.Kind == finding.KindShape || r.Action.Kind == finding.KindCC || r.Action.Kind == finding.KindPace) {
			return true
		}
		return r.Action != nil && seen.InUserspace(tunnel, r.Host)
	}
	if !slices.ContainsFunc(f.Remedies, idle) {
		return f
	}
	f.Remedies = slices.DeleteFunc(slices.Clone(f.Remedies), idle)
	for _, host := range []string{"near", "far"} {
		if seen.InUserspace(tunnel, host) && host == v.Sender() {
			f.Remedies = append(f.Remedies, kernelTCP(tunnel, host))
		}
	}
	if v.Carrier.Relayed >= view.RelayedShare && f.Cause != finding.Relayed {
		f.Remedies = append(f.Remedies, tunnels.DirectRemedies(v)...)
	}
	return f
}

// kernelTCP is what helps where a program without a TUN device ends the
// connections: a TCP of gVisor's, in which only that program's makers can
// change anything.
func kernelTCP(t record.Tunnel, host string) finding.Remedy {
	where := finding.Sender
	return finding.Remedy{
		What:  "The " + t.Kind + " program there runs without a TUN device and has a TCP of its own: no congestion control, buffer or queue of that host reaches the stream. Give it a TUN device (no --tun=userspace-networking; in a container /dev/net/tun and CAP_NET_ADMIN), so that the kernel's TCP is used.",
		Where: where, Host: host,
	}
}
