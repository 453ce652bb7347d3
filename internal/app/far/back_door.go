package far

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// backDoor is a port of this host at which a far end connects for one session:
// it takes connections that begin with the token, and no others.
type backDoor struct {
	listener net.Listener
	port     uint16
	token    string
	arrived  chan net.Conn
	gone     chan struct{}
}

// backTokenWait is how long a connection may take to send its token, and
// maxStrangers how many may be about to.
const (
	backTokenWait = 5 * time.Second
	maxStrangers  = 32
)

func openBackDoor() (*backDoor, error) {
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		return nil, fmt.Errorf("listen for the far host: %w", err)
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // does not fail
	d := &backDoor{
		listener: listener, port: uint16(listener.Addr().(*net.TCPAddr).Port),
		token: hex.EncodeToString(secret), arrived: make(chan net.Conn), gone: make(chan struct{}),
	}
	go d.accept()
	return d, nil
}

func (d *backDoor) accept() {
	meeting := make(chan struct{}, maxStrangers)
	for {
		conn, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		select {
		case meeting <- struct{}{}:
			go func() {
				d.meet(conn)
				<-meeting
			}()
		default:
			conn.Close()
		}
	}
}

// meet reads the token and no byte more, and hands the connection over.
func (d *backDoor) meet(conn net.Conn) {
	said := make([]byte, len(d.token)+1)
	_ = conn.SetReadDeadline(time.Now().Add(backTokenWait))
	_, err := io.ReadFull(conn, said)
	if err != nil || subtle.ConstantTimeCompare(said, []byte(d.token+"\n")) == 0 {
		conn.Close()
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	select {
	case d.arrived <- conn:
	case <-d.gone:
		conn.Close()
	case <-time.After(backTokenWait): // nobody waits for it any more
		conn.Close()
	}
}

// take asks for a connection and waits for it.
func (d *backDoor) take(ctx context.Context, ask func(context.Context) error) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, backWait)
	defer cancel()
	asked := make(chan error, 1)
	go func() { asked <- ask(ctx) }()
	for {
		select {
		case conn := <-d.arrived:
			return conn, nil
		case err := <-asked:
			if err != nil {
				return nil, err
			}
			asked = nil // it is on its way
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the far host's connection: %w", context.Cause(ctx))
		}
	}
}

func (d *backDoor) close() {
	close(d.gone)
	d.listener.Close()
}
