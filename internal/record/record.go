// Package record holds everything that one run saw, as versioned JSON: the
// hosts, the echo probes, the transfers with their TCP_INFO series, the
// configuration. A diagnosis needs a record and nothing else, so a record can
// be replayed.
//
// Quantities are in SI base units (seconds, bits per second, bytes, ratios);
// the unit stands in the JSON key.
package record

import (
	"time"

	"unchoke/tcpinfo"
)

// Schema names this version of the format.
const Schema = "unchoke.record/1"

// Run is one run of `unchoke check` against one target.
type Run struct {
	Schema  string    `json:"schema"`
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	Version string    `json:"version"` // of unchoke
	Target  string    `json:"target"`  // as the user gave it, with the port
	Config  Config    `json:"config"`
	// Place is from where it was made, as the user named it, where several places
	// were compared.
	Place string `json:"place,omitempty"`

	Near  Host  `json:"near"`
	Far   Peer  `json:"far"`
	Route Route `json:"route"`
	// NICs are the devices that the packets pass on this host.
	NICs []NIC `json:"nics,omitempty"`

	// FarHost, FarRoute and FarNICs are the far host's own account of itself,
	// its way back to this host included: nil and empty where no unchoke ran
	// there to give it.
	FarHost  *Host  `json:"far_host,omitempty"`
	FarRoute *Route `json:"far_route,omitempty"`
	FarNICs  []NIC  `json:"far_nics,omitempty"`
	// IdleCPU is what the processors did while only echo probes ran, as many as
	// beside a transfer.
	IdleCPU *CPU `json:"idle_cpu,omitempty"`

	Echoes    []Echo     `json:"echoes"`
	Transfers []Transfer `json:"transfers"`

	// Cubic is one stream by CUBIC of each direction whose sender uses an algorithm that
	// takes loss otherwise, such as BBR, where the path time sufficed for it.
	Cubic []Transfer `json:"cubic,omitempty"`

	// Arrivals is what of the UDP sent up reached the far end, all rungs of a
	// test together, interval by interval (a second each of a stock server's),
	// by its own count. Times are since the run began. Empty where the far end
	// does not tell.
	Arrivals []FarInterval `json:"udp_up_arrivals,omitempty"`

	// PacketSizes is which sizes of packets came back, and SegmentTests which
	// sizes of TCP segments passed, tried where a stream stood still.
	PacketSizes  []PacketSizes `json:"packet_sizes,omitempty"`
	SegmentTests []SegmentTest `json:"segment_tests,omitempty"`

	// Besides are UDP and TCP in turns, where UDP may fare worse: outside of a
	// tunnel over UDP, and where a ladder's gentle rungs lost what TCP did not.
	Besides []Beside `json:"udp_beside_tcp,omitempty"`

	// Flow is the existing connection that was looked at, where that is what was
	// asked for: Transfers then holds what it carried.
	Flow *Flow `json:"flow,omitempty"`

	// Fetch is what a check of a URL saw of the server; nil of any other check.
	Fetch *Fetch `json:"fetch,omitempty"`

	// Predicted is what copies of the path did in the lab, where some were tried:
	// with remedies, and without what impairs it.
	Predicted []Predicted `json:"predicted,omitempty"`

	// UDPBlocked is true where a UDP test could not even start while TCP
	// worked.
	UDPBlocked bool `json:"udp_blocked,omitempty"`
	// Skipped says which step was left out and why.
	Skipped []Skip `json:"skipped,omitempty"`
	// Error is what ended the run early; what was measured before stands.
	Error string `json:"error,omitempty"`
	// Interrupted where it was the user who ended it.
	Interrupted bool `json:"interrupted,omitempty"`
	// Warnings are things that make a figure less certain.
	Warnings []string `json:"warnings,omitempty"`
}

// Config is what the user asked of the run.
type Config struct {
	Quick  bool    `json:"quick"`
	Budget float64 `json:"budget_s"` // of path time
	CC     string  `json:"cc,omitempty"`
}

