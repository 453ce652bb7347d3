// Package sockops gives a control group's later connections a congestion
// control: a BPF program at the group, which the kernel runs when one of its
// sockets gets connected (BPF_PROG_TYPE_SOCK_OPS). Version 2 of control groups
// holds it until it is detached or the group ends, whatever becomes of the process
// that attached it; nothing is pinned and nothing runs beside.
//
// The program, in words: at BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB and
// BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB call bpf_setsockopt(TCP_CONGESTION).
package sockops

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrNot says that a program is not, or no more, at a group.
var ErrNot = errors.New("the program is not at the control group")

// programName is what the kernel calls each of them.
const programName = "unchoke_cc"

// mostName is the longest name of a congestion control (TCP_CA_NAME_MAX less its
// end).
const mostName = 15

// Registers and the instructions that the program needs (linux/bpf.h).
const (
	r0, r1, r2, r3, r4, r5, r6, fp = 0, 1, 2, 3, 4, 5, 6, 10

	loadWord  = 0x61 // LDX MEM W
	loadConst = 0x18 // LD IMM DW, two places
	storeLong = 0x7b // STX MEM DW
	moveReg   = 0xbf
	moveConst = 0xb7
	addConst  = 0x07
	ifEqual   = 0x15
	jump      = 0x05
	call      = 0x85
	exit      = 0x95

	activeEstablished, passiveEstablished = 4, 5 // BPF_SOCK_OPS_…_ESTABLISHED_CB
	setsockopt                            = 49   // BPF_FUNC_setsockopt
	solTCP, congestion                    = 6, 13
)

// instructions are the program's, in this machine's byte order.
func instructions(name string) ([]byte, error) {
	if name == "" || len(name) > mostName {
		return nil, fmt.Errorf("%q is no congestion control", name)
	}
	var padded [16]byte
	copy(padded[:], name)
	var b []byte
	add := func(code, dst, src byte, offset int16, value int32) {
		regs := dst | src<<4
		if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
			regs = src | dst<<4
		}
		b = append(b, code, regs)
		b = binary.NativeEndian.AppendUint16(b, uint16(offset))
		b = binary.NativeEndian.AppendUint32(b, uint32(value))
	}
	add(moveReg, r6, r1, 0, 0)
	add(loadWord, r2, r1, 0, 0) // struct bpf_sock_ops: op
	add(ifEqual, r2, 0, 2, activeEstablished)
	add(ifEqual, r2, 0, 1, passiveEstablished)
	add(jump, 0, 0, 13, 0)
	for k, at := range []int16{-16, -8} {
		part := padded[8*k:]
		add(loadConst, r3, 0, 0, int32(binary.NativeEndian.Uint64(part)))
		add(0, 0, 0, 0, int32(binary.NativeEndian.Uint64(part)>>32))
		add(storeLong, fp, r3, at, 0)
	}
	add(moveReg, r1, r6, 0, 0)
	add(moveConst, r2, 0, 0, solTCP)
	add(moveConst, r3, 0, 0, congestion)
	add(moveReg, r4, fp, 0, 0)
	add(addConst, r4, 0, 0, -16)
	add(moveConst, r5, 0, 0, int32(len(name)))
	add(call, 0, 0, 0, setsockopt)
	add(moveConst, r0, 0, 0, 1)
	add(exit, 0, 0, 0, 0)
	return b, nil
}
