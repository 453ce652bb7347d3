package web

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of the server. A page has one stream and, for a moment, a few more
// connections for its files.
const (
	connectionsMost  = 128
	headerBytesMost  = 16 << 10
	headerPatience   = 5 * time.Second  // to send a request's header
	answerPatience   = 30 * time.Second // to take an answer; streams have their own
	idlePatience     = time.Minute
	shutdownPatience = time.Second
)

// Serve answers on a listener, which it closes, until the context ends or the
// listener fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerPatience,
		WriteTimeout:      answerPatience,
		IdleTimeout:       idlePatience,
		MaxHeaderBytes:    headerBytesMost,
		// What a reader's connection dies of is no news for this host's user, and
		// a request's text does not belong on the terminal.
		ErrorLog: log.New(discard{}, "", 0),
	}
	stop := context.AfterFunc(ctx, func() {
		s.feed.close()
		patience, cancel := context.WithTimeout(context.Background(), shutdownPatience)
		defer cancel()
		if server.Shutdown(patience) != nil {
			_ = server.Close()
		}
	})
	defer stop()
	if admit := s.options.Admit; admit != nil {
		server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, refusedKey{}, admit(c))
		}
	}
	err := server.Serve(&door{Listener: l, free: make(chan struct{}, connectionsMost)})
	if ctx.Err() != nil && errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// refusedKey is where a connection's requests find why they are refused.
type refusedKey struct{}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// door is a listener that holds so many connections at most and turns others
// away at once, instead of leaving them waiting.
type door struct {
	net.Listener
	free chan struct{}
}

func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case d.free <- struct{}{}:
		default:
			_ = c.Close()
			continue
		}
		return &guest{Conn: c, leave: sync.OnceFunc(func() { <-d.free })}, nil
	}
}

// guest frees its place when it is closed.
type guest struct {
	net.Conn
	leave func()
}

func (g *guest) Close() error {
	g.leave()
	return g.Conn.Close()
}
