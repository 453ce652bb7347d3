//go:build !slim

package cli

import (
	"context"
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"

	"unchoke/internal/remote"
)

// PasswordOnce asks on the terminal at the first call, and gives every other the
// same answer.
func (a *App) PasswordOnce(host string) func(context.Context) (string, error) {
	var mu sync.Mutex
	var answer string
	return func(ctx context.Context) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if answer != "" {
			return answer, nil
		}
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return "", remote.ErrNoTerminal
		}
		defer tty.Close()
		_ = line(tty, "sudo's password on %s:", host)
		answer, err = readSecret(ctx, tty)
		return answer, err
	}
}

// readSecret reads a line that the terminal does not show. When ctx ends, the
// terminal is as it was.
func readSecret(ctx context.Context, tty *os.File) (string, error) {
	fd := int(tty.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("%w: %w", remote.ErrNoTerminal, err)
	}
	defer func() { _ = term.Restore(fd, before) }()
	type reply struct {
		secret []byte
		err    error
	}
	read := make(chan reply, 1)
	go func() {
		secret, err := term.ReadPassword(fd)
		read <- reply{secret, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case r := <-read:
		return string(r.secret), r.err
	}
}
