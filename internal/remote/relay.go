//go:build !slim

package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// RelayVerb is the hidden command of this program that Relay is: with the segments'
// bound, host and port.
const RelayVerb = "relay"

// SmallSegments pass most tunnels: 1024 bytes are Linux's own choice where large
// packets seem to vanish (tcp_base_mss).
const SmallSegments = 1024

// Relay connects to a host's port with segments of at most so many bytes, either
// way, and passes what it reads and hears: ssh's ProxyCommand. It tells said which
// address that is, in the words in which ssh does.
func Relay(ctx context.Context, segments int, host, port string, in io.Reader, out, said io.Writer) error {
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) { failed = boundSegments(fd, segments) })
		return errors.Join(err, failed)
	}}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	defer conn.Close()
	if at, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		fmt.Fprintf(said, debugPrefix+"Connecting to %s [%s] port %d.\n", host, at.IP, at.Port)
	}
	go func() {
		_, _ = io.Copy(conn, in)
		conn.Close() // ssh is gone
	}()
	if _, err = io.Copy(out, conn); errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// small are the options of ssh's that have it connect with small segments.
func (o Options) small() (arguments []string, ok bool) {
	program := o.Self
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, false
		}
	}
	// The user's shell runs it, after ssh has replaced what begins with %. Where
	// the file's name means something to a shell, there is no such connection.
	if !relays || strings.ContainsAny(program, `'\`) {
		return nil, false
	}
	command := fmt.Sprintf("'%s' %s --segments %d -- %%h %%p", strings.ReplaceAll(program, "%", "%%"), RelayVerb, SmallSegments)
	return append([]string{"-o", "ProxyCommand=" + command}, o.Arguments...), true
}

// smallSegmentsWarning is what the user should know of such a connection.
var smallSegmentsWarning = fmt.Sprintf("ssh's key exchange got no answer, and with segments of at most %d bytes it did: large packets vanish on the way; ssh runs over small ones for this check", SmallSegments)