// Skip is a step left out.
type Skip struct {
	Step string `json:"step"`
	Why  string `json:"why"`
}

// Host is what an audit finds on the host that runs unchoke.
type Host struct {
	OS        string   `json:"os"`
	Kernel    string   `json:"kernel"`
	CPUs      int      `json:"cpus"`
	CC        string   `json:"cc"`                    // the default for new sockets
	Available []string `json:"cc_available"`          // loaded or built in
	Allowed   []string `json:"cc_allowed,omitempty"`  // without CAP_NET_ADMIN
	Loadable  []string `json:"cc_loadable,omitempty"` // as modules on disk
	Qdisc     string   `json:"default_qdisc,omitempty"`

	// TCPRmem and TCPWmem are minimum, default and maximum, in bytes.
	TCPRmem [3]int64 `json:"tcp_rmem_bytes"`
	TCPWmem [3]int64 `json:"tcp_wmem_bytes"`
	RmemMax int64    `json:"rmem_max_bytes"`
	WmemMax int64    `json:"wmem_max_bytes"`

	WindowScaling bool `json:"tcp_window_scaling"`
	Timestamps    bool `json:"tcp_timestamps"`
	SACK          bool `json:"tcp_sack"`
	MTUProbing    int  `json:"tcp_mtu_probing"`
	NoMetricsSave bool `json:"tcp_no_metrics_save"`
	// Autotuning is how the receive window grows on macOS and Windows: normal,
	// disabled, or Windows' restricted, highlyrestricted and experimental. Linux
	// has TCPRmem, and says no more than that it is disabled.
	Autotuning string `json:"receive_autotuning,omitempty"`

	Container string `json:"container,omitempty"`
	Forwards  bool   `json:"forwards,omitempty"` // IPv4 or IPv6 packets of others

	// Addresses are those of its devices, with their networks' lengths, loopback
	// and link-local ones left out.
	Addresses []string `json:"addresses,omitempty"`
}

// Peer is what the far end told of itself.
type Peer struct {
	Software string `json:"software,omitempty"` // "iperf 3.12", "unchoke 0.1.0"
	System   string `json:"system,omitempty"`
	CC       string `json:"cc,omitempty"` // that its senders used

	// Access, Runs and Reached say how a far end came to serve that was asked
	// for by ssh://; empty for a server that was there.
	Access  string `json:"access,omitempty"` // ssh://user@host:port
	Runs    Runs   `json:"runs,omitempty"`
	Reached Reach  `json:"reached,omitempty"`
	// Cipher of the SSH connection where the streams run through it.
	Cipher string `json:"ssh_cipher,omitempty"`
	// Sees is the address that it saw this host's connections come from: another
	// than the route's source where they are translated on the way. Empty where it
	// does not tell.
	Sees string `json:"sees,omitempty"`
}

// Route is how this host reaches the target.
type Route struct {
	Address string  `json:"address"` // of the target, as resolved
	Source  string  `json:"source"`
	Device  string  `json:"device"`
	Gateway string  `json:"gateway,omitempty"`
	MTU     int     `json:"mtu_bytes"`
	MSS     int     `json:"mss_bytes,omitempty"`
	CC      string  `json:"cc,omitempty"` // congctl of the route
	Qdiscs  []Qdisc `json:"qdiscs"`
	Tunnel  Tunnel  `json:"tunnel"`
}

// LeavesBy says that packets leave by a device: the route's, or the one beneath its tunnel.
func (r *Route) LeavesBy(device string) bool {
	return device == r.Device || r.Tunnel.Underlay != nil && device == r.Tunnel.Underlay.Device
}

// Qdisc is a queueing discipline on the egress device.
type Qdisc struct {
	Kind   string `json:"kind"`
	Handle string `json:"handle,omitempty"`
	Parent string `json:"parent,omitempty"`
}

