package watch

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/sockdiag"
)

// inbox collects the ends of connections between two looks.
type inbox struct {
	ends *sockdiag.Ends
	done chan struct{}

	mu       sync.Mutex
	filling  []byte // messages, each of them sockdiag.MessageSpace long or shorter
	lengths  []int  // of them
	overflow int64  // messages for which there was no room here
	failed   error  // why there are no more
}

const (
	// buffer is how much may wait in the kernel: some 1.3 kB a message, so that
	// 20,000 ends at once find room.
	buffer = 32 << 20
	// mostWaiting bytes of messages wait between two looks: some 390 bytes each.
	mostWaiting = 32 << 20
)

func openInbox() (*inbox, error) {
	ends, err := sockdiag.Listen(buffer)
	if err != nil {
		return nil, err
	}
	in := &inbox{ends: ends, done: make(chan struct{})}
	go in.run()
	return in, nil
}

func (in *inbox) run() {
	defer close(in.done)
	b := make([]byte, sockdiag.MessageSpace)
	for {
		n, err := in.ends.Read(b)
		switch {
		case errors.Is(err, unix.ENOBUFS):
			continue // counted by the kernel
		case err != nil:
			in.mu.Lock()
			in.failed = err
			in.mu.Unlock()
			return
		}
		in.mu.Lock()
		if len(in.filling)+n > mostWaiting {
			in.overflow++
		} else {
			in.filling = append(in.filling, b[:n]...)
			in.lengths = append(in.lengths, n)
		}
		in.mu.Unlock()
	}
}

// batch is what an inbox held. Its memory is used again.
type batch struct {
	messages []byte
	lengths  []int
}

// swap takes what has come and leaves an empty batch in its place.
func (in *inbox) swap(b *batch) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.filling, b.messages = b.messages[:0], in.filling
	in.lengths, b.lengths = b.lengths[:0], in.lengths
}

// each hands over the messages.
func (b *batch) each(s *sockdiag.Socket, f func()) {
	rest := b.messages
	for _, n := range b.lengths {
		if s.Parse(rest[:n]) == nil {
			f()
		}
		rest = rest[n:]
	}
}

// lost is how many ends of connections found no room, in the kernel or here.
func (in *inbox) lost() (int64, error) {
	n, err := in.ends.Lost()
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.failed != nil && !errors.Is(in.failed, os.ErrClosed) {
		err = in.failed
	}
	return n + in.overflow, err
}

func (in *inbox) close() error {
	err := in.ends.Close()
	<-in.done
	return err
}
