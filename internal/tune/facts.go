package tune

import (
	"unchoke/internal/tune/sysctld"
)

// Facts are what a plan is made from: what a host, or an image of one, says of
// itself. They are plain data, so that any host can be planned for in a test.
type Facts struct {
	// Root is the directory of a mounted image; empty for the running host. Of
	// an image nothing is known that only a kernel tells: Sysctls, Devices and
	// Routes are empty.
	Root   string `json:"root,omitempty"`
	System System `json:"system"`
	Kernel Kernel `json:"kernel"`

	// Sysctls are the values in force, fields joined by one space. What the
	// kernel, or this network namespace, does not have is absent.
	Sysctls map[string]string `json:"sysctls,omitempty"`
	// ReadOnlySysctls says that nobody can write them, as in most containers.
	ReadOnlySysctls bool `json:"read_only_sysctls,omitempty"`
	// ReadOnlyEtc is why /etc cannot be written; empty where it can.
	ReadOnlyEtc string `json:"read_only_etc,omitempty"`
	// Apart says that this process is in another network namespace than the host's
	// init, and has the same /etc: what lies there is set in that one at boot.
	Apart bool `json:"apart,omitempty"`
	// Unprivileged says that this process may not change the network
	// (CAP_NET_ADMIN), so that a plan can only be shown.
	Unprivileged bool `json:"unprivileged,omitempty"`

	Devices []Device    `json:"devices,omitempty"`
	Routes  []HostRoute `json:"routes,omitempty"`

	// Boot is the tree of files that decide at boot.
	Boot sysctld.Tree `json:"boot"`
	// Files are the present values of the files that a plan may write, as
	// Change holds them; absent ones are missing.
	Files map[string]string `json:"files,omitempty"`

	Tuned    *Tuned    `json:"tuned,omitempty"`
	Networkd []Network `json:"networkd,omitempty"`
	// Stack are the programs found that have a TCP of their own, or none.
	Stack []Stack `json:"stack,omitempty"`
	// Sockets counts this host's established TCP connections by their
	// congestion control.
	Sockets map[string]int `json:"sockets,omitempty"`

	// BacklogDrops are the packets dropped since boot because the queue of a
	// core's input was full (/proc/net/softnet_stat).
	BacklogDrops int64 `json:"backlog_drops,omitempty"`

	// Warnings are facts that could not be read.
	Warnings []string `json:"warnings,omitempty"`
}

// System is what runs on top of the kernel.
type System struct {
	ID        string `json:"id,omitempty"` // of os-release(5): debian, ubuntu, nixos, openwrt, …
	Name      string `json:"name,omitempty"`
	Version   string `json:"version,omitempty"`
	Init      Init   `json:"init"`
	Container string `json:"container,omitempty"` // its kind
	Memory    int64  `json:"memory_bytes"`        // 0 where unknown
	Forwards  bool   `json:"forwards,omitempty"`  // IPv4 or IPv6 packets of others
}

// Init is the program that sets sysctls at boot.
type Init string

const (
	Systemd     Init = "systemd" // systemd-sysctl
	ProcpsInit  Init = "procps"  // sysctl --system from an init script
	OpenWrtInit Init = "openwrt" // /etc/init.d/sysctl
	UnknownInit Init = ""
)

// Kernel is what the kernel has.
type Kernel struct {
	Release   string   `json:"release"` // empty for an image with several or none
	Available []string `json:"cc_available,omitempty"`
	Allowed   []string `json:"cc_allowed,omitempty"`
	// DefaultCC and DefaultQdisc are what the kernel was built with, where its
	// configuration tells.
	DefaultCC    string `json:"default_cc,omitempty"`
	DefaultQdisc string `json:"default_qdisc,omitempty"`
	// Modules are those on disk that a plan may need: tcp_bbr, sch_fq.
	Modules []string `json:"modules,omitempty"`
	// BuiltIn are those of them that the kernel has in itself.
	BuiltIn []string `json:"built_in,omitempty"`
	// Loaded are those of them in /proc/modules.
	Loaded []string `json:"loaded,omitempty"`
}

// Device is a network device that is up.
type Device struct {
	Name     string `json:"name"`
	Kind     string `json:"kind,omitempty"` // the kernel's; empty for hardware
	TxQueues int    `json:"tx_queues"`
	Loopback bool   `json:"loopback,omitempty"`
	// Qdisc is the tree as a Qdisc change holds it.
	Qdisc QdiscValue `json:"qdisc"`
	// Lower are the devices that its packets leave by, where it is a tunnel or
	// lies on others.
	Lower []string `json:"lower,omitempty"`
}

// HostRoute is one of the routing table's.
type HostRoute struct {
	Key   RouteKey   `json:"key"`
	Value RouteValue `json:"value"`
	// Protocol is who made it (rt_protos): dhcp, static, kernel, …
	Protocol string `json:"protocol,omitempty"`
	// Shared says that the table has another route to the same prefix with the same
	// metric and TOS. The kernel, told to change one, may replace the other.
	Shared bool `json:"shared,omitempty"`
	// Words are what ip route needs beside the prefix to make it as it is: via 192.0.2.1 dev eth0.
	Words string `json:"words,omitempty"`
}

// Tuned is what tuned(8) does on this host.
type Tuned struct {
	Profile string `json:"profile"`
	Active  bool   `json:"active"` // the daemon runs, or is enabled in an image
	// Settings are the sysctls of the profile and of those that it includes.
	Settings []sysctld.Assignment `json:"settings,omitempty"`
	// Reapply is tuned's own reading of sysctl.d after its profile.
	Reapply bool `json:"reapply"`
}

// Network is a device whose routes systemd-networkd makes.
type Network struct {
	Device string `json:"device"`
	File   string `json:"file"`           // its .network file
	Line   int    `json:"line,omitempty"` // of TCPCongestionControlAlgorithm=, where it is there
	CC     string `json:"cc,omitempty"`   // its value
}

// Stack is a program that host tuning does not reach.
type Stack struct {
	Program string `json:"program"`
	What    string `json:"what"`
}
