package tunnel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"time"

	"unchoke/internal/bounded"
	"unchoke/internal/linux/sockdiag"
)

// host is all that a source may touch of this host.
type host interface {
	// Dial connects to a program: network is unix or tcp.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// Run is the standard output of a command.
	Run(ctx context.Context, name string, args ...string) ([]byte, error)
	// Proc is laid out as /proc.
	Proc() fs.FS
	ReadFile(name string) ([]byte, error)
	WireGuard(ctx context.Context, name string) (wireguardDevice, error)
	// Connections are this host's TCP connections to one address and port.
	Connections(remote netip.AddrPort) ([]sockdiag.Connection, error)
}

// maxStatus bounds what is read of a status: that of a network of ten thousand
// peers is some 20 MB.
const maxStatus = 64 << 20

// maxSaid bounds what a command says beside it.
const maxSaid = 1 << 20

var errTooLong = fmt.Errorf("the answer is longer than %d MiB", maxStatus>>20)

// system is this host.
type system struct{}

func (system) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	return conn, why(err)
}

func (system) Run(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = 100 * time.Millisecond
	out, said := bounded.Buffer{Most: maxStatus}, bounded.Buffer{Most: maxSaid}
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case out.Full() || said.Full():
		return nil, fmt.Errorf("%s: %w", name, errTooLong)
	case errors.As(err, &exit):
		message, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		if message == "" {
			message = exit.Error()
		}
		return nil, fmt.Errorf("%s says: %s", name, message)
	case err != nil:
		return nil, fmt.Errorf("run %s: %w", name, why(err))
	}
	return out.Bytes(), nil
}

func (system) Proc() fs.FS { return os.DirFS("/proc") }

func (system) ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, why(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

func (system) Connections(remote netip.AddrPort) ([]sockdiag.Connection, error) {
	return sockdiag.To(remote)
}

// Why there was no answer, in words that tell the user what to do. They wrap
// what the system said.
var (
	errAbsent    = errors.New("not installed, or not running")
	errForbidden = errors.New("not permitted: run as root")
)

// why puts what the system said into words.
func why(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w (%w)", errForbidden, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound), refused(err):
		return fmt.Errorf("%w (%w)", errAbsent, err)
	}
	return err
}

// anotherVersion says that a program answered what this one cannot read.
func anotherVersion(program string, err error) error {
	return fmt.Errorf("%s answered in a form that this version of unchoke does not know: %w", program, err)
}
