package finding

import (
	"fmt"

	"unchoke/internal/record"
)

// Where says on which host a remedy belongs.
type Where string

const (
	Sender   Where = "sender"
	Receiver Where = "receiver"
	Network  Where = "network" // on neither host
)

// Host names the host, seen from the near one: "near", "far", or nothing for
// the network.
func (w Where) Host(d record.Direction) string {
	switch {
	case w == Network || w == "":
		return ""
	case (w == Sender) == (d == record.Up):
		return "near"
	}
	return "far"
}

// Remedy is one next step.
type Remedy struct {
	_ incomparable

	What  string `json:"what"`
	Where Where  `json:"where"`
	Host  string `json:"host,omitempty"` // near or far
	// Action is what to change, as values; nil where there is no setting for
	// it. Command is the same as text for a shell.
	Action  *Action `json:"action,omitempty"`
	Command string  `json:"command,omitempty"`
}

// By returns the remedy with the action that it consists of, and its command.
func (r Remedy) By(a Action) Remedy {
	r.Action, r.Command = &a, a.Command()
	return r
}

// Kind of a change to a host.
type Kind string

const (
	KindCC            Kind = "congestion-control"   // CC
	KindSendBuffer    Kind = "send-buffer"          // Bytes
	KindReceiveBuffer Kind = "receive-buffer"       // Bytes
	KindPace          Kind = "pace"                 // Rate: each flow, on the sending host
	KindShape         Kind = "shape"                // Rate: everything, at the bottleneck
	KindReordering    Kind = "reordering-tolerance" // no parameter
	KindFilterACKs    Kind = "filter-acks"          // Rate: everything, at the thin way back
	KindMTUProbing    Kind = "mtu-probing"          // no parameter
	KindWindowScaling Kind = "window-scaling"       // no parameter: switched on
	KindAutotuning    Kind = "receive-autotuning"   // no parameter: switched on
	KindSACK          Kind = "sack"                 // no parameter: switched on
	KindRouteMTU      Kind = "route-mtu"            // Bytes: of the largest packet
	KindDeviceMTU     Kind = "device-mtu"           // Bytes: the same, of a tunnel's device
	KindMSSClamp      Kind = "mss-clamp"            // Bytes: of the largest segment, on a router
	KindCPULimit      Kind = "cpu-limit"            // Group, Cores
	KindOffload       Kind = "offload"              // Device, Feature: switched on
	KindSocketBuffer  Kind = "socket-buffer"        // Bytes: UDP sockets may have, and have by default
)

// Action is one change to a host, with its parameters. A zero parameter is one
// that the kind does not have.
type Action struct {
	Kind  Kind    `json:"kind"`
	CC    string  `json:"cc,omitempty"`
	Bytes int64   `json:"bytes,omitempty"`
	Rate  float64 `json:"rate_bps,omitempty"`

	Group   string  `json:"group,omitempty"`   // a control group's path
	Version int     `json:"version,omitempty"` // of control groups, 1 or 2
	Cores   float64 `json:"cores,omitempty"`
	Device  string  `json:"device,omitempty"`
	Feature string  `json:"feature,omitempty"` // of the device, by the kernel's name
}

// UseCC makes an algorithm the default of new connections.
func UseCC(name string) Action { return Action{Kind: KindCC, CC: name} }

// RaiseSendBuffer lets the kernel grow a send buffer up to so many bytes.
func RaiseSendBuffer(bytes int64) Action { return Action{Kind: KindSendBuffer, Bytes: bytes} }

// BufferFor is the buffer in bytes for twice a bandwidth-delay product, in whole
// mebibytes. Linux counts a buffer's bookkeeping in it, so that about half is payload
// (tcp_win_from_space): hence twice that again.
func BufferFor(bdp int64) int64 {
	const mib = 1 << 20
	return (4*bdp/mib + 1) * mib
}

// DefaultSendMost and DefaultReceiveMost are Linux's own bounds of a send and of a receive
// buffer in bytes, which no remedy is to lower (tcp_init, net/ipv4/tcp.c).
const (
	DefaultSendMost    = 4 << 20
	DefaultReceiveMost = 6 << 20
)

// RaiseReceiveBuffer lets the kernel grow a receive buffer up to so many bytes.
func RaiseReceiveBuffer(bytes int64) Action { return Action{Kind: KindReceiveBuffer, Bytes: bytes} }

// Pace holds each flow of the sending host to a rate in bit/s.
func Pace(rate float64) Action { return Action{Kind: KindPace, Rate: rate} }

// PaceBelow holds each flow of the sending host just below a policer's rate in bit/s, so that
// it never meets the policer, bursts of fq aside.
func PaceBelow(policer float64) Action { return Pace(belowPolicer * policer) }

// Policer is the rate in bit/s of the policer that a pace keeps below.
func (a Action) Policer() float64 { return a.Rate / belowPolicer }

const belowPolicer = 0.97

