package diagnose

import (
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// socketDrops: packets that the path had delivered are thrown away on the
// receiving host, since the buffer of the tunnel program's UDP socket is full when they
// come in bursts, and the sender takes that for a loss on the path.
//
// Only that host sees its sockets. Where it did not tell, the drops look like
// any loss.
func socketDrops(v *view) *finding.Finding {
	at, s, ok := v.overflowing()
	if !ok || !v.slow() {
		return nil
	}
	lost := max(v.losses.Real, 1)
	share := min(float64(s.Drops)/float64(lost), 1)
	if s.Drops < leastDrops || share < dropsShare {
		return nil
	}
	confidence := 0.6 + 0.35*share
	if s.Program == "" {
		confidence -= 0.15
	}
	return &finding.Finding{
		Cause: finding.SocketDrops, Confidence: confidence, Severity: 0.9 * v.shortfall(),
		Summary:  v.dropWords(at, s, lost),
		Evidence: v.dropEvidence(at, s, share),
		Remedies: v.dropRemedies(at, s),
	}
}

// leastDrops are more than a chance.
const leastDrops = 3

// overflowing is the tunnel program's socket that dropped most under the one
// stream; where it is not known whose a socket is, any that is not known to be
// somebody else's.
func (v *view) overflowing() (end, record.SocketDrops, bool) {
	at, ok := v.at(v.receiver())
	if !ok || at.one.UDPDrops == nil {
		return end{}, record.SocketDrops{}, false
	}
	for _, s := range at.one.UDPDrops.Sockets {
		if s.Role == record.TunnelProgram || s.Program == "" && at.tunnel().There() {
			return at, s, true
		}
	}
	return end{}, record.SocketDrops{}, false
}

func (v *view) dropWords(at end, s record.SocketDrops, lost int64) string {
	who := s.Program
	if who == "" {
		who = "a program that this user may not see"
	}
	room := ""
	if s.Buffer > 0 {
		room = fmt.Sprintf(", whose buffer holds %s by the kernel's count", size(float64(s.Buffer)))
	}
	return fmt.Sprintf("The UDP socket %s of %s on %s%s, threw %d packets away while the stream ran; the stream lost %d. The path had delivered them: one stream gets %s of %s.",
		s.Local, who, at.words, room, s.Drops, lost, rate(v.rate), rate(v.capacity))
}

func (v *view) dropEvidence(at end, s record.SocketDrops, share float64) []finding.Evidence {
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
		{What: "the path carries", Value: v.capacity, Unit: finding.BitRate},
		{What: "packets dropped by the socket", Value: float64(s.Drops), Unit: finding.Count},
		{What: "of the stream's losses", Value: share, Unit: finding.Ratio},
	}
	if s.Buffer > 0 {
		e = append(e, finding.Evidence{What: "its buffer, by the kernel's count", Value: float64(s.Buffer), Unit: finding.Bytes})
	}
	e = append(e,
		finding.Evidence{What: "full buffers, all of " + at.words + "'s UDP sockets", Value: float64(at.one.UDPDrops.Receive), Unit: finding.Count})
	if !v.bothKnown() {
		e = append(e, finding.Evidence{What: "dropped by the far host's sockets", Value: -1, Unit: finding.Count})
	}
	return append(e, v.retransmitEvidence()...)
}

// socketRoom is the buffer to set: four times what was too small, at least
// twice what the path holds in flight, and at least what tunnel programs that
// set one ask for (7 MiB: wireguard-go, Tailscale, NetBird).
func (v *view) socketRoom(s record.SocketDrops) int64 {
	const asked = int64(7 * unit.MiB)
	const skbPerByte = 2 // the kernel counts a packet's bookkeeping
	mib := int64(unit.MiB)
	room := max(asked, 4*s.Buffer, int64(2*skbPerByte*v.bdp()))
	return (room + mib - 1) / mib * mib
}

func (v *view) dropRemedies(at end, s record.SocketDrops) []finding.Remedy {
	room := v.socketRoom(s)
	raise := finding.Remedy{
		What:  "Let the socket hold more: " + bufferOption(s.Program, at.tunnel().Kind, room) + " It acts on new sockets: restart the program afterwards.",
		Where: finding.Receiver, Host: v.receiver(),
	}.By(finding.RaiseSocketBuffer(room))
	return []finding.Remedy{raise, {
		What:  "Where the program cannot read fast enough (a full core, a limit of its processor time), a larger buffer only delays: look at what its core does.",
		Where: finding.Receiver, Host: v.receiver(),
	}}
}

// bufferOption says how a program's own buffer is set. rmem_max bounds what a
// program may ask for, rmem_default is what one has that does not ask.
func bufferOption(program, kind string, room int64) string {
	switch {
	case program == "openvpn" || kind == "openvpn":
		return fmt.Sprintf("OpenVPN's own option is `rcvbuf %d` (and sndbuf), up to net.core.rmem_max.", room)
	case program == "tailscaled" || program == "wireguard-go" || program == "netbird":
		return program + " asks for 7 MiB by itself and gets no more than net.core.rmem_max, unless it runs with CAP_NET_ADMIN."
	}
	return "a program that sets its own buffer (SO_RCVBUF) gets at most net.core.rmem_max, one that does not has net.core.rmem_default."
}

// withUnseen lowers the confidence of a finding that rests on losses where the
// receiving far host's tunnel program might drop them in its socket, and that
// host did not tell.
func (v *view) withUnseen(f finding.Finding) finding.Finding {
	byLoss := f.Cause == finding.LossLimited || f.Cause == finding.ShallowBuffer
	if at, ok := v.at(v.receiver()); at.host == "near" || !byLoss || !inProgram(v.run.Route.Tunnel) || ok && at.one.UDPDrops != nil {
		return f
	}
	f.Confidence = min(f.Confidence, unseenMost)
	f.Evidence = append(slices.Clone(f.Evidence), finding.Evidence{What: "of the losses, in the far tunnel program's socket", Value: -1, Unit: finding.Count})
	f.Remedies = append(slices.Clone(f.Remedies), finding.Remedy{
		What:  "Only the far host sees what the socket of its tunnel program drops: check from there, or look at RcvbufErrors in its /proc/net/snmp before and after.",
		Where: finding.Receiver, Host: v.receiver(),
	})
	return f
}

// unseenMost is the confidence where a further cause cannot be ruled out.
const unseenMost = 0.85

// inProgram says that a program carries the tunnel's packets. Any TUN device is
// one's.
func inProgram(t record.Tunnel) bool { return t.Carrier == record.Userspace || t.Kind == "tun" }
