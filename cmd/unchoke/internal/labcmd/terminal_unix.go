//go:build unix && !slim

package labcmd

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"unchoke/internal/lab"
)

// passedSignals are the signals that a command in the lab gets from us.
func passedSignals() (<-chan os.Signal, func()) {
	signals := make(chan os.Signal, 16) // more at once are lost, as signals are
	for _, s := range []os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH,
	} {
		if !signal.Ignored(s) { // as SIGHUP is under nohup
			signal.Notify(signals, s)
		}
	}
	return signals, func() { signal.Stop(signals) }
}

// shareTerminal gives the command our terminal, if stdin is one: its own
// terminal in the lab does what ours did with what is typed.
func shareTerminal(c *lab.Command, stdin *os.File) (restore func(), err error) {
	fd := int(stdin.Fd())
	if !term.IsTerminal(fd) {
		return func() {}, nil
	}
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, fmt.Errorf("share the terminal: %w", err)
	}
	c.Terminal = stdin
	c.Stdin = &impatience{r: stdin}
	return func() { _ = term.Restore(fd, before) }, nil
}

// impatience watches what is typed for ^C thrice in a row. The terminal in the
// lab turns each into a signal for the command; where that does not help, the
// third is for the lab.
type impatience struct {
	r     io.Reader
	count int
	first time.Time
}

const (
	interruptKey    = 3 // ^C
	interruptKeys   = 3
	interruptWithin = 2 * time.Second
)

func (i *impatience) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	for _, key := range p[:n] {
		if key != interruptKey {
			i.count = 0
			continue
		}
		if i.count == 0 || time.Since(i.first) > interruptWithin {
			i.count, i.first = 0, time.Now()
		}
		if i.count++; i.count == interruptKeys {
			// Twice, as from outside: the first asks, the second ends.
			for range 2 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
				time.Sleep(10 * time.Millisecond) // two at once would be one
			}
		}
	}
	return n, err
}
