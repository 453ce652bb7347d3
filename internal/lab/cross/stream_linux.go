package cross

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"unchoke/internal/lab/network"
	"unchoke/internal/linux/cc"
)

// stream is a TCP connection whose sender offers what TCP takes and whose
// receiver takes what comes. A thread at either end is in one system call
// nearly all of its time: these are what a lab machine's time costs.
type stream struct {
	listener, sender, receiver int
	threads                    sync.WaitGroup

	mu    sync.Mutex // guards what is below, and receiver
	ended bool
	err   error // what ended it otherwise
}

const (
	writeSize = 1 << 20
	// wakeSize is how many bytes are there at least when the receiver wakes:
	// little against any window that fills a line.
	wakeSize = 32 << 10
	// readSize is one read. It copies nothing, so that its memory need not be
	// there.
	readSize = 1 << 30
)

// nothing is what every stream sends.
var nothing [writeSize]byte

func startStream(from, to *network.Host, port int, algorithm string) (end func() error, err error) {
	s := &stream{listener: -1, sender: -1, receiver: -1}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	there := &unix.SockaddrInet4{Port: port, Addr: to.Addr().As4()}
	err = to.Do(func() error {
		if s.listener, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return fmt.Errorf("open a socket: %w", err)
		}
		if err := unix.Bind(s.listener, there); err != nil {
			return fmt.Errorf("bind port %d: %w", port, err)
		}
		return unix.Listen(s.listener, 1)
	})
	if err != nil {
		return nil, err
	}
	err = from.Do(func() error {
		if s.sender, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return fmt.Errorf("open a socket: %w", err)
		}
		if err := cc.Set(s.sender, algorithm); err != nil {
			return err
		}
		return unix.Bind(s.sender, &unix.SockaddrInet4{Port: port, Addr: from.Addr().As4()})
	})
	if err != nil {
		return nil, err
	}
	s.threads.Go(func() { s.failed(s.receive()) })
	s.threads.Go(func() { s.failed(s.send(there)) })
	return s.end, nil
}

func (s *stream) send(to unix.Sockaddr) error {
	if err := unix.Connect(s.sender, to); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	for {
		if _, err := unix.SendmsgN(s.sender, nothing[:], nil, nil, unix.MSG_NOSIGNAL); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("send: %w", err)
		}
	}
}

// receive takes what comes and drops it where it lies (MSG_TRUNC, tcp(7)).
func (s *stream) receive() error {
	fd, _, err := unix.Accept4(s.listener, unix.SOCK_CLOEXEC)
	if err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	s.mu.Lock()
	s.receiver = fd
	ended := s.ended
	s.mu.Unlock()
	if ended {
		return nil
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, wakeSize); err != nil {
		return fmt.Errorf("set SO_RCVLOWAT: %w", err)
	}
	nowhere, err := unix.Mmap(-1, 0, readSize, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("map memory: %w", err)
	}
	defer unix.Munmap(nowhere)
	for {
		n, _, err := unix.Recvfrom(fd, nowhere, unix.MSG_TRUNC|unix.MSG_WAITALL)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("receive: %w", err)
		case n == 0:
			return errors.New("the sender closed the connection")
		}
	}
}

// failed keeps the first error of a thread, unless the stream was ended.
func (s *stream) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended && s.err == nil {
		s.err = err
	}
}

// end ends the stream at once: what is in the send buffer is not sent.
func (s *stream) end() error {
	s.mu.Lock()
	s.ended = true
	fds := []int{s.listener, s.sender, s.receiver}
	s.mu.Unlock()
	for _, fd := range fds {
		if fd >= 0 {
			_ = unix.Shutdown(fd, unix.SHUT_RDWR) // it may not be connected
		}
	}
	s.threads.Wait()
	s.close()
	return s.err
}

func (s *stream) close() {
	for _, fd := range []int{s.sender, s.receiver, s.listener} {
		if fd < 0 {
			continue
		}
		// To linger for no time is to reset; of a listener it means nothing.
		_ = unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
		unix.Close(fd)
	}
}
