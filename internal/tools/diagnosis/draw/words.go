package draw

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"unchoke/internal/finding"
)

// Word is how the truth about an impairment is said in the design's vocabulary
// once a stream was seen to gain without it. Any of the causes is right, the
// first is the one that the tables show.
type Word struct {
	Causes []finding.Cause
	Reason string
}

// WordTable is Words as markdown, by name.
func WordTable() string {
	var b strings.Builder
	b.WriteString("| taken away, or seen | cause | because |\n|---|---|---|\n")
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
		"the same in bursts; where a burst takes a whole window the sender also stands still in its timeout",
	},
	"outage": {
		[]finding.Cause{finding.LossLimited},
		"everything is lost for a while, the sender backs off and its timers wait longer than the outage",
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
		"the stream carries nearly the policer's rate: healthy, as it carries what the path can, and policed, as the bucket is what ends it",
	},
	"deep-queue": {
		[]finding.Cause{finding.Bufferbloat},
		"a stream seldom gains without a deep queue, which is found by its definition (standing-queue); where it does, the queue is the reason",
	},
	"shallow-queue": {
		[]finding.Cause{finding.ShallowBuffer},
		"a queue that suits the path gives the stream more at the same rate",
	},
	"aqm": {
		[]finding.Cause{finding.ShallowBuffer},
		"an AQM that costs a stream a third drops at a standing queue far below the bandwidth-delay product: it is too short a queue",
	},
	"sqm": {
		[]finding.Cause{finding.ShallowBuffer},
		"the same on the sender's own card; its rate alone is the path's ceiling and no cause",
	},
	"bunching": {
		[]finding.Cause{finding.ShallowBuffer},
		"a delay that varies makes packets arrive together, and a deeper queue, which takes such bursts, gives the stream more",
	},
	"early-exit": {
		[]finding.Cause{finding.SlowStart},
		"with HyStart off the stream gains: it had left slow start long before the path was full",
	},
	"overtaking": {
		[]finding.Cause{finding.Reordering},
		"with the same delays but the order kept the stream gains",
	},
	"varying-delay": {
		[]finding.Cause{finding.SlowStart, finding.ShallowBuffer},
		"the stream gains without the jitter, though neither the order nor HyStart nor a deeper queue alone helps",
	},
	"handover": {
		[]finding.Cause{finding.LossLimited, finding.SlowStart, finding.ShallowBuffer},
		"the stream gains without the schedule, and no part of it alone explains that",
	},
	"rate-steps": {
		[]finding.Cause{finding.ShallowBuffer, finding.SlowStart, finding.LossLimited},
		"a steady line of the same mean rate gives the stream more: it overflows the queue at every step down and grows too slowly after every step up; no word of the vocabulary is exactly this",
	},
	"cross": {
		[]finding.Cause{finding.Congested},
		"the stream gets its share of what others leave",
	},
	"cross-return": {
		[]finding.Cause{finding.Congested, finding.AckLimited},
		"others fill the way back, and its acknowledgements queue and die there",
	},
	"thin-return": {
		[]finding.Cause{finding.AckLimited},
		"a wider way back gives the stream that way there more",
	},
	"send-buffer": {
		[]finding.Cause{finding.SendBuffer},
		"the kernel's own buffer sizes, or larger ones, give the stream more",
	},
	"receive-buffer": {
		[]finding.Cause{finding.ReceiveWindow},
		"the same on the receiving host",
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
