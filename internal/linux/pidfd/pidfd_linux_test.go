package pidfd

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// What is borrowed of a child is the very socket that the child has.
func TestBorrow(t *testing.T) {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	child := exec.Command("cat")
	child.ExtraFiles = []*os.File{file} // 3
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	borrowed, err := Borrow(child.Process.Pid, 3)
	if errors.Is(err, os.ErrPermission) {
		t.Skip("this process may not ptrace its children here")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(borrowed)
	theirs, err1 := Cookie(borrowed)
	ours, err2 := Cookie(int(file.Fd()))
	if err1 != nil || err2 != nil || theirs != ours || ours == 0 {
		t.Errorf("cookie %x, %v, want %x, %v", theirs, err1, ours, err2)
	}
	if _, err := Borrow(child.Process.Pid, 999); !errors.Is(err, unix.EBADF) {
		t.Errorf("a descriptor that is none: %v", err)
	}
	stdin.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := Borrow(child.Process.Pid, 3); !errors.Is(err, unix.ESRCH) {
		t.Errorf("a process that has ended: %v", err)
	}
}