// JustBelow is the rate in bit/s to which what feeds a bottleneck of such a rate, with all
// headers, is shaped, so that the queue stands there.
func JustBelow(bottleneck float64) float64 { return 0.95 * bottleneck }

// Shape holds everything that enters the bottleneck to a rate in bit/s, with all headers.
func Shape(rate float64) Action { return Action{Kind: KindShape, Rate: rate} }

// TolerateReordering lets TCP wait longer for packets that were overtaken.
func TolerateReordering() Action { return Action{Kind: KindReordering} }

// FilterACKs shapes everything that enters a thin way back to a rate in bit/s,
// and drops acknowledgements that a later one makes needless.
func FilterACKs(rate float64) Action { return Action{Kind: KindFilterACKs, Rate: rate} }

// ProbeMTU lets TCP find a segment size that passes a black hole.
func ProbeMTU() Action { return Action{Kind: KindMTUProbing} }

// ScaleWindows lets new connections announce windows of more than 64 KiB (RFC 7323 §2).
func ScaleWindows() Action { return Action{Kind: KindWindowScaling} }

// AcknowledgeSelectively lets new connections tell what arrived behind a gap (RFC 2018).
func AcknowledgeSelectively() Action { return Action{Kind: KindSACK} }

// TuneReceiveBuffers lets receive buffers grow with what arrives.
func TuneReceiveBuffers() Action { return Action{Kind: KindAutotuning} }

// LimitRoute bounds the packets that a host sends by a route, and by what it
// advertises those that TCP sends back, to so many bytes.
func LimitRoute(bytes int64) Action { return Action{Kind: KindRouteMTU, Bytes: bytes} }

// LimitDevice bounds the packets of a device to so many bytes.
func LimitDevice(bytes int64) Action { return Action{Kind: KindDeviceMTU, Bytes: bytes} }

// ClampMSS bounds the segments of the TCP connections that a router forwards to
// so many bytes, headers not counted.
func ClampMSS(bytes int64) Action { return Action{Kind: KindMSSClamp, Bytes: bytes} }

// LiftCPULimit lets a control group keep so many cores busy.
func LiftCPULimit(group string, version int, cores float64) Action {
	return Action{Kind: KindCPULimit, Group: group, Version: version, Cores: cores}
}

// SwitchOn switches a device's offload on.
func SwitchOn(device, feature string) Action {
	return Action{Kind: KindOffload, Device: device, Feature: feature}
}

// RaiseSocketBuffer lets UDP sockets hold so many bytes that wait to be read,
// by the kernel's count, and gives that to new ones.
func RaiseSocketBuffer(bytes int64) Action { return Action{Kind: KindSocketBuffer, Bytes: bytes} }

// Command is the action for a shell. DEV and ROUTE stand for a device and a
// route that the reader has to name.
func (a Action) Command() string {
	switch a.Kind {
	case KindCC:
		return "sysctl -w net.ipv4.tcp_congestion_control=" + a.CC
	case KindSendBuffer:
		return fmt.Sprintf("sysctl -w net.ipv4.tcp_wmem='4096 16384 %d'", a.Bytes)
	case KindReceiveBuffer:
		return fmt.Sprintf("sysctl -w net.ipv4.tcp_rmem='4096 131072 %d'", a.Bytes)
	case KindPace:
		return fmt.Sprintf("tc qdisc replace dev DEV root fq maxrate %dkbit", int64(a.Rate/1000))
	case KindShape:
		return fmt.Sprintf("tc qdisc replace dev DEV root cake bandwidth %dkbit", int64(a.Rate/1000))
	case KindFilterACKs:
		return fmt.Sprintf("tc qdisc replace dev DEV root cake bandwidth %dkbit ack-filter", int64(a.Rate/1000))
	case KindReordering:
		return "sysctl -w net.ipv4.tcp_reordering=30 net.ipv4.tcp_max_reordering=1000"
	case KindRouteMTU:
		return fmt.Sprintf("ip route change ROUTE mtu lock %d", a.Bytes)
	case KindDeviceMTU:
		return fmt.Sprintf("ip link set dev DEV mtu %d", a.Bytes)
	case KindMSSClamp:
		return fmt.Sprintf("nft add rule inet filter forward tcp flags syn tcp option maxseg size set %d", a.Bytes)
	case KindMTUProbing:
		return "sysctl -w net.ipv4.tcp_mtu_probing=1"
	case KindWindowScaling:
		return "sysctl -w net.ipv4.tcp_window_scaling=1"
	case KindSACK:
		return "sysctl -w net.ipv4.tcp_sack=1"
	case KindAutotuning:
		return "sysctl -w net.ipv4.tcp_moderate_rcvbuf=1"
	case KindCPULimit:
		return limitCommand(a)
	case KindOffload:
		return fmt.Sprintf("ethtool -K %s %s on", Quote(a.Device), a.Feature) + without[a.Feature]
	case KindSocketBuffer:
		return fmt.Sprintf("sysctl -w net.core.rmem_max=%d net.core.rmem_default=%d", a.Bytes, a.Bytes)
	}
	return ""
}
