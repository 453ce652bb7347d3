package tunnel

import (
	"io/fs"
	"net/netip"
	"slices"
	"strings"

	"unchoke/internal/linux/device"
	"unchoke/internal/linux/proc"
	"unchoke/internal/ls"
)

// Kinds of tunnel that a device's kind alone does not tell, or that name their
// program. All other kinds are the kernel's own names.
const (
	none      = "none"
	tailscale = "tailscale"
	netbird   = "netbird"
	zerotier  = "zerotier"
	nebula    = "nebula"
	openvpn   = "openvpn"
	wireguard = "wireguard"
)

// ovpn begins the kinds of OpenVPN's part in the kernel: Linux's own, and
// ovpn-dco, the module that OpenVPN 2.6 uses.
const ovpn = "ovpn"

// kernelKinds are the device kinds that carry packets inside other packets, from
// one host to another. PPP is not among them: as PPPoE it is the link of a line.
var kernelKinds = []string{
	"wireguard", "tun", "gre", "gretap", "ip6gre", "ip6gretap", "ipip", "sit",
	"ip6tnl", "vti", "vti6", "xfrm", "vxlan", "geneve", "amneziawg",
}

// programs are the kinds by the name of the process that makes the device.
var programs = []struct{ name, kind string }{
	{"tailscaled", tailscale},
	{"netbird", netbird},
	{"zerotier-one", zerotier},
	{"nebula", nebula},
	{"openvpn", openvpn},
	{"wireguard-go", wireguard},
	{"boringtun-cli", wireguard},
}

// Address ranges of Tailscale: RFC 6598, of which NetBird uses a part too, and
// Tailscale's own local prefix.
var (
	sharedRange    = netip.MustParsePrefix("100.64.0.0/10")
	tailscaleRange = netip.MustParsePrefix("fd7a:115c:a1e0::/48")
)

// kindOf tells what a device is when packets leave it from source: it sees
// through the device's kind to the program behind it. proc is laid out as
// /proc, or nil where there is none.
func kindOf(dev device.Device, source netip.Addr, proc fs.FS) string {
	byProgram := dev.Kind == "tun" || dev.Kind == "" && strings.HasPrefix(dev.Name, "utun") // macOS
	switch {
	case strings.HasPrefix(dev.Kind, ovpn):
		return openvpn
	case dev.Kind == "wireguard":
		return wireguardKind(dev.Name, source, proc)
	case byProgram:
		return programKind(dev.Name, source, proc)
	case slices.Contains(kernelKinds, dev.Kind):
		return dev.Kind
	// Windows and the BSDs tell no kind.
	case dev.Kind == "" && strings.EqualFold(dev.Name, "tailscale"):
		return tailscale
	}
	return none
}

// wireguardKind tells NetBird, which uses the kernel's WireGuard, from others.
// Tailscale never does.
func wireguardKind(name string, source netip.Addr, proc fs.FS) string {
	if name == "wt0" || sharedRange.Contains(source) && len(running(proc, "netbird")) > 0 {
		return netbird
	}
	return wireguard
}

// programKind tells whose a TUN device is: by the process that holds it, else
// by its usual name, else by its address and the programs that run.
func programKind(name string, source netip.Addr, tree fs.FS) string {
	for _, program := range programs {
		for _, dir := range running(tree, program.name) {
			if proc.Holds(tree, dir, name) {
				return program.kind
			}
		}
	}
	runs := func(program string) bool { return len(running(tree, program)) > 0 }
	switch {
	case name == "tailscale0", tailscaleRange.Contains(source):
		return tailscale
	case name == "wt0":
		return netbird
	case strings.HasPrefix(name, "zt") && len(name) == len("zt")+8:
		return zerotier
	case strings.HasPrefix(name, "nebula"):
		return nebula
	case sharedRange.Contains(source) && runs("tailscaled"):
		return tailscale
	case sharedRange.Contains(source) && runs("netbird"):
		return netbird
	case strings.HasPrefix(name, "wg") && (runs("wireguard-go") || runs("boringtun-cli")):
		return wireguard
	case (strings.HasPrefix(name, "tun") || strings.HasPrefix(name, "tap")) && runs("openvpn"):
		return openvpn
	}
	return "tun"
}

// running lists the directories in proc of the processes of this name that
// this one can see.
func running(proc fs.FS, name string) []string {
	if proc == nil {
		return nil
	}
	entries, err := ls.Dir(proc, ".")
	if err != nil {
		return nil
	}
	var dirs []string
	for _, e := range entries {
		dir := e.Name()
		if dir[0] < '0' || dir[0] > '9' {
			continue
		}
		if b, err := fs.ReadFile(proc, dir+"/comm"); err == nil && strings.TrimSpace(string(b)) == name { // else it has ended
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// arguments is the command line of a process.
func arguments(proc fs.FS, dir string) []string {
	b, err := fs.ReadFile(proc, dir+"/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

// isPrivate says that many networks have an address, each for itself: a private one, or one
// of the range that carriers share.
func isPrivate(a netip.Addr) bool { return a.IsPrivate() || sharedRange.Contains(a) }
