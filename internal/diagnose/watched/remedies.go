package watched

import (
	"fmt"
	"math"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/wire"
)

// Remedies are what to do about a judged flow, the best first, in the terms of a
// check's findings.
func Remedies(f *live.Flow) []finding.Remedy {
	v := viewOf(f)
	near, far := "near", "far"
	if !v.sends {
		near, far = far, near
	}
	switch f.Verdict {
	case finding.LossLimited:
		if !v.answersLoss() || v.lost > BBRCliff || v.inChaos() {
			return []finding.Remedy{finding.FindLoss()}
		}
		return append(v.switchNow(),
			finding.Remedy{What: "For new connections: BBR goes by the delivery rate and the RTT, not by single losses.", Where: finding.Sender, Host: near}.By(finding.UseCC("bbr")),
			finding.FindLoss(),
		)
	case finding.Reordering:
		return []finding.Remedy{
			finding.StopReordering(),
			finding.Remedy{What: "Let TCP wait for stragglers longer before it calls them lost. Compare congestion controls before choosing one: near the cliff either may win.", Where: finding.Sender, Host: near}.By(finding.TolerateReordering()),
		}
	case finding.Policed:
		return []finding.Remedy{
			finding.Remedy{What: fmt.Sprintf("Send just below the rate that passes, %s: a paced sender loses nothing there.", rate(v.passes())), Where: finding.Sender, Host: near}.By(finding.PaceBelow(v.passes())),
		}
	case finding.Bufferbloat:
		out := []finding.Remedy{finding.SmartQueue(v.passes() * wire.PerGoodput)}
		if v.answersLoss() {
			out = append(out, finding.EmptyQueue(near))
		}
		return out
	case finding.SendBuffer:
		return []finding.Remedy{finding.Remedy{
			What:  "Let the send buffer grow. Autotuning is bounded by tcp_wmem's third value; a program that sets SO_SNDBUF itself has to set more, or leave it.",
			Where: finding.Sender, Host: near,
		}.By(finding.RaiseSendBuffer(v.bufferFor(f.SendBuffer)))}
	case finding.ReceiveWindow:
		return v.windowRemedies(far)
	case finding.AppLimited:
		return []finding.Remedy{{
			What:  "Look at the sending program: a rate limit of its own, a slow disk, a full processor core, a player that asks for more only now and then. No network setting makes it send faster.",
			Where: finding.Sender, Host: near,
		}}
	case finding.MTUBlackhole:
		if v.hole() {
			near = far // it is what the peer sends that vanishes
		}
		return []finding.Remedy{finding.Remedy{What: "Let TCP find a segment size that passes.", Where: finding.Sender, Host: near}.By(finding.ProbeMTU())}
	case finding.ShallowBuffer:
		longer := finding.Remedy{What: "Where the queue's length can be set, let it hold what the path carries in one round trip.", Where: finding.Network}
		if v.answersLoss() {
			return append(v.switchNow(), longer)
		}
		return []finding.Remedy{longer}
	case finding.NoSACK:
		return repairs(near)
	case finding.Congested:
		return []finding.Remedy{{What: "Find out who shares the bottleneck. A queue that serves streams in turn (fq_codel, cake) on the router that feeds it gives each its share.", Where: finding.Network}}
	case finding.SlowStart:
		return []finding.Remedy{{
			What: "Look again when it has run for longer: it is still speeding up.", Where: finding.Sender, Host: near,
			Command: fmt.Sprintf("unchoke check --flow '%s' --for 30s", v.Only()),
		}}
	}
	return nil
}

// switchNow changes the congestion control of this connection while it runs, where
// this host sends.
func (v *view) switchNow() []finding.Remedy {
	if !v.sends {
		return nil
	}
	return []finding.Remedy{{
		What:  "On this connection, while it runs: BBR does not take a loss for congestion. It can be taken back, and ends with the connection.",
		Where: finding.Sender, Host: "near",
		Command: fmt.Sprintf("unchoke tune live '%s' --cc bbr", v.Only()),
	}}
}

// windowRemedies: of a receiver that reads slowly no buffer helps.
func (v *view) windowRemedies(receiver string) []finding.Remedy {
	program := finding.Remedy{
		What:  "Look at the program that reads: what it does not take away, the sender may not send.",
		Where: finding.Receiver, Host: receiver,
	}
	if !v.sends || v.SendWindow == 0 {
		return []finding.Remedy{program}
	}
	return []finding.Remedy{program, finding.Remedy{
		What:  fmt.Sprintf("Where it reads fast enough, let its receive buffer grow: the window of %s is what one round trip carries.", size(float64(v.SendWindow))),
		Where: finding.Receiver, Host: receiver,
	}.By(finding.RaiseReceiveBuffer(v.bufferFor(2 * v.SendWindow)))}
}

// bufferFor is that of a path of which half of what there is was under way, and at least
// Linux's own bound doubled: what the path carries is not known.
func (v *view) bufferFor(now uint32) int64 {
	return max(finding.BufferFor(int64(now/2)), 2*finding.DefaultSendMost)
}

// passes is the rate that comes through, for a shaper: the steadier of what was
// carried.
func (v *view) passes() float64 { return math.Max(v.rate, 8*float64(v.mss())) }
