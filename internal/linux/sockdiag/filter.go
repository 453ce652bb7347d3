package sockdiag

import (
	"encoding/binary"
	"net/netip"
)

// Match is a condition on a connection's ends; what is zero is not asked for.
// The kernel itself applies it to a dump, so that what does not match costs
// next to nothing.
type Match struct {
	LocalPort, RemotePort uint16
	Local, Remote         netip.Prefix
}

// Holds applies the match to a connection.
func (m Match) Holds(local, remote netip.AddrPort) bool {
	return (m.LocalPort == 0 || m.LocalPort == local.Port()) &&
		(m.RemotePort == 0 || m.RemotePort == remote.Port()) &&
		(!m.Local.IsValid() || m.Local.Contains(local.Addr())) &&
		(!m.Remote.IsValid() || m.Remote.Contains(remote.Addr()))
}

// Of linux/inet_diag.h: the filter is a program of steps, each struct
// inet_diag_bc_op: a code, how far to go on if it holds, how far if not.
const (
	localCondition  = 7 // INET_DIAG_BC_S_COND
	remoteCondition = 8 // INET_DIAG_BC_D_COND

	stepSize     = 4
	hostCondSize = 8 // struct inet_diag_hostcond without the address
	anyPort      = 0xffff_ffff
)

// program is the match as the kernel's bytecode; nil where it asks for nothing.
func (m Match) program() []byte {
	steps := [][]byte{}
	for _, c := range []struct {
		code byte
		port uint16
		net  netip.Prefix
	}{{localCondition, m.LocalPort, m.Local}, {remoteCondition, m.RemotePort, m.Remote}} {
		if c.port != 0 || c.net.IsValid() {
			steps = append(steps, condition(c.code, c.port, c.net))
		}
	}
	left := 0
	for _, s := range steps {
		left += len(s)
	}
	var out []byte
	for _, s := range steps {
		// A step whose condition fails jumps past the end, which rejects.
		binary.NativeEndian.PutUint16(s[2:], uint16(left+stepSize))
		left -= len(s)
		out = append(out, s...)
	}
	return out
}

func condition(code byte, port uint16, in netip.Prefix) []byte {
	b := []byte{code, 0, 0, 0}
	family, bits, wanted := byte(0), 0, uint32(anyPort)
	if port != 0 {
		wanted = uint32(port)
	}
	var addr []byte
	if in.IsValid() {
		family, bits, addr = familyIPv6, in.Bits(), in.Addr().AsSlice()
		if in.Addr().Is4() {
			family = familyIPv4
		}
	}
	b = append(b, family, byte(bits), 0, 0)
	b = binary.NativeEndian.AppendUint32(b, wanted)
	b = append(b, addr...)
	b[1] = byte(len(b))
	return b
}
