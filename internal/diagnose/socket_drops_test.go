package diagnose

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

const dropping = "testdata/socket-drops--a-small-buffer-in-a-udp-tunnel.json.gz"

// stream is the one download of a record.
func stream(r *record.Run) *record.Transfer {
	i := slices.IndexFunc(r.Transfers, func(t record.Transfer) bool { return t.Name == "down-1" })
	return &r.Transfers[i]
}

// withDrops gives the download these sockets that dropped.
func withDrops(r *record.Run, sockets ...record.SocketDrops) {
	stream(r).UDPDrops = &record.UDPDrops{Receive: 10, Sockets: sockets}
}

// unknown is a socket of which nobody knows whose it is.
func unknown(s record.SocketDrops) record.SocketDrops {
	s.Program, s.PID, s.Role = "", 0, record.OtherProgram
	return s
}

// alone leaves the download its one stream.
func alone(r *record.Run) {
	r.Transfers = slices.DeleteFunc(r.Transfers, func(t record.Transfer) bool {
		return t.Direction == record.Down && t.Name != "down-1"
	})
}

// The drops have to be the tunnel's, and to explain what the stream lost.
func TestSocketDrops(t *testing.T) {
	vpn := record.SocketDrops{Program: "vpnd", PID: 7, Role: record.TunnelProgram, Local: "10.0.0.1:4000", Drops: 10, Buffer: 32768}
	for name, c := range map[string]struct {
		change func(*record.Run)
		want   bool
	}{
		"as it was":                   {func(*record.Run) {}, true},
		"nothing is known of sockets": {func(r *record.Run) { stream(r).UDPDrops = nil }, false},
		"nothing dropped":             {func(r *record.Run) { withDrops(r) }, false},
		"another program's socket": {func(r *record.Run) {
			other := vpn
			other.Program, other.Role = "dnsd", record.OtherProgram
			withDrops(r, other)
		}, false},
		"nobody knows whose": {func(r *record.Run) {
			withDrops(r, unknown(vpn))
		}, true},
		"nobody knows whose, and no tunnel": {func(r *record.Run) {
			withDrops(r, unknown(vpn))
			r.Route.Tunnel = record.Tunnel{Kind: "none"}
		}, false},
		"nobody knows whose, and the kernel's WireGuard": {func(r *record.Run) {
			withDrops(r, unknown(vpn))
			r.Route.Tunnel.Kind, r.Route.Tunnel.Carrier = "wireguard", record.Kernel
		}, false},
		"nobody knows whose, and GRE": {func(r *record.Run) {
			withDrops(r, unknown(vpn))
			r.Route.Tunnel.Kind, r.Route.Tunnel.Carrier = "gre", ""
		}, false},
		"nobody knows whose, and a program's WireGuard": {func(r *record.Run) {
			withDrops(r, unknown(vpn))
			r.Route.Tunnel.Kind, r.Route.Tunnel.Carrier = "wireguard", record.Userspace
		}, true},
		"nobody knows whose, of far more than was lost": {func(r *record.Run) {
			many := unknown(vpn)
			many.Drops = 1000
			withDrops(r, many)
		}, false},
		"few of what was lost": {func(r *record.Run) {
			withDrops(r, vpn)
			stream(r).Retransmits = 100
		}, false},
		"a stream that is all that was measured": {alone, true},
		"a stream that carries what the path can": {func(r *record.Run) {
			alone(r)
			for i := range r.Transfers {
				if r.Transfers[i].Name == "down-1" {
					r.Transfers[i].Retransmits = 0
				}
			}
		}, false},
		"a processor that has no time to read": {func(r *record.Run) {
			stream(r).CPU = &record.CPU{Time: 3, Groups: []record.GroupUse{limit(40)}, Programs: []record.ProgramUse{vpnUse()}}
		}, false},
	} {
		run := load(t, dropping)
		c.change(run)
		var found *finding.Finding
		for _, f := range Diagnose(run) {
			if f.Cause == finding.SocketDrops {
				found = &f
			}
		}
		if (found != nil) != c.want {
			t.Errorf("%s: found %v, want %v", name, found != nil, c.want)
			continue
		}
		if found == nil {
			continue
		}
		wellFormed(t, *found)
		if a := found.Remedies[0].Action; a == nil || a.Kind != finding.KindSocketBuffer || a.Bytes < 4<<20 || found.Remedies[0].Host != "near" {
			t.Errorf("%s: %+v", name, found.Remedies[0])
		}
	}
}

func vpnUse() record.ProgramUse { return vpn(0.4, 0.1) }

// Up, the far tunnel program's socket may be what drops: this host cannot see
// it, and is less sure of all that looks like loss.
func TestUnseenDrops(t *testing.T) {
	run := load(t, "testdata/loss-limited--wireguard-up.json.gz")
	run.Besides = []record.Beside{{Direction: record.Up, Outside: true, Tests: []record.BesideTest{{Protocol: record.TCP, Delivered: 1}}}} // which the fixture's version did not ask
	up := func() finding.Finding {
		all := Diagnose(run)
		i := slices.IndexFunc(all, func(f finding.Finding) bool { return f.Direction == record.Up })
		return all[i]
	}
	if f := up(); f.Cause != finding.LossLimited || f.Confidence <= share(0.85) {
		t.Fatalf("the kernel's WireGuard: %s, %.2f", f.Cause, f.Confidence)
	}
	run.Route.Tunnel.Carrier = record.Userspace
	f := up()
	if f.Cause != finding.LossLimited || f.Confidence > share(0.85) {
		t.Errorf("a program: %s, %.2f", f.Cause, f.Confidence)
	}
	if last := f.Remedies[len(f.Remedies)-1]; last.Host != "far" || !strings.Contains(last.What, "Only the far host sees") {
		t.Errorf("%+v", last)
	}
}
