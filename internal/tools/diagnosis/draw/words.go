package draw

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"unchoke/internal/finding"
)

// Word maps an impairment, once a stream was seen to gain without it, to the
// causes that name it. Any of them is right; the tables show the first.
type Word struct {
	Causes []finding.Cause
	Reason string
}

// WordTable is Words as markdown, by name.
func WordTable() string {
	var b strings.Builder
	b.WriteString("| impairment | cause | because |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(Words)) {
		causes := make([]string, len(Words[name].Causes))
		for i, c := range Words[name].Causes {
			causes[i] = "`" + string(c) + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, strings.Join(causes, " or "), Words[name].Reason)
	}
	return b.String()
}

// Words has every impairment and every part of one.
var Words = map[string]Word{
	"random-loss": {
		[]finding.Cause{finding.LossLimited},
		"the sender takes loss that has nothing to do with its rate for congestion",
	},
	"burst-loss": {
		[]finding.Cause{finding.LossLimited},
		"the sender takes bursts of loss that have nothing to do with its rate for congestion; if a burst takes a whole window, the sender also waits for its timeout",
	},
	"outage": {
		[]finding.Cause{finding.LossLimited},
		"everything is lost for a while, the sender backs off, and its timers wait longer than the outage",
	},
	"impulse-noise": {
		[]finding.Cause{finding.LossLimited},
		"everything on the line is lost for some milliseconds at a time, and the sender backs off each time",
	},
	"handover-loss": {
		[]finding.Cause{finding.LossLimited},
		"packets lost during a handover, not by a full queue",
	},
	"policer": {
		[]finding.Cause{finding.Policed},
		"a queue that enforces the same rate gives the stream more",
	},
	"policer-ceiling": {
		[]finding.Cause{finding.Policed, finding.Healthy},
		"the stream carries nearly the policer's rate: healthy, since it carries what the path can, and policed, since the policer limits it",
	},
	"deep-queue": {
		[]finding.Cause{finding.Bufferbloat},
		"a stream seldom gains without a deep queue, so its definition usually decides (standing-queue); if a stream does gain, the queue is the reason",
	},
	"shallow-queue": {
		[]finding.Cause{finding.ShallowBuffer},
		"a queue that suits the path gives the stream more at the same rate",
	},
	"aqm": {
		[]finding.Cause{finding.ShallowBuffer},
		"an AQM that costs a stream a third drops at a standing queue far below the bandwidth-delay product: the queue is too short",
	},
	"sqm": {
		[]finding.Cause{finding.ShallowBuffer},
		"a queue that suits the path, on the sender's own card, gives the stream more; the shaper's rate alone is the path's ceiling, not a cause",
	},
	"bunching": {
		[]finding.Cause{finding.ShallowBuffer},
		"varying delay makes packets arrive in bursts, and a deeper queue, which absorbs them, gives the stream more",
	},
	"early-exit": {
		[]finding.Cause{finding.SlowStart},
		"without HyStart the stream gains: it had left slow start long before the path was full",
	},
	"overtaking": {
		[]finding.Cause{finding.Reordering},
		"the stream gains if the delays stay and the packets keep their order",
	},
	"overtaking with bunching": {
		[]finding.Cause{finding.Reordering, finding.ShallowBuffer},
		"neither order that is kept nor a deeper queue alone gives the stream more, both together do: each hides the other",
	},
	"overtaking with early-exit": {
		[]finding.Cause{finding.Reordering, finding.SlowStart},
		"neither order that is kept nor a slow start without HyStart alone gives the stream more, both together do: each hides the other",
	},
	"varying-delay": {
		[]finding.Cause{finding.SlowStart, finding.ShallowBuffer},
		"the stream gains without the jitter, but not from keeping the order, disabling HyStart or deepening the queue, nor from the first beside one of the others",
	},
	"handover": {
		[]finding.Cause{finding.LossLimited, finding.SlowStart, finding.ShallowBuffer},
		"the stream gains without the schedule, and no part of it alone explains that",
	},
	"rate-steps": {
		[]finding.Cause{finding.ShallowBuffer, finding.SlowStart, finding.LossLimited},
		"a steady link of the same mean rate gives the stream more: it overflows the queue at every step down and grows too slowly after every step up; no cause describes exactly this",
	},
	"cross": {
		[]finding.Cause{finding.Congested},
		"the stream gets only what other traffic leaves it",
	},
	"cross-return": {
		[]finding.Cause{finding.Congested, finding.AckLimited},
		"other traffic fills the return path, where acknowledgements are queued and lost",
	},
	"thin-return": {
		[]finding.Cause{finding.AckLimited},
		"a faster return path gives the stream more",
	},
	"send-buffer": {
		[]finding.Cause{finding.SendBuffer},
		"the kernel's default buffer sizes, or larger ones, give the stream more",
	},
	"receive-buffer": {
		[]finding.Cause{finding.ReceiveWindow},
		"the kernel's default buffer sizes, or larger ones, on the receiving host give the stream more",
	},
	"no-window-scaling": {
		[]finding.Cause{finding.ReceiveWindow},
		"with window scaling, which one of the hosts has switched off, the receiver can announce more than 64 KiB and the stream gains",
	},
	"no-sack": {
		[]finding.Cause{finding.NoSACK},
		"with selective acknowledgements, which one of the hosts has switched off, the stream gains",
	},
	"fixed-window": {
		[]finding.Cause{finding.ReceiveWindow},
		"where the receiving host adapts its buffer to the path, as kernels do by default, the stream gains",
	},
	"mtu-hole": {
		[]finding.Cause{finding.MTUBlackhole},
		"a path on which packets of its size pass gives the stream more",
	},
	"udp-throttle": {
		[]finding.Cause{finding.UDPThrottled},
		"the stream, which goes through a tunnel over UDP, gets more where UDP is treated as TCP is",
	},
	"standing-queue": {
		[]finding.Cause{finding.Bufferbloat},
		"by its definition, not by a gain: under one stream's load an echo takes more than twice as long as on the idle path and 100 ms longer",
	},
	"growth": {
		[]finding.Cause{finding.SlowStart},
		"a stream of a few seconds ends long before it has filled the path, though a long one fills it",
	},
}
