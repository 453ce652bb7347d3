package load

import (
	"cmp"
	"net/netip"
	"slices"
	"sort"

	"unchoke/internal/linux/netstat"
	"unchoke/internal/linux/proc"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
)

// Sockets watches the UDP sockets during one transfer.
type Sockets struct {
	host          *Host
	before, after map[uint64]sockdiag.UDPSocket
	errors        netstat.Counters // since the beginning, once it has ended
	unknown       []string
}

// BeginSockets takes the readings before a transfer.
func (h *Host) BeginSockets() *Sockets {
	if h == nil {
		return nil
	}
	s := &Sockets{host: h, errors: netstat.UDP()}
	s.before = s.list()
	return s
}

func (d *Sockets) end() {
	d.after = d.list()
	d.errors = netstat.Since(d.errors, netstat.UDP())
}

func (d *Sockets) list() map[uint64]sockdiag.UDPSocket {
	all, err := d.host.udp()
	if err != nil {
		if why := err.Error(); !slices.Contains(d.unknown, why) {
			d.unknown = append(d.unknown, why)
		}
		return nil
	}
	out := make(map[uint64]sockdiag.UDPSocket, len(all))
	for _, s := range all {
		out[s.Inode] = s
	}
	return out
}

// End takes the last readings, and says what the UDP sockets threw away; nil
// where this host does not tell.
func (d *Sockets) End() *record.UDPDrops {
	if d == nil {
		return nil
	}
	d.end()
	out := &record.UDPDrops{Receive: d.errors["RcvbufErrors"], Send: d.errors["SndbufErrors"], Unknown: d.unknown}
	var owners map[uint64]proc.Task
	for inode, now := range d.after {
		lost := now.Drops - d.before[inode].Drops
		if lost <= 0 {
			continue
		}
		if owners == nil { // looked up only where something was lost
			owners = proc.Sockets(d.host.proc, 0)
		}
		s := record.SocketDrops{Role: record.OtherProgram, Local: local(now.Local), Drops: lost, Buffer: now.Buffer}
		if p, ok := owners[inode]; ok {
			s.Program, s.PID, s.Role = p.Name, p.ID, d.host.role(p.ID)
		}
		out.Sockets = append(out.Sockets, s)
	}
	sort.SliceStable(out.Sockets, func(i, j int) bool {
		a, b := &out.Sockets[i], &out.Sockets[j]
		return cmp.Or(cmp.Compare(b.Drops, a.Drops), cmp.Compare(a.Local, b.Local)) < 0
	})
	return out
}

func local(a netip.AddrPort) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}
