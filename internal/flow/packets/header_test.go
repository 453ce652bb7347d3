package packets

import (
	"encoding/binary"
	"net/netip"
	"testing"
)

var (
	local4  = netip.MustParseAddrPort("10.0.0.1:5201")
	remote4 = netip.MustParseAddrPort("10.0.0.2:40000")
	local6  = netip.MustParseAddrPort("[fd00::1]:5201")
	remote6 = netip.MustParseAddrPort("[fd00::2]:40000")
)

// ipSegment is a TCP header with options, as an IP packet between two ends.
func ipSegment(from, to netip.AddrPort, seq, ack uint32, options []byte, payload int) []byte {
	tcp := make([]byte, leastTCP, leastTCP+len(options))
	binary.BigEndian.PutUint16(tcp[0:], from.Port())
	binary.BigEndian.PutUint16(tcp[2:], to.Port())
	binary.BigEndian.PutUint32(tcp[4:], seq)
	binary.BigEndian.PutUint32(tcp[8:], ack)
	tcp[12], tcp[13] = byte((leastTCP+len(options))/4)<<4, flagAck
	tcp = append(tcp, options...)
	if from.Addr().Is4() {
		ip := make([]byte, leastIPv4)
		ip[0], ip[9] = 0x45, protocol
		binary.BigEndian.PutUint16(ip[2:], uint16(leastIPv4+len(tcp)+payload))
		copy(ip[12:], from.Addr().AsSlice())
		copy(ip[16:], to.Addr().AsSlice())
		return append(ip, tcp...)
	}
	ip := make([]byte, ipv6)
	ip[0], ip[6] = 0x60, protocol
	binary.BigEndian.PutUint16(ip[4:], uint16(len(tcp)+payload))
	copy(ip[8:], from.Addr().AsSlice())
	copy(ip[24:], to.Addr().AsSlice())
	return append(ip, tcp...)
}

// sacked are the options of an acknowledgement with a timestamp and blocks.
func sacked(blocks ...uint32) []byte {
	b := []byte{1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1, optionSacked, byte(2 + 4*len(blocks))}
	for _, x := range blocks {
		b = binary.BigEndian.AppendUint32(b, x)
	}
	return b
}

func TestDecode(t *testing.T) {
	var h Header
	for _, ends := range [][2]netip.AddrPort{{local4, remote4}, {local6, remote6}} {
		local, remote := ends[0], ends[1]
		if !h.Decode(ipSegment(local, remote, 1000, 7, nil, 64000), local, remote) || !h.Leaves || h.Sequence != 1000 || h.Length != 64000 || h.Ack != 7 || !h.Acks || h.Blocks != 0 {
			t.Errorf("data from %v: %+v", local, h)
		}
		if !h.Decode(ipSegment(remote, local, 7, 2448, sacked(5000, 6448, 9000, 10448), 0), local, remote) || h.Leaves || h.Length != 0 || h.Ack != 2448 || h.Blocks != 2 ||
			h.Sacked[0] != [2]uint32{5000, 6448} || h.Sacked[1] != [2]uint32{9000, 10448} || !h.Stamped || h.Stamp != 1 || h.Echo != 2 {
			t.Errorf("acknowledgement from %v: %+v", remote, h)
		}
		other := netip.AddrPortFrom(remote.Addr().Next(), remote.Port())
		if h.Decode(ipSegment(local, other, 1, 1, nil, 1), local, remote) {
			t.Errorf("another host's segment was taken for %v's", remote)
		}
	}
}

// Whatever arrives, no byte beyond it is read, and what is decoded is of the
// connection.
func FuzzDecode(f *testing.F) {
	f.Add(ipSegment(local4, remote4, 1, 2, nil, 1448))
	f.Add(ipSegment(remote6, local6, 1, 2, sacked(1, 2, 3, 4, 5, 6), 0))
	f.Add([]byte{0x4f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Header
		for _, ends := range [][2]netip.AddrPort{{local4, remote4}, {local6, remote6}} {
			if h.Decode(b, ends[0], ends[1]) && (h.Length < 0 || h.Length > 1<<16 || h.Blocks > mostBlocks) {
				t.Errorf("%x: %+v", b, h)
			}
		}
	})
}
