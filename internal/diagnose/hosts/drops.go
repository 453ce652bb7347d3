package hosts

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// Overflowing is the tunnel program's socket that dropped most under the one
// stream. Where a program carries the tunnel and it is not known whose a socket is, it
// is any that dropped no more than the stream's losses explain.
func Overflowing(v *view.View) (view.End, record.SocketDrops, bool) {
	at, ok := v.At(v.Receiver())
	if !ok || at.One.UDPDrops == nil {
		return view.End{}, record.SocketDrops{}, false
	}
	for _, s := range at.One.UDPDrops.Sockets {
		if s.Role == record.TunnelProgram || s.Program == "" && at.Tunnel().InProgram() && (v.Losses.Resent < 0 || s.Drops <= farAbove*v.Losses.Real) {
			return at, s, true
		}
	}
	return view.End{}, record.SocketDrops{}, false
}

// farAbove the stream's losses are another program's drops: each packet of the stream that
// a socket drops is resent once, and what else the tunnel carries beside it is little.
const farAbove = 2
