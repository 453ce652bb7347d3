package finding

import (
	"slices"
	"strings"
)

// Entry is what is known about a cause before any path is measured.
type Entry struct {
	Cause Cause
	// Title says the cause in plain words, for someone who hosts a video
	// library.
	Title string
	// Host is the end that the cause belongs to: only there a setting helps.
	// Network means neither.
	Host Where
	// Arms are the arms of the comparison that proves the cause, the baseline
	// first, in the syntax of `unchoke ab --arm`; none where no comparison
	// does. PresentCC stands for the algorithm that the sender used.
	Arms []string
	// Plan is the kind of change that `unchoke tune plan` makes on the cause's
	// host; empty where it makes none.
	Plan Kind
	// Near is why the plan changes something where the cause's host is this one,
	// PresentCC standing for the sender's algorithm; Far is what is wrong on the
	// cause's host where that is the far one, which this host cannot change.
	Near, Far string
}

// PresentCC in an arm stands for the algorithm that the sender used.
const PresentCC = "{cc}"

var (
	againstBBR     = []string{"cc=" + PresentCC, "cc=bbr"}
	againstStreams = []string{"streams=1", "streams=8"} // each stream has buffers of its own
)

// table has one entry a cause.
var table = []Entry{
	{Cause: Healthy, Title: "one stream gets what the path can carry", Host: Network},
	{
		Cause: LossLimited, Title: "random packet loss, mistaken for congestion",
		Host: Sender, Arms: againstBBR, Plan: KindCC,
		Near: "the path loses packets at random and " + PresentCC + " takes each loss for congestion",
		Far:  "its congestion control is what takes a missing packet for congestion",
	},
	{
		Cause: Reordering, Title: "packets overtake each other, mistaken for loss",
		Host: Sender, Arms: againstBBR, Plan: KindCC,
		Near: "packets overtake each other and " + PresentCC + " takes that for loss",
		Far:  "its congestion control is what takes an overtaken packet for a lost one",
	},
	{
		Cause: Policed, Title: "a rate limit that drops packets (policer)",
		Host: Sender, Arms: againstBBR, Plan: KindPace,
		Far: "it would have to send just below the limit",
	},
	{
		Cause: Bufferbloat, Title: "an oversized queue: everything waits behind a busy stream",
		// BBR first: it is what the queue of the other is held against.
		Host: Sender, Arms: []string{"cc=bbr", "cc=" + PresentCC}, Plan: KindCC,
		Near: PresentCC + " fills an oversized queue, BBR leaves it nearly empty",
		Far:  "its congestion control is what fills the queue",
	},
	{Cause: Congested, Title: "other traffic fills the path", Host: Network},
	{
		Cause: ShallowBuffer, Title: "a queue too short for this distance: it overflows before the path is full",
		Host: Sender, Arms: againstBBR, Plan: KindCC,
		Near: "a short queue overflows and " + PresentCC + " takes that for a full path",
		Far:  "its congestion control is what takes an overflow of the short queue for a full path",
	},
	{Cause: AckLimited, Title: "the way back is too slow for the acknowledgements", Host: Network},
	{Cause: SlowStart, Title: "the stream ends, or stops speeding up, long before the path is full", Host: Sender, Arms: againstBBR},
	{
		Cause: SendBuffer, Title: "the sender's buffer is too small for this distance",
		Host: Sender, Arms: againstStreams, Plan: KindSendBuffer,
		Far: "its tcp_wmem is too small for this distance",
	},
	{
		Cause: ReceiveWindow, Title: "the receiver's buffer is too small for this distance",
		Host: Receiver, Arms: againstStreams, Plan: KindReceiveBuffer,
		Far: "its tcp_rmem is too small for this distance",
	},
	{Cause: AppLimited, Title: "the sending program does not send faster", Host: Sender},
	{Cause: Relayed, Title: "the tunnel takes a detour through a relay", Host: Network},
	// It is found on the host that measures, whether that sends or receives.
	{Cause: CPUBound, Title: "the processor is full of packets, or kept from them by a limit", Host: Network},
	{
		Cause: SocketDrops, Title: "the tunnel program drops packets in its own socket",
		Host: Receiver, Plan: KindSocketBuffer,
		Near: "the tunnel program's UDP socket overflows when packets come in bursts",
		Far:  "its tunnel program's UDP socket overflows when packets come in bursts",
	},
	{
		Cause: MTUBlackhole, Title: "full-size packets vanish",
		Host: Sender, Plan: KindMTUProbing,
		Far: "its full-size packets vanish on their way here",
	},
	{Cause: UDPThrottled, Title: "the network treats UDP, and with it the tunnel, worse than TCP", Host: Network},
	// The host that has them off may be either one, whichever sends.
	{Cause: NoSACK, Title: "selective acknowledgements are off: every lost packet costs a round trip", Host: Network, Plan: KindSACK},
	{Cause: Unclear, Title: "one stream is slow, and this run does not say why", Host: Network},
}

// Proof returns the arms of the comparison that proves the cause, where the
// sender used the algorithm cc ("" where unknown: cubic, Linux's default); nil
// where no comparison does, or where the arms would be equal.
func (e Entry) Proof(cc string) []string {
	if cc == "" {
		cc = "cubic"
	}
	var arms []string
	for _, arm := range e.Arms {
		arm = strings.ReplaceAll(arm, PresentCC, cc)
		if slices.Contains(arms, arm) {
			return nil
		}
		arms = append(arms, arm)
	}
	return arms
}

// Reason is why the plan changes something on this host, where it is the sender
// with the algorithm cc ("" where unknown).
func (e Entry) Reason(cc string) string {
	if cc == "" {
		cc = "the present algorithm"
	}
	return strings.ReplaceAll(e.Near, PresentCC, cc)
}

// Of returns a cause's entry. A cause that the table lacks (of a record that a
// later version wrote) has an entry with its word alone.
func Of(c Cause) Entry {
	for _, e := range table {
		if e.Cause == c {
			return e
		}
	}
	return Entry{Cause: c, Title: string(c), Host: Network}
}

// Causes lists the vocabulary in the order of the table.
func Causes() []Cause {
	out := make([]Cause, len(table))
	for i, e := range table {
		out[i] = e.Cause
	}
	return out
}
