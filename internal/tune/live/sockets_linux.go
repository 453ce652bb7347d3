package live

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/pidfd"
	"unchoke/internal/linux/proc"
	"unchoke/internal/linux/sockdiag"
	"unchoke/tcpinfo"
)

// Sockets are the connections of this network namespace.
type Sockets struct {
	at        map[uint64]held   // by cookie
	algorithm map[uint64]string // as sock_diag tells, by cookie
}

// held is a connection and who has it open.
type held struct {
	by     []proc.Descriptor
	hidden bool // from this user, perhaps
}

// Find implements Kernel.
func (s *Sockets) Find(ids []uint64) error {
	inodes, cookies := map[uint64]bool{}, map[uint64]uint64{} // of a cookie, its inode
	s.algorithm = map[uint64]string{}
	err := dump(ids, func(k *sockdiag.Socket) {
		inodes[k.Inode()], cookies[k.Cookie()] = true, k.Inode()
		s.algorithm[k.Cookie()] = string(k.CC())
	})
	if err != nil {
		return err
	}
	delete(inodes, 0) // the kernel's own, and those that their process has closed
	holders, hidden, err := proc.Holders(proc.System(), inodes)
	if err != nil {
		return fmt.Errorf("find the connections' processes: %w", err)
	}
	s.at = map[uint64]held{}
	for id, inode := range cookies {
		if inode != 0 {
			s.at[id] = held{holders[inode], hidden > 0}
		}
	}
	return nil
}

// dump takes those connections that are open, again where the kernel's table
// changed under it.
func dump(ids []uint64, take func(*sockdiag.Socket)) error {
	wanted := map[uint64]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	d, err := sockdiag.Open()
	if err != nil {
		return err
	}
	defer d.Close()
	for range 3 {
		err = d.TCP(sockdiag.Match{}, func(k *sockdiag.Socket) {
			if wanted[k.Cookie()] {
				take(k)
			}
		})
		if !errors.Is(err, sockdiag.ErrInterrupted) {
			break
		}
	}
	if err != nil && !errors.Is(err, sockdiag.ErrInterrupted) {
		return fmt.Errorf("find the connections: %w", err)
	}
	return nil
}

// Algorithms is what each of these connections has, of those that are open. It
// takes no rights.
func Algorithms(ids []uint64) (map[uint64]string, error) {
	have := map[uint64]string{}
	return have, dump(ids, func(k *sockdiag.Socket) { have[k.Cookie()] = string(k.CC()) })
}

// Borrow implements Kernel. Any of several processes that share the connection
// will do.
func (s *Sockets) Borrow(id uint64) (Socket, error) {
	at, there := s.at[id]
	if !there {
		return nil, ErrEnded
	}
	if len(at.by) == 0 && at.hidden {
		return nil, ErrHidden
	}
	problem := error(ErrEnded)
	for _, d := range at.by {
		fd, err := pidfd.Borrow(d.PID, d.FD)
		switch {
		case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EBADF):
			continue
		case err != nil:
			problem = fmt.Errorf("%s: %w", d.Name, err)
			continue
		}
		// The process may have closed it and opened something else.
		if cookie, err := pidfd.Cookie(fd); err != nil || cookie != id {
			unix.Close(fd)
			continue
		}
		return borrowed(fd), nil
	}
	return nil, problem
}

// borrowed is a descriptor of this process.
type borrowed int

func (b borrowed) CC() (string, error) {
	name, err := unix.GetsockoptString(int(b), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	if err != nil {
		return "", fmt.Errorf("get the congestion control: %w", err)
	}
	return name, nil
}

func (b borrowed) SetCC(name string) error { return cc.Set(int(b), name) }

func (b borrowed) Recovery() (tcpinfo.CAState, error) {
	info, err := tcpinfo.GetFD(int(b))
	switch info.State {
	case tcpinfo.Established, tcpinfo.CloseWait, tcpinfo.FinWait1: // it may have data to send
	default:
		if err == nil {
			err = ErrEnded
		}
	}
	return info.CAState, err
}

func (b borrowed) Close() error { return unix.Close(int(b)) }

// Able returns nil where this process could change connections of this host at
// all.
func Able() error {
	text, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return fmt.Errorf("look whether this is a user namespace: %w", err)
	}
	if nested(string(text)) {
		return &UnableError{
			"this is a user namespace, as in a rootless container: the kernel gives it no rights over the host's connections",
			"run it on the host, as root",
		}
	}
	if fd, err := unix.PidfdOpen(os.Getpid(), 0); err == nil {
		unix.Close(fd)
	} else if errors.Is(err, unix.ENOSYS) {
		return &UnableError{"this kernel cannot lend a process's sockets, or a sandbox keeps it from that", "Linux 5.6 can; unchoke tune plan changes connections that open later"}
	}
	return nil
}
