package tune

import (
	"fmt"
	"slices"
	"strings"
)

// refusal is why nothing can be changed on this host, nil where it can.
func (b *builder) refusal() *Unsupported {
	f := b.facts
	bbrWanted := b.needs.bbr != ""
	switch {
	case bbrWanted && f.Kernel.before(4, 9):
		return &Unsupported{
			Reason: OldKernel,
			What:   fmt.Sprintf("Linux %s has no BBR: it came with 4.9.", f.Kernel.Release),
			Next:   "install a newer kernel of your distribution; nothing else brings it",
		}
	case f.System.ID == "nixos":
		return &Unsupported{
			Reason:  NixOS,
			What:    "On NixOS the files below /etc are generated: what is written there is gone with the next rebuild.",
			Next:    "add this to configuration.nix and run nixos-rebuild switch",
			Snippet: b.nix(),
		}
	case bbrWanted && f.namespaced() && !f.Kernel.is(moduleBBR):
		return &Unsupported{
			Reason: Container,
			What:   "The algorithm is not loaded, and a container cannot load modules.",
			Next:   "on the host: modprobe tcp_bbr && sysctl -w net.ipv4.tcp_allowed_congestion_control=\"" + with(f.Sysctls[keyAllowed], bbr) + "\"",
		}
	case bbrWanted && !f.Kernel.has(moduleBBR):
		return b.noModule(moduleBBR)
	case bbrWanted && f.Kernel.before(4, 13) && !f.Kernel.has(moduleFQ):
		return b.noModule(moduleFQ)
	case f.ReadOnlySysctls:
		return &Unsupported{
			Reason: Container,
			What:   "/proc/sys is mounted read-only" + inContainer(f) + ".",
			Next:   "tune on the host, or give the container its sysctls from there (docker run --sysctl net.ipv4.tcp_congestion_control=bbr); a single program may still choose the algorithm for its own sockets if tcp_allowed_congestion_control lists it",
		}
	case bbrWanted && f.namespaced() && f.Sysctls[keyAllowed] != "" && !slices.Contains(strings.Fields(f.Sysctls[keyAllowed]), bbr):
		return &Unsupported{
			Reason: Container,
			What:   "tcp_allowed_congestion_control does not list bbr, and in a container the default must be one of it.",
			Next:   "on the host: sysctl -w net.ipv4.tcp_allowed_congestion_control=\"" + with(f.Sysctls[keyAllowed], bbr) + "\"",
		}
	case b.occupied != "":
		return &Unsupported{
			Reason: Occupied,
			What:   b.occupied + " is a directory, so nothing can be written there and nothing would hold after a reboot.",
			Next:   "move it away: mv " + b.occupied + " " + b.occupied + ".old",
		}
	case f.ReadOnlyEtc != "" && !f.Apart:
		return &Unsupported{
			Reason: ReadOnly,
			What:   "/etc cannot be written (" + f.ReadOnlyEtc + "), so nothing would hold after a reboot.",
			Next:   "mount it writable, or put the settings where this system is configured from",
		}
	}
	return nil
}

// namespaced says that this is not the host's first network namespace, the
// only one that has default_qdisc.
func (f *Facts) namespaced() bool {
	_, first := f.Sysctls[keyQdisc]
	return f.Root == "" && len(f.Sysctls) > 0 && !first
}

func inContainer(f *Facts) string {
	if f.System.Container == "" {
		return ""
	}
	return ", as in this container (" + f.System.Container + ")"
}

func with(list, name string) string {
	return strings.Join(append(strings.Fields(list), name), " ")
}

func (b *builder) noModule(name string) *Unsupported {
	u := &Unsupported{
		Reason: NoModule,
		What:   fmt.Sprintf("This kernel has no %s, neither built in nor as a module%s.", name, released(b.facts.Kernel)),
		Next:   "install your distribution's full kernel (not a cloud or minimal one), and reboot",
	}
	switch id := b.facts.System.ID; {
	case id == "openwrt" && name == moduleBBR:
		u.Next = "opkg update && opkg install kmod-tcp-bbr (from 25.12 on: apk add kmod-tcp-bbr)"
	case id == "openwrt":
		u.Next = "opkg update && opkg install kmod-sched (from 25.12 on: apk add kmod-sched)"
	case slices.Contains([]string{"rhel", "centos", "rocky", "almalinux", "fedora"}, id):
		u.Next = "dnf install kernel-modules-extra, and reboot if that brings a newer kernel"
	case id == "ubuntu":
		u.Next = "apt install linux-modules-extra-$(uname -r)"
	}
	return u
}

func released(k Kernel) string {
	if k.Release == "" {
		return ""
	}
	return " (Linux " + k.Release + ")"
}

// nix is what the plan would set, as a module of NixOS.
func (b *builder) nix() string {
	var s strings.Builder
	if b.needs.bbr != "" {
		fmt.Fprintf(&s, "boot.kernelModules = [ %q ];\n", moduleBBR)
	}
	s.WriteString("boot.kernel.sysctl = {\n")
	for _, w := range b.wants {
		fmt.Fprintf(&s, "  %q = %q;\n", w.key, w.value(b.facts.Sysctls[w.key]))
	}
	s.WriteString("};\n")
	return s.String()
}
