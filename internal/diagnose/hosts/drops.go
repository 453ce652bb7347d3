package hosts

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// Overflowing is the tunnel program's socket that dropped most under the one
// stream; where it is not known whose a socket is, any that is not known to be
// somebody else's.
func Overflowing(v *view.View) (view.End, record.SocketDrops, bool) {
	at, ok := v.At(v.Receiver())
	if !ok || at.One.UDPDrops == nil {
		return view.End{}, record.SocketDrops{}, false
	}
	for _, s := range at.One.UDPDrops.Sockets {
		if s.Role == record.TunnelProgram || s.Program == "" && at.Tunnel().There() {
			return at, s, true
		}
	}
	return view.End{}, record.SocketDrops{}, false
}
