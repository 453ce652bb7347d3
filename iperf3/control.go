package iperf3

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"unchoke/iperf3/internal/wire"
)

// A control is one side's end of the control connection. Every read and write
// has a deadline.
type control struct {
	conn    net.Conn
	timeout time.Duration // for each answer and each write
	limit   time.Time     // for all of them together; zero is none
	rtt     time.Duration // a client's: of the exchange by which it was let in
}

// deadline is when a wait that begins now is over.
func (c *control) deadline(patience time.Duration) time.Time {
	d := time.Now().Add(patience)
	if !c.limit.IsZero() && c.limit.Before(d) {
		return c.limit
	}
	return d
}

// newCookie draws a test's cookie.
func newCookie() wire.Cookie {
	var random [wire.CookieSize - 1]byte
	fillRandom(random[:])
	return wire.CookieOf(random)
}

// receiveCookie reads what every connection begins with.
func (c *control) receiveCookie() (id wire.Cookie, err error) {
	if err := c.conn.SetReadDeadline(c.deadline(c.timeout)); err != nil {
		return id, err
	}
	_, err = io.ReadFull(c.conn, id[:])
	return id, err
}

func (c *control) send(s wire.State) error {
	if err := c.write([]byte{byte(s)}); err != nil {
		return fmt.Errorf("send %v: %w", s, err)
	}
	return nil
}

func (c *control) write(p []byte) error {
	if err := c.conn.SetWriteDeadline(c.deadline(c.timeout)); err != nil {
		return err
	}
	_, err := c.conn.Write(p)
	return err
}

func (c *control) sendJSON(v any) error {
	if err := c.conn.SetWriteDeadline(c.deadline(c.timeout)); err != nil {
		return err
	}
	return wire.WriteJSON(c.conn, v)
}

func (c *control) receiveJSON(limit int, v any) error {
	if err := c.conn.SetReadDeadline(c.deadline(c.timeout)); err != nil {
		return err
	}
	return wire.ReadJSON(c.conn, limit, v)
}

// sendError tells a client why its test ends.
func (c *control) sendError(code int) error {
	detail := binary.BigEndian.AppendUint32(nil, uint32(code))
	return c.sendLast(wire.ServerError, binary.BigEndian.AppendUint32(detail, 0)...)
}

// sendLast sends a state by which the server ends a visit. It takes no notice
// of the limit, which may be what ends it.
func (c *control) sendLast(s wire.State, detail ...byte) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return err
	}
	_, err := c.conn.Write(append([]byte{byte(s)}, detail...))
	return err
}

// leave ends a client's visit before the test is over, so that the server is
// free again at once.
func (c *control) leave() {
	_ = c.send(wire.ClientTerminate) // a server that is gone needs no word
	c.conn.Close()
}

// receive reads a state, waiting at most for patience; 0 waits without end.
func (c *control) receive(patience time.Duration) (wire.State, error) {
	var deadline time.Time
	if patience > 0 {
		deadline = c.deadline(patience)
	}
	if err := c.conn.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	var b [1]byte
	if _, err := io.ReadFull(c.conn, b[:]); err != nil {
		return 0, err
	}
	return wire.State(int8(b[0])), nil
}

// message is what one receive brought.
type message struct {
	state wire.State
	err   error
}

// A hearing receives one state in the background.
type hearing struct {
	c     <-chan message
	heard bool
	message
}

// listen starts a hearing. The channel has room, so the goroutine ends with
// the read: when a state comes or the connection closes.
func (c *control) listen() *hearing {
	ch := make(chan message, 1)
	go func() {
		s, err := c.receive(0)
		ch <- message{s, err}
	}()
	return &hearing{c: ch}
}

// within waits for the message, at most for d, and tells whether it has come.
func (h *hearing) within(d time.Duration) bool {
	if h.heard {
		return true
	}
	if d <= 0 {
		select {
		case h.message = <-h.c:
			h.heard = true
		default:
		}
		return h.heard
	}
	select {
	case h.message = <-h.c:
		h.heard = true
	case <-time.After(d):
	}
	return h.heard
}

// refusal reads what follows a state by which the server ends a test, and
// returns it as an error; nil for any other state.
func (c *control) refusal(s wire.State) error {
	switch s {
	case wire.AccessDenied:
		return ErrBusy
	case wire.ServerTerminate:
		return ErrTerminated
	case wire.ServerError:
		if err := c.conn.SetReadDeadline(c.deadline(c.timeout)); err != nil {
			return err
		}
		var b [8]byte
		// 3.12 leaves the second number out when it refuses a login.
		n, err := io.ReadFull(c.conn, b[:])
		if n < 4 {
			return vanished(err)
		}
		return &ServerError{Code: int(int32(binary.BigEndian.Uint32(b[:4]))), Errno: int(int32(binary.BigEndian.Uint32(b[4:])))}
	}
	return nil
}

// expect receives the state that must come now.
func (c *control) expect(want wire.State) error {
	got, err := c.receive(c.timeout)
	if err != nil {
		return fmt.Errorf("wait for %v: %w", want, vanished(err))
	}
	return c.verify(want, got)
}

func (c *control) verify(want, got wire.State) error {
	if got == want {
		return nil
	}
	if err := c.refusal(got); err != nil {
		return err
	}
	return fmt.Errorf("wait for %v: %w: it sent %v", want, ErrProtocol, got)
}
