package qdisc

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/bpf"
)

// ForgetHash makes a device of the calling thread's namespace take from each
// packet that comes in what its sender's kernel knew of its flow. A packet that
// crosses from one namespace to another carries its socket's hash, a tunnel's
// that of the packet inside; fq_codel and cake would sort by it, and so see
// more than a router that has nothing but the packet. Linux 6.6 or later.
func ForgetHash(dev int) error {
	program, err := loadForgetHash()
	if err != nil {
		return fmt.Errorf("load the program that forgets hashes: %w", err)
	}
	defer unix.Close(program)
	attach := struct{ dev, program, kind, flags, replace, relative, revision, _ uint32 }{
		dev: uint32(dev), program: uint32(program), kind: unix.BPF_TCX_INGRESS,
	}
	if _, err := bpf.Call(unix.BPF_PROG_ATTACH, &attach); err != nil {
		return fmt.Errorf("attach the program that forgets hashes: %w", err)
	}
	return nil
}

// loadForgetHash loads bpf_set_hash_invalid(skb); return TCX_NEXT.
func loadForgetHash() (fd int, err error) {
	type instruction struct {
		opcode, _ uint8 // and the registers
		_         int16 // an offset
		immediate int32
	}
	const (
		call, move, exit = 0x85, 0xb7, 0x95 // linux/bpf_common.h, linux/bpf.h
		setHashInvalid   = 41               // BPF_FUNC_set_hash_invalid
		next             = -1               // TCX_NEXT
	)
	code := [...]instruction{{opcode: call, immediate: setHashInvalid}, {opcode: move, immediate: next}, {opcode: exit}}
	license := [...]byte{0}
	var pins runtime.Pinner // numbers do not follow where a goroutine's stack moves
	defer pins.Unpin()
	// The beginning of a union bpf_attr.
	load := struct {
		kind, instructions uint32
		code, license      uint64
	}{unix.BPF_PROG_TYPE_SCHED_CLS, uint32(len(code)), bpf.Address(&pins, &code), bpf.Address(&pins, &license)}
	return bpf.Call(unix.BPF_PROG_LOAD, &load)
}
