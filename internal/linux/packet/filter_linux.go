package packet

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const (
	protocol = 6  // TCP
	ipv6     = 40 // bytes of its header
)

// filterIPv4 passes the headers of IPv4's whole TCP packets between two ports, in
// either direction.
func filterIPv4(local, remote uint16) []bpf.Instruction {
	return append(filterIP(unix.ETH_P_IP, 9), append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: 6, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: 0x1fff, SkipTrue: 1}, // a later fragment
		bpf.RetConstant{},
		bpf.LoadMemShift{Off: 0}, // X: the length of IP's header
	}, filterTCP(local, remote)...)...)
}

// filterIPv6 is the same for IPv6 without extension headers.
func filterIPv6(local, remote uint16) []bpf.Instruction {
	return append(filterIP(unix.ETH_P_IPV6, 6), append([]bpf.Instruction{
		bpf.LoadConstant{Dst: bpf.RegX, Val: ipv6},
	}, filterTCP(local, remote)...)...)
}

// filterIP goes on with packets of a kind that carry TCP, by the byte of IP's header
// that says what it carries.
func filterIP(kind, carries uint32) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadExtension{Num: bpf.ExtProto},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: kind, SkipTrue: 1},
		bpf.RetConstant{},
		bpf.LoadAbsolute{Off: carries, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocol, SkipTrue: 1},
		bpf.RetConstant{},
	}
}

// filterTCP passes both headers where TCP's begins at X and has these ports.
func filterTCP(local, remote uint16) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadIndirect{Off: 0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(local)<<16 | uint32(remote), SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(remote)<<16 | uint32(local), SkipTrue: 1},
		bpf.RetConstant{},
		bpf.LoadIndirect{Off: 12, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
		bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 2}, // a quarter of the byte's upper half is in units of 4 bytes
		bpf.ALUOpX{Op: bpf.ALUOpAdd},
		bpf.RetA{},
	}
}