// QdiscUse is what a queueing discipline of this host did during a transfer,
// whatever program's packets it were. Those that did nothing are left out.
type QdiscUse struct {
	Device     string `json:"device"`
	Kind       string `json:"kind"`
	Handle     string `json:"handle,omitempty"`
	Root       bool   `json:"root"`
	Bytes      int64  `json:"sent_bytes"`
	Packets    int64  `json:"sent_packets"`
	Drops      int64  `json:"drops"`
	Overlimits int64  `json:"overlimits"`    // packets that had to wait for a shaper
	Backlog    int64  `json:"backlog_bytes"` // the most that stood there when it was looked at
}

// Echo is a series of echo probes.
type Echo struct {
	Name    string  `json:"name"`      // "idle", the transfer under which it ran, or "rest-N" between two and in turns
	Started float64 `json:"started_s"` // since the run began
	Method  string  `json:"method"`    // icmp, udp, tcp
	Sent    int     `json:"sent"`
	Probes  []Probe `json:"probes"` // in order of sending
	Error   string  `json:"error,omitempty"`
}

// Probe is one echo. RTT is 0 where no answer came.
type Probe struct {
	At  float64 `json:"at_s"` // since the series began
	RTT float64 `json:"rtt_s,omitempty"`
	// Order is the answer's place among all answers, from 1; 0 where none came.
	Order int `json:"order,omitempty"`
}

// RTTs lists the round-trip times of the probes that came back, in seconds.
func RTTs(probes []Probe) []float64 {
	var rtts []float64
	for _, p := range probes {
		if p.RTT > 0 {
			rtts = append(rtts, p.RTT)
		}
	}
	return rtts
}

// ManyStreams run side by side where a check asks what several carry.
const ManyStreams = 8

// Direction is seen from the near host.
type Direction string

const (
	Up   Direction = "up"   // near → far
	Down Direction = "down" // far → near
)

// Word is what users call a transfer in this direction: upload or download.
func (d Direction) Word() string {
	switch d {
	case Up:
		return "upload"
	case Down:
		return "download"
	}
	return string(d)
}

// Opposite is the other direction.
func (d Direction) Opposite() Direction {
	if d == Up {
		return Down
	}
	return Up
}

// Directions are both, in the order in which they are measured and shown.
var Directions = []Direction{Down, Up}

// Protocol of a transfer.
type Protocol string

const (
	TCP Protocol = "tcp"
	UDP Protocol = "udp"
)

// Transfer is one test of the path: so many streams one way.
type Transfer struct {
	Name      string    `json:"name"` // down-1, up-8, udp-down-3
	Direction Direction `json:"direction"`
	Protocol  Protocol  `json:"protocol"`
	Streams   int       `json:"streams"`
	CC        string    `json:"cc,omitempty"` // that the sender used, empty where unknown
	Started   float64   `json:"started_s"`    // since the run began
	Duration  float64   `json:"duration_s"`
	// MSS is the bound that the test set on the segments of its streams, 0 for
	// none: full-size ones had vanished.
	MSS int `json:"mss_bytes,omitempty"`

	// Rate is goodput at the receiver over the whole transfer; SteadyRate
	// leaves out the start: see probe.
	Rate       float64 `json:"rate_bps"`
	SteadyRate float64 `json:"steady_rate_bps,omitempty"`
	// Retransmits is -1 where the sender cannot tell.
	Retransmits int64 `json:"retransmits"`

	// Intervals are the receiver's or sender's goodput in equal slices.
	Intervals []Interval `json:"intervals"`
	// Series is this host's TCP_INFO of each stream.
	Series []Series `json:"series,omitempty"`
	// Packets is what the headers of the one stream's packets told; nil where they were
	// not read.
	Packets *Packets `json:"packets,omitempty"`
	UDP     *Rung    `json:"udp,omitempty"`
	// Far is what a stock server's own output said of each interval.
	Far []FarInterval `json:"far_intervals,omitempty"`
	// FarSide is the far host's own account of the same test: its sockets' series,
	// its queues, its processors, its counters. Its times begin when the test did
	// there. Nil where no unchoke ran there to give it.
	FarSide *Transfer `json:"far_side,omitempty"`
	// Cookie is iperf3's name for the test, by which the two accounts are put
	// together. It is not kept.
	Cookie string `json:"-"`

	// Counters are how far this host's TCP counters (/proc/net/netstat, TcpExt)
	// went during the transfer. They count all of the host's sockets.
	Counters map[string]int64 `json:"tcp_ext,omitempty"`

	// Egress is what this host's queueing disciplines did during the transfer.
	Egress []QdiscUse `json:"egress,omitempty"`

	// CPU is what this host's processors did, and UDPDrops what its UDP sockets
	// threw away; nil where it does not tell.
	CPU      *CPU      `json:"cpu,omitempty"`
	UDPDrops *UDPDrops `json:"udp_drops,omitempty"`

	CPUNear float64 `json:"cpu_near_ratio,omitempty"` // of one core
	CPUFar  float64 `json:"cpu_far_ratio,omitempty"`

	Error string `json:"error,omitempty"`
}

