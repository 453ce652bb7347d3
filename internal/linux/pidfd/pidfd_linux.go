package pidfd

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Borrow gives this process a descriptor for what fd is in another one, which
// notices nothing: a second reference to the same open file. Whoever holds it
// when the process closes its own keeps the file open: close it at once.
//
// It takes the rights that ptrace does. Errors wrap os.ErrPermission; ESRCH
// where the process has ended, EBADF where it has closed the descriptor, ENOSYS
// before Linux 5.6.
func Borrow(pid, fd int) (borrowed int, err error) {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, fmt.Errorf("open process %d: %w", pid, err)
	}
	defer unix.Close(process)
	borrowed, err = unix.PidfdGetfd(process, fd, 0)
	if err != nil {
		return -1, fmt.Errorf("borrow descriptor %d of process %d: %w", fd, pid, err)
	}
	unix.CloseOnExec(borrowed)
	return borrowed, nil
}

// Cookie is the number that the kernel gives to no other socket.
func Cookie(fd int) (uint64, error) {
	cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_COOKIE)
	if err != nil {
		return 0, fmt.Errorf("get a socket's cookie: %w", err)
	}
	return cookie, nil
}
