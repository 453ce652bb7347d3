package iperf3

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"unchoke/iperf3/internal/link"
	"unchoke/iperf3/internal/wire"
)

// A failure is a kind of error that a caller may test for with errors.Is, with
// the next step for whoever meets it.
type failure struct{ what, hint string }

func (f *failure) Error() string { return f.what }

// Hint says what to do next.
func (f *failure) Hint() string { return f.hint }

// The ways in which a test fails, apart from *ServerError.
var (
	// ErrRefused: nothing listens on the server's port.
	ErrRefused error = &failure{
		"connection refused: nothing listens there",
		"start `iperf3 -s` or `unchoke serve --listen :5201` on the far host, or name the right port",
	}
	// ErrBusy: the server runs another test. Stock servers say so or, in some
	// states, just do not answer.
	ErrBusy error = &failure{
		"the server is busy with another test, or does not speak iperf3",
		"try again when the other test is over; an `iperf3 -s` that stays busy with no client must be restarted",
	}
	// ErrVanished: the server stopped answering or closed the connection in
	// the middle of a test.
	ErrVanished error = &failure{
		"the server vanished in the middle of the test",
		"look at the far host: is the server still running, and is the path up?",
	}
	// ErrTerminated: the server ended the test of its own accord.
	ErrTerminated error = &failure{
		"the server ended the test",
		"someone stopped the server, or the test ran into one of its limits; see its output",
	}
	// ErrProtocol: the peer sent what the protocol does not allow.
	ErrProtocol error = &failure{
		"the peer violates the iperf3 protocol",
		"check that an iperf3 server (3.12 or newer) listens there, and that nothing in between alters the traffic",
	}
	// ErrUDPBlocked: the server's TCP port answers, its UDP port does not.
	ErrUDPBlocked error = &failure{
		"no UDP packet reaches the server and returns",
		"a firewall may drop UDP: allow it on the server's port, the same number as for TCP",
	}
	// ErrCongestionDenied: the server ended the test when it was to set the
	// congestion control. Stock servers do where the kernel has it and does not
	// allow it to them; 3.12 then just drops the connection.
	ErrCongestionDenied error = &failure{
		"the server failed to set that congestion control",
		"its user may choose only what net.ipv4.tcp_allowed_congestion_control lists on that host",
	}
	// ErrCongestion: this host refuses the congestion control asked for.
	ErrCongestion = link.ErrCongestion
)

// Hint returns the next step for an error of this package, or "".
func Hint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// A ServerError is what a server reports with SERVER_ERROR.
type ServerError struct {
	Code  int // iperf3's own number, i_errno
	Errno int // the server's errno, of its own system; 0 if it has nothing to say
}

func (e *ServerError) Error() string {
	text, ok := wire.ErrorText(e.Code)
	if !ok {
		text = fmt.Sprintf("error %d", e.Code)
	}
	if e.Errno > 0 && wire.HasErrno(e.Code) {
		// Errno is of the server's system, which is Linux more often than not.
		return fmt.Sprintf("the server reports: %s (its errno %d: %v)", text, e.Errno, syscall.Errno(e.Errno))
	}
	return "the server reports: " + text
}

// Hint says what to do next.
func (e *ServerError) Hint() string {
	switch e.Code {
	case wire.CodeAuth:
		return "this server requires a token or a user name: give the one that it was started with"
	case wire.CodeDuration, wire.CodeMaxDuration, wire.CodeExpired:
		return "ask for a shorter test"
	case wire.CodeStreams:
		return "ask for fewer streams"
	case wire.CodeTotalRate:
		return "ask for a lower rate"
	case wire.CodeSetCongestion:
		return "see net.ipv4.tcp_allowed_congestion_control on the server"
	case wire.CodeSetBuffer, wire.CodeSetBufferSmall:
		return "ask for a smaller window, or raise net.core.rmem_max and wmem_max on the server"
	}
	return "see what the server itself printed"
}

// vanished classifies an error of the control connection while the client was
// waiting for something.
func vanished(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: no answer", ErrVanished)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it closed the connection", ErrVanished)
	case link.IsReset(err):
		return fmt.Errorf("%w: it reset the connection", ErrVanished)
	case errors.Is(err, net.ErrClosed):
		return fmt.Errorf("%w: the connection is closed", ErrVanished)
	}
	var netErr net.Error
	if errors.As(err, &netErr) {
		return fmt.Errorf("%w: %w", ErrVanished, err)
	}
	return fmt.Errorf("%w: %w", ErrProtocol, err)
}
