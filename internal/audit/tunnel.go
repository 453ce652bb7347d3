package audit

import (
	"io/fs"
	"net/netip"
	"slices"
	"strings"

	"unchoke/internal/record"
)

// Kinds of tunnel that a device's kind alone does not tell. All other kinds
// are the kernel's own names.
const (
	noTunnel  = "none"
	tailscale = "tailscale"
	netbird   = "netbird"
)

// tunnelKinds are the device kinds that carry packets inside other packets.
var tunnelKinds = []string{
	"wireguard", "tun", "gre", "gretap", "ip6gre", "ip6gretap", "ipip", "sit",
	"ip6tnl", "vti", "vti6", "xfrm", "vxlan", "geneve", "ppp", "ovpn", "amneziawg",
}

// Address ranges of Tailscale: RFC 6598, of which NetBird uses a part too, and
// Tailscale's own local prefix.
var (
	sharedRange    = netip.MustParsePrefix("100.64.0.0/10")
	tailscaleRange = netip.MustParsePrefix("fd7a:115c:a1e0::/48")
)

// tunnel tells what a device of this name and kind is, when packets leave it
// from source. proc is laid out as /proc, or nil where there is none.
func tunnel(name, kind string, source netip.Addr, proc fs.FS) record.Tunnel {
	kind = product(name, kind, source, proc)
	if kind == noTunnel {
		return record.Tunnel{Kind: noTunnel}
	}
	return record.Tunnel{Kind: kind, Device: name}
}

// product sees through a device's kind to the program behind it, by the
// device's usual name, else by its address and the program running.
func product(name, kind string, source netip.Addr, proc fs.FS) string {
	user := kind == "tun" || kind == "" && strings.HasPrefix(name, "utun") // macOS
	switch {
	case !user && kind != "wireguard":
		if slices.Contains(tunnelKinds, kind) {
			return kind
		}
		// Windows and the BSDs tell no kind.
		if kind == "" && strings.EqualFold(name, "tailscale") {
			return tailscale
		}
		return noTunnel
	case name == "tailscale0", tailscaleRange.Contains(source):
		return tailscale
	case name == "wt0":
		return netbird
	case sharedRange.Contains(source):
		programs := running(proc)
		if user && slices.Contains(programs, "tailscaled") {
			return tailscale
		}
		if slices.Contains(programs, "netbird") {
			return netbird
		}
	}
	if kind == "" {
		return "tun"
	}
	return kind
}

// running lists the names of the processes that this one can see.
func running(proc fs.FS) []string {
	if proc == nil {
		return nil
	}
	files, err := fs.Glob(proc, "[0-9]*/comm")
	if err != nil {
		return nil
	}
	var names []string
	for _, file := range files {
		if b, err := fs.ReadFile(proc, file); err == nil { // else it has ended
			names = append(names, strings.TrimSpace(string(b)))
		}
	}
	return names
}
