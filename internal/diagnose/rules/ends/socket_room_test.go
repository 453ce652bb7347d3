package ends

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// What a host allows sockets already is not lowered, and no command is given where only the
// program's own request is too small.
func TestSocketRoomIsNotLowered(t *testing.T) {
	const both = "sysctl -w net.core.rmem_max=7340032 net.core.rmem_default=7340032"
	for name, c := range map[string]struct {
		program string
		allows  int64 // rmem_max
		buffer  int64
		command string
		words   string
	}{
		"not told":                      {"vpnd", 0, 212992, both, "SO_RCVBUF"},
		"too little":                    {"vpnd", 212992, 212992, both, "SO_RCVBUF"},
		"the default is too small":      {"vpnd", 16 << 20, 212992, "sysctl -w net.core.rmem_default=7340032", "rmem_default"},
		"far more":                      {"", 64 << 20, 212992, "sysctl -w net.core.rmem_default=7340032", "rmem_default"},
		"asks, and is not given it":     {"tailscaled", 212992, 425984, both, "asks for 7 MiB by itself and gets no more than net.core.rmem_max"},
		"asks for less than is allowed": {"tailscaled", 16 << 20, 14 << 20, "", "no setting gives it more"},
		"asks as root":                  {"wireguard-go", 212992, 14 << 20, "", "no setting gives it more"},
		"has an option":                 {"openvpn", 16 << 20, 425984, "", "rcvbuf 7340032"},
		"has an option, and is bounded": {"openvpn", 212992, 425984, both, "rcvbuf 7340032"},
	} {
		v := &view.View{Run: &record.Run{}, Dir: record.Down}
		at := view.End{Facts: &record.Host{RmemMax: c.allows}}
		r := dropRemedies(v, at, record.SocketDrops{Program: c.program, Buffer: c.buffer})[0]
		if r.Command != c.command || (r.Action == nil) != (c.command == "") || !strings.Contains(r.What, c.words) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