// Interval is a slice of a transfer.
type Interval struct {
	At    float64 `json:"at_s"` // its end
	Bytes int64   `json:"bytes"`
	Rate  float64 `json:"rate_bps"`
}

// Series is one stream's TCP_INFO over time, at this host's end.
type Series struct {
	Stream  int      `json:"stream"`
	Sender  bool     `json:"sender"`
	Samples []Sample `json:"samples"`
}

// Sample is one TCP_INFO. Bytes is what the application had written or read.
type Sample struct {
	At    float64      `json:"at_s"`
	Bytes int64        `json:"bytes"`
	Info  tcpinfo.Info `json:"tcp_info"`
	// Memory is nil where nobody asked for it.
	Memory *SocketMemory `json:"memory,omitempty"`
}

// FarInterval is what the far sender reported of one of its intervals.
type FarInterval struct {
	Start       float64 `json:"start_s"`
	End         float64 `json:"end_s"`
	Rate        float64 `json:"rate_bps"`
	Retransmits int64   `json:"retransmits"`
	Cwnd        int64   `json:"cwnd_bytes,omitempty"`
	RTT         float64 `json:"rtt_s,omitempty"`
}

// Rung is one rate of a UDP ladder.
type Rung struct {
	Offered   float64 `json:"offered_bps"`   // asked for
	Sent      float64 `json:"sent_bps"`      // what really left, payload
	Delivered float64 `json:"delivered_bps"` // what arrived, payload
	Payload   int     `json:"payload_bytes"` // of one datagram

	Packets   int64   `json:"packets"` // sent
	Lost      int64   `json:"lost"`
	Reordered int64   `json:"reordered"` // -1 where the far end did not tell
	Jitter    float64 `json:"jitter_s"`  // RFC 3550 §6.4.1, at the receiver

	// Delay is the one-way delay over the rung where this host received,
	// above the least of all rungs, as quantiles; absent where the far end
	// received.
	Delay *Quantiles `json:"delay_above_min,omitempty"`
	// LossRuns counts runs of consecutive losses by length: LossRuns[0] single
	// losses, and so on, the last one all that are longer.
	LossRuns []int64 `json:"loss_runs,omitempty"`
	// BeforeLoss is how many packets arrived, from the first one that was sent, before one
	// was lost. Absent where none was, or where this host did not receive them all.
	BeforeLoss int64 `json:"before_loss,omitempty"`
	// Slots are those of the packets that arrived, where this host received them and they
	// have some.
	Slots *Slots `json:"slots,omitempty"`
	// Bunched packets were lost where the sender had been held up and sent them at
	// once. They are in none of the other counts.
	Bunched int64 `json:"bunched,omitempty"`
}

// Quantiles of a duration, in seconds.
type Quantiles struct {
	P05 float64 `json:"p05_s"`
	P50 float64 `json:"p50_s"`
	P95 float64 `json:"p95_s"`
	Max float64 `json:"max_s"`
	SD  float64 `json:"sd_s"`
}
