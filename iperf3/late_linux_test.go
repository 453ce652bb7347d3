package iperf3

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// withFD does something with a connection's descriptor.
func withFD(t *testing.T, conn *net.UDPConn, do func(fd int)) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) { do(int(fd)) }); err != nil {
		t.Fatal(err)
	}
}

// After a test a socket that is kept is as it was before: package net can wait for what
// comes, and there is no end.
func TestKeptSocket(t *testing.T) {
	addr, _ := serve(t, &Server{})
	var late Late
	defer late.Close()
	c := Client{Late: &late}
	if _, err := c.Run(t.Context(), addr, Test{Protocol: UDP, Rate: 1e6, Duration: 50 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	conn := late.conns[0]
	withFD(t, conn, func(fd int) {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK == 0 {
			t.Errorf("flags %#x, %v: it blocks", flags, err)
		}
	})
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 16)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A socket whose reads bring nothing at once is not read again and again.
func TestUselessSocket(t *testing.T) {
	conn, err := net.Dial("udp", "127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	withFD(t, conn.(*net.UDPConn), func(fd int) {
		_ = unix.Shutdown(fd, unix.SHUT_RD)
		if err := unix.SetNonblock(fd, false); err != nil {
			t.Error(err)
		}
	})
	began := time.Now()
	if hasReply(conn.(*net.UDPConn), began.Add(2*time.Second)) || time.Since(began) > time.Second {
		t.Errorf("it was read for %v", time.Since(began))
	}
}
