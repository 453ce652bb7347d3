package ends

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// NextReceiveWindow and NextSendBuffer look for a buffer that limits the stream next: what
// was found hides it, since the stream never has enough under way to fill it, and with
// that alone fixed little is gained.
func NextReceiveWindow(v *view.View, found []finding.Finding) *finding.Finding {
	return nextWindow(v, found, finding.ReceiveWindow)
}

// NextSendBuffer is described at NextReceiveWindow.
func NextSendBuffer(v *view.View, found []finding.Finding) *finding.Finding {
	return nextWindow(v, found, finding.SendBuffer)
}

func nextWindow(v *view.View, found []finding.Finding, cause finding.Cause) *finding.Finding {
	limit, known := v.BufferRate(cause)
	announced := !known && cause == finding.ReceiveWindow
	if announced {
		limit, known = v.AnnouncedRate()
	}
	path := v.Capacity
	if finding.Named(found, finding.UDPThrottled) {
		path = v.WithoutTunnel()
	}
	if !known || v.Alone() || limit >= path/view.GainMatters || limit < v.Rate/view.GainMatters {
		return nil // a stream that has more than that is held by no such buffer
	}
	hides := func(f finding.Finding) bool { return slices.Contains(hidesWindow, f.Cause) }
	if !slices.ContainsFunc(found, hides) || finding.Named(found, cause) {
		return nil
	}
	if p, tried := v.Run.Alone(v.Dir, string(cause)); !announced && tried && p.Gain < view.GainMatters && copiesAgree(v, found) {
		return nil // copies of the path, whose hosts told their buffers, gained nothing without it
	}
	f := OfWindow(v, cause, nextWindowSure, NextSeverity)
	whose := "the send buffer"
	room := finding.Evidence{What: "half of the buffer in a round trip", Value: limit, Unit: finding.BitRate, Source: "tcp_win_from_space, skb->truesize"}
	switch {
	case cause == finding.ReceiveWindow && v.Unscaled():
		whose = "the receive window, which has no scaling,"
		room.What, room.Source = "64 KiB in a round trip", "RFC 7323 §2"
	case announced:
		whose = "the receive window"
		room.What, room.Source = "the window announced, in a round trip", ""
	case cause == finding.ReceiveWindow:
		whose = "the receive buffer"
	}
	f.Summary = fmt.Sprintf("Once that is fixed, %s limits the stream next: at its largest it allows %s at this RTT, and the path carries %s. Raise it as well.",
		whose, words.Rate(limit), words.Rate(path))
	f.Evidence = append([]finding.Evidence{room}, f.Evidence...)
	return f
}

// copiesAgree says that copies of the path are faster without one of the causes found: where
// they are not, they are not like the path, and tell nothing of its buffers.
func copiesAgree(v *view.View, found []finding.Finding) bool {
	return slices.ContainsFunc(found, func(f finding.Finding) bool {
		p, tried := v.Run.Alone(v.Dir, string(f.Cause))
		return tried && p.Gain >= view.GainMatters
	})
}

// hidesWindow are the causes that leave a stream too little under way to fill a buffer.
var hidesWindow = []finding.Cause{
	finding.LossLimited, finding.Reordering, finding.ShallowBuffer, finding.AckLimited,
	finding.Congested, finding.Policed, finding.ReceiveWindow, finding.SendBuffer,
	finding.UDPThrottled, finding.SlowStart,
}

const (
	// nextWindowSure: the buffer is known, and that the stream would reach it is not.
	nextWindowSure = 0.7
	// NextSeverity: it costs the stream nothing yet.
	NextSeverity = 0.02
)
