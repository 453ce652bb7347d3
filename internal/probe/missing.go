package probe

import (
	"time"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// countMissing counts the runs of losses, and takes out of all counts what was lost in a
// bunch.
func countMissing(u *record.Rung, trace []iperf3.Packet) {
	runs, known := missingOf(trace)
	if !known {
		return
	}
	u.LossRuns = make([]int64, longestRun)
	for _, m := range runs {
		if u.Lost >= m.lost && m.bunched() {
			u.Bunched += m.lost
			u.Packets, u.Lost = u.Packets-m.lost, u.Lost-m.lost
			continue
		}
		u.LossRuns[min(m.lost, longestRun)-1]++
	}
}

// missing is a run of packets that did not arrive, between two that did.
type missing struct {
	lost int64
	due  time.Duration // from the one to the other, at the sender's rate
	took time.Duration // the sender to send them
}

// missingOf lists what a trace lacks, in order of its sequence numbers. It is not known
// where the trace does not cover the sequence.
func missingOf(trace []iperf3.Packet) (runs []missing, known bool) {
	first, last := trace[0], trace[0]
	sent := make(map[uint64]time.Duration, len(trace))
	for _, p := range trace {
		sent[p.Seq] = p.Sent
		if p.Seq > last.Seq {
			last = p
		}
	}
	if last.Seq > 2*maxTrace {
		return nil, false
	}
	interval := (last.Sent - first.Sent) / time.Duration(max(last.Seq-first.Seq, 1))
	before := first.Seq // that arrived
	for seq := first.Seq + 1; seq <= last.Seq; seq++ {
		at, arrived := sent[seq]
		if !arrived {
			continue
		}
		if lost := seq - before - 1; lost > 0 {
			runs = append(runs, missing{int64(lost), interval * time.Duration(seq-before), at - sent[before]})
		}
		before = seq
	}
	return runs, true
}

// beforeLoss counts what arrived of a stream in order, from the first packet sent, before
// one was lost: 0 where none was, or where the first ones came before the test had begun
// here and may not all have had room.
func beforeLoss(trace []iperf3.Packet) int64 {
	for i, p := range trace {
		switch {
		case p.Seq == uint64(i+1):
		case i == 0 || trace[i-1].Arrived < 0:
			return 0
		default:
			return int64(i)
		}
	}
	return 0
}

// bunched says that the packets left at once: their sender had been held up,
// and made up for it. A queue that drops most of such a bunch may hold what comes evenly.
func (m missing) bunched() bool { return m.due-m.took > heldUp && m.took < m.due/2 }

// heldUp is more than the distance at which senders are woken to send what is due: a
// millisecond (iperf3's pacing timer).
const heldUp = 2 * time.Millisecond

// longestRun is the length from which runs of losses are counted together.
const longestRun = 16
