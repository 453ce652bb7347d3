package sockops

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/bpf"
)

// Commands, types and flags of bpf(2).
const (
	progLoad, progAttach, progDetach = 5, 8, 9
	progByID, infoByFD, progQuery    = 13, 15, 16

	typeSockOps   = 13
	atSockOps     = 3
	allowMultiple = 2 // beside programs of others
)

// The parts of union bpf_attr. Pointers are 64 bits wide on every machine.
type (
	loadAttr struct {
		kind, count           uint32
		instructions, license uint64
		_, _                  uint32 // the verifier's log: level, size
		_                     uint64 // and where
		_, _                  uint32 // kernel version, flags
		name                  [16]byte
		_, attachType         uint32 // a device before it
	}
	attachAttr struct{ group, program, at, flags, _ uint32 }
	byIDAttr   struct{ id, _, _ uint32 }
	infoAttr   struct {
		program, size uint32
		info          uint64
	}
	queryAttr struct {
		group, at, _, _ uint32 // flags of the query, and of the programs
		ids             uint64
		count, _        uint32
	}
	// programInfo is the beginning of struct bpf_prog_info.
	programInfo struct {
		_, id uint32  // a type before it
		_     [8]byte // tag
		_, _  uint32  // lengths of its code
		_, _  uint64  // and where
		_     uint64  // when it was loaded
		_, _  uint32  // by whom; how many maps
		_     uint64  // and where
		name  [16]byte
	}
)

// Program is one that is loaded.
type Program struct {
	fd int
	// ID is the kernel's number of it; no other has it while this one exists.
	ID uint32
}

// Load gives the kernel the program that sets a congestion control. Nothing runs
// it before Attach. It takes CAP_BPF and CAP_NET_ADMIN: errors wrap
// os.ErrPermission.
func Load(name string) (*Program, error) {
	code, err := instructions(name)
	if err != nil {
		return nil, err
	}
	license := []byte("GPL\x00")
	var pins runtime.Pinner
	defer pins.Unpin()
	a := loadAttr{
		kind: typeSockOps, count: uint32(len(code) / 8), attachType: atSockOps,
		instructions: bpf.Address(&pins, &code[0]), license: bpf.Address(&pins, &license[0]),
	}
	copy(a.name[:], programName)
	fd, err := bpf.Call(progLoad, &a)
	if err != nil {
		return nil, fmt.Errorf("load a BPF program: %w", err)
	}
	p := &Program{fd: fd}
	info, err := infoOf(fd)
	if err != nil {
		p.Close()
		return nil, err
	}
	p.ID = info.id
	return p, nil
}

// Close lets go of it. At a group it stays.
func (p *Program) Close() error { return unix.Close(p.fd) }

// Attach puts it at a control group, a directory of version 2, beside those of
// others.
func (p *Program) Attach(group *os.File) error {
	a := attachAttr{group: uint32(group.Fd()), program: uint32(p.fd), at: atSockOps, flags: allowMultiple}
	if _, err := bpf.Call(progAttach, &a); err != nil {
		return fmt.Errorf("attach a BPF program to %s: %w", group.Name(), err)
	}
	return nil
}

// At says whether a program of Load's is at a control group.
func At(group *os.File, id uint32) (bool, error) {
	ids := make([]uint32, 64) // the kernel's limit (BPF_CGROUP_MAX_PROGS)
	var pins runtime.Pinner
	defer pins.Unpin()
	a := queryAttr{group: uint32(group.Fd()), at: atSockOps, ids: bpf.Address(&pins, &ids[0]), count: uint32(len(ids))}
	if _, err := bpf.Call(progQuery, &a); err != nil {
		return false, fmt.Errorf("list the BPF programs of %s: %w", group.Name(), err)
	}
	if !slices.Contains(ids[:min(int(a.count), len(ids))], id) {
		return false, nil
	}
	p, err := open(id)
	if err != nil {
		return false, err
	}
	return true, p.Close()
}

// Detach takes a program of Load's from a control group; ErrNot where it is not
// there.
func Detach(group *os.File, id uint32) error {
	is, err := At(group, id)
	if err != nil {
		return err
	}
	if !is {
		return ErrNot
	}
	p, err := open(id)
	if err != nil {
		return err
	}
	defer p.Close()
	a := attachAttr{group: uint32(group.Fd()), program: uint32(p.fd), at: atSockOps}
	if _, err := bpf.Call(progDetach, &a); err != nil {
		return fmt.Errorf("detach a BPF program from %s: %w", group.Name(), err)
	}
	return nil
}

// open opens a program by its number, if it is one of Load's: since a reboot the
// number may be another's.
func open(id uint32) (*Program, error) {
	fd, err := bpf.Call(progByID, &byIDAttr{id: id})
	if errors.Is(err, unix.ENOENT) {
		return nil, ErrNot
	}
	if err != nil {
		return nil, fmt.Errorf("open BPF program %d: %w", id, err)
	}
	p := &Program{fd: fd, ID: id}
	info, err := infoOf(fd)
	if err == nil && string(bytes.TrimRight(info.name[:], "\x00")) != programName {
		err = ErrNot
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func infoOf(fd int) (info programInfo, err error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	a := infoAttr{program: uint32(fd), size: uint32(unsafe.Sizeof(info)), info: bpf.Address(&pins, &info)}
	if _, err := bpf.Call(infoByFD, &a); err != nil {
		return info, fmt.Errorf("read of a BPF program: %w", err)
	}
	return info, nil
}
