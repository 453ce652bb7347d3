package watched

import (
	"fmt"
	"net/netip"
	"strings"

	"unchoke/internal/congestion"
	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/theory"
)

// guidance is what would do better here and how sure that is, and the command
// that tells or does more. Both are empty where there is nothing to do.
func (v *view) guidance(cause finding.Cause) (advice, next string) {
	check := fmt.Sprintf("unchoke check --flow '%s'", v.Only())
	bbr := fmt.Sprintf("unchoke tune live '%s' --cc bbr", v.Only())
	if advice, next = v.atSender(cause); advice != "" {
		return advice, next
	}
	switch cause {
	case live.Watching:
		if !v.sends {
			return "the far host knows more: run unchoke watch there" + servedThere, "unchoke check " + host(v.Remote)
		}
		return "", ""
	case finding.Healthy:
		return "leave it: the stream carries what its path gives it", ""
	case finding.AppLimited:
		return "leave it: limited by the program; no network setting makes it faster", ""
	case finding.ReceiveWindow:
		if !v.sends {
			return "look at the program that reads: no network setting makes it faster", ""
		}
		return "leave the algorithm: the receiver limits, by its program or its buffer", check
	case finding.SendBuffer:
		return "leave the algorithm: raise the send buffer (tcp_wmem, or the program's SO_SNDBUF)", "unchoke tune plan"
	case finding.MTUBlackhole:
		sender := "this host"
		if v.hole() {
			sender = "the peer"
		}
		return "no algorithm helps: full-size packets vanish; tcp_mtu_probing=1 lets " + sender + " send smaller ones", check
	case finding.LossLimited:
		return v.againstLoss(check, bbr)
	case finding.Reordering:
		return v.againstJitter() + servedThere, "unchoke ab " + host(v.Remote) + " --arm cc=" + v.algorithmOr("cubic") + " --arm cc=bbr"
	case finding.Bufferbloat:
		if v.answersLoss() {
			return "bbr keeps the queue short; the stream itself gets little more", check
		}
		return "leave the algorithm: the queue is other traffic's, or several streams'", check
	case finding.Congested:
		return "no algorithm: others have the rest of the path", check
	case finding.Policed:
		return "send just below the rate that passes: a paced sender loses nothing there", check
	case finding.NoSACK:
		return repairAdvice, check
	case finding.ShallowBuffer, finding.SlowStart:
		return "measure before changing: the stream's own figures do not tell what the path carries", check
	}
	if v.inChaos() {
		return v.againstJitter(), check
	}
	return "measure: the stream's own figures do not tell what the path carries", check
}

// servedThere says what the next command needs on the remote host of a flow, which
// mostly runs another server.
const servedThere = "; next needs iperf3 -s or unchoke serve there"

// againstLoss says what BBR would gain, by theory: of a path that loses the share
// p at random it carries (1-p) of the rate, and CUBIC what its response to p
// leaves. What the path carries is not known from a live flow; the best that it
// was seen to deliver is, and so is the least gain.
func (v *view) againstLoss(check, bbr string) (advice, next string) {
	if !v.answersLoss() {
		return "leave the algorithm: " + v.CC + " does not take a loss for congestion; fix the loss", check
	}
	if v.inChaos() {
		return v.againstJitter(), check
	}
	seen := max(v.PeakRate, v.PeakDelivery)
	gain := theory.BBRRate(seen, v.lost) / max(v.rate, 1)
	switch {
	case v.lost > BBRCliff:
		return "fix the loss: at so much no algorithm does well", check
	case gain >= clearGain:
		return fmt.Sprintf("bbr: ×%s or more expected at this loss and RTT (by theory: it carries what the path was seen to deliver, %s, less the loss)", times(gain), rate(seen)), bbr
	}
	return fmt.Sprintf("bbr: more expected at this loss and RTT; how much only a measurement tells, for what the path carries beyond %s is not known", rate(seen)), check
}

// clearGain: less is within what a live flow's rate swings by itself.
const clearGain = 1.5

func times(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

// againstJitter says which algorithm does better where packets overtake each
// other. On the lab's jitter-cliff paths BBR carries more than CUBIC from a
// quarter of the RTT on, and less between 16 and 24 %.
func (v *view) againstJitter() string {
	switch r := v.jitterRatio(); {
	case congestion.BBR(v.CC) && r >= bandEnd:
		return "leave it: past the jitter cliff bbr loses less than cubic; fix the reordering"
	case r >= bandEnd:
		return fmt.Sprintf("bbr: more expected past the jitter cliff (jitter is %s of the RTT); fix the reordering", percent(r))
	case r >= bandBegin:
		return fmt.Sprintf("measure both: with jitter of %s of the RTT bbr may lose", percent(r))
	}
	return "measure both: packets overtake each other, and near the cliff either may win"
}

// The band in which either may win: at 50 and 100 ms of the preset jitter-cliff
// BBR carries 0.3 to 0.9 times what CUBIC does at 16 %, and 1.5 to 3 times at 24 %
// (docs/jitter-cliff.md).
const (
	bandBegin = 0.16
	bandEnd   = 0.24
)

func (v *view) algorithmOr(otherwise string) string {
	if v.CC == "" || congestion.BBR(v.CC) {
		return otherwise
	}
	return v.CC
}

func host(a netip.AddrPort) string { return a.Addr().Unmap().String() }
