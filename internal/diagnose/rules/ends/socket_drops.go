package ends

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// SocketDrops: packets that the path had delivered are thrown away on the
// receiving host, since the buffer of the tunnel program's UDP socket is full when they
// come in bursts, and the sender takes that for a loss on the path.
//
// Only that host sees its sockets. Where it did not tell, the drops look like
// any loss. Where the stream is all that was measured, nobody knows whether it is slow,
// and what it lost counts.
func SocketDrops(v *view.View) *finding.Finding {
	at, s, ok := hosts.Overflowing(v)
	if !ok || v.Losses.Resent == 0 || !v.Slow() && (!v.Alone() || v.Losses.Real == 0) {
		return nil
	}
	lost, share := max(v.Losses.Real, 1), dropsShare
	if v.Losses.Resent > 0 {
		share = min(float64(s.Drops)/float64(lost), 1)
	}
	if s.Drops < leastDrops || share < dropsShare {
		return nil
	}
	confidence := 0.6 + 0.35*share
	if s.Program == "" {
		confidence -= 0.15
	}
	return &finding.Finding{
		Cause: finding.SocketDrops, Confidence: confidence, Severity: 0.9 * v.Shortfall(),
		Summary:  dropWords(v, at, s, lost),
		Evidence: dropEvidence(v, at, s, share),
		Remedies: dropRemedies(v, at, s),
	}
}

// leastDrops are more than a chance.
const leastDrops = 3

func dropWords(v *view.View, at view.End, s record.SocketDrops, lost int64) string {
	who := s.Program
	if who == "" {
		who = "a program that this user may not see"
	}
	room := ""
	if s.Buffer > 0 {
		room = fmt.Sprintf(", whose buffer holds %s by the kernel's count", words.Size(float64(s.Buffer)))
	}
	stream := fmt.Sprintf("the stream lost %d", lost)
	if v.Losses.Resent < 0 {
		stream = "how many the stream lost its sender does not tell"
	}
	return fmt.Sprintf("The UDP socket %s of %s on %s%s, threw %d packets away while the stream ran; %s. The path had delivered them: one stream gets %s of %s.",
		s.Local, who, at.Words, room, s.Drops, stream, words.Rate(v.Rate), words.Rate(v.Capacity))
}

func dropEvidence(v *view.View, at view.End, s record.SocketDrops, share float64) []finding.Evidence {
	e := slices.Concat(words.RateEvidence(v), []finding.Evidence{
		{What: "packets dropped by the socket", Value: float64(s.Drops), Unit: finding.Count},
		{What: "of the stream's losses", Value: share, Unit: finding.Ratio},
	})
	if s.Buffer > 0 {
		e = append(e, finding.Evidence{What: "its buffer, by the kernel's count", Value: float64(s.Buffer), Unit: finding.Bytes})
	}
	e = append(e,
		finding.Evidence{What: "full buffers, all of " + at.Words + "'s UDP sockets", Value: float64(at.One.UDPDrops.Receive), Unit: finding.Count})
	if !v.BothKnown() {
		e = append(e, finding.Evidence{What: "dropped by the far host's sockets", Value: -1, Unit: finding.Count})
	}
	return append(e, words.RetransmitEvidence(v)...)
}

// asked is what tunnel programs that set a buffer ask for (wireguard-go, Tailscale, NetBird),
// in bytes. The kernel counts it twice.
const asked = int64(7 * unit.MiB)

// socketRoom is the buffer to set: four times what was too small, at least
// twice what the path holds in flight, and at least what such programs ask for.
func socketRoom(v *view.View, s record.SocketDrops) int64 {
	const skbPerByte = 2 // the kernel counts a packet's bookkeeping
	mib := int64(unit.MiB)
	room := max(asked, 4*s.Buffer, int64(2*skbPerByte*v.BDP()))
	return (room + mib - 1) / mib * mib
}

func dropRemedies(v *view.View, at view.End, s record.SocketDrops) []finding.Remedy {
	room, allows, kind := socketRoom(v, s), at.Facts.RmemMax, at.Tunnel().Kind
	raise := finding.Remedy{
		What:  "Let the socket hold more: " + bufferOption(s.Program, kind, room) + " It acts on new sockets: restart the program afterwards.",
		Where: finding.Receiver, Host: v.Receiver(),
	}
	switch {
	case asks(s.Program) && (allows >= asked || s.Buffer >= 2*asked):
		raise.What = s.Program + " asks for 7 MiB by itself, and gets as much: no setting gives it more. If its buffer is smaller, restart it."
	case isOpenVPN(s.Program, kind) && allows >= room: // its option is all it takes
	default:
		raise = raise.By(finding.RaiseSocketBuffer(room))
		if allows >= room { // which stays: the default may be too small
			raise.Command = fmt.Sprintf("sysctl -w net.core.rmem_default=%d", room)
		}
	}
	return []finding.Remedy{raise, {
		What:  "Where the program cannot read fast enough (a full core, a limit of its processor time), a larger buffer only delays: look at what its core does.",
		Where: finding.Receiver, Host: v.Receiver(),
	}}
}

// asks says that a program asks for a buffer by itself.
func asks(program string) bool {
	return program == "tailscaled" || program == "wireguard-go" || program == "netbird"
}

func isOpenVPN(program, kind string) bool { return program == "openvpn" || kind == "openvpn" }

// bufferOption says how a program's own buffer is set. rmem_max bounds what a
// program may ask for, rmem_default is what one has that does not ask.
func bufferOption(program, kind string, room int64) string {
	switch {
	case isOpenVPN(program, kind):
		return fmt.Sprintf("OpenVPN's own option is `rcvbuf %d` (and sndbuf), up to net.core.rmem_max.", room)
	case asks(program):
		return program + " asks for 7 MiB by itself and gets no more than net.core.rmem_max, unless it runs with CAP_NET_ADMIN."
	}
	return "a program that sets its own buffer (SO_RCVBUF) gets at most net.core.rmem_max, one that does not has net.core.rmem_default."
}
