//go:build !slim

package remote

import (
	"context"
	"time"
)

// Options of a connection.
type Options struct {
	// Protocol is what the far host's own unchoke must speak to be used: the
	// "session" of its version --json. Empty takes none.
	Protocol string
	// Self is this program's file, which is delivered; empty is the running one.
	Self string
	// FarBinary is a program for the far host, or a directory of them named
	// unchoke-SYSTEM-ARCHITECTURE; empty is none.
	FarBinary string
	// Arguments are further options of ssh's, as for -i or -J; the user's own
	// inventory names them.
	Arguments []string
	// Needs is a request that the far host's own unchoke must know to be used;
	// empty is none beside those that all know.
	Needs string
	// Become has the far program run with root's rights, by sudo where the login is
	// not root's.
	Become bool
	// Password asks the user for sudo's password, where it wants one. It may be
	// nil, and return ErrNoTerminal.
	Password func(ctx context.Context) (string, error)
	// Batch lets ssh ask nobody, also where there is a terminal.
	Batch bool
	// Progress hears what is being done; it may be nil.
	Progress func(what string)
}

func (o Options) progress(what string) {
	if o.Progress != nil {
		o.Progress(what)
	}
}

const (
	// connectTimeout bounds the connection of a user who has set no
	// ConnectTimeout: TCP's own tries take two minutes.
	connectTimeout = 15 * time.Second
	// shellTimeout is how long a login shell may take, once ssh has let the user
	// in, until far.sh runs: slow routers start slow shells.
	shellTimeout = 20 * time.Second
	// closeTimeout is how long the far side may take to end by itself.
	closeTimeout = 4 * time.Second
)
