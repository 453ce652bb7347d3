package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/remote"
	"unchoke/internal/session"
)

// far is a far end that was started over SSH for this one use.
type far struct {
	name   string // of the target, as a record has it
	host   *remote.Host
	client *session.Client // nil where the far host's iperf3 serves
	token  string          // that its server wants; empty for iperf3
	port   uint16
	way    way
	back   *backDoor // nil unless it connects to this host
	warned []string
}

// openFar logs in, starts a server there, and finds a way to it. The context
// bounds that; close ends what runs there.
func openFar(ctx context.Context, q Request, progress Progress) (*far, error) {
	f, err := dialFar(ctx, q, progress)
	if err != nil {
		return nil, err
	}
	if err := f.open(ctx, q, progress); err != nil {
		f.close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return f, nil
}

// serveFar logs in and starts a server there, for connections of others.
func serveFar(ctx context.Context, q Request) (*far, error) {
	f, err := dialFar(ctx, q, Progress(nil).orNone())
	if err != nil {
		return nil, err
	}
	if err := f.serve(ctx); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// remoteOptions are those of a request.
func remoteOptions(q Request) remote.Options {
	return remote.Options{Protocol: session.Schema, FarBinary: q.FarBinary, Arguments: q.SSH}
}

// dialFar logs in.
func dialFar(ctx context.Context, q Request, progress Progress) (*far, error) {
	target, err := remote.ParseTarget(q.Target)
	if err != nil {
		return nil, &RequestError{err: err, hint: "ssh://[user@]host[:port]; what else ssh needs goes into its configuration"}
	}
	o := remoteOptions(q)
	o.Progress = func(what string) { progress(0, what) }
	host, err := remote.Dial(ctx, target, o)
	if err != nil {
		return nil, err
	}
	return &far{name: target.String(), host: host}, nil
}

func (f *far) open(ctx context.Context, q Request, progress Progress) error {
	if err := f.serve(ctx); err != nil {
		return err
	}
	progress(0, "find a way to the far end")
	if err := f.reach(ctx, q.Family); err != nil {
		return err
	}
	f.warned = append(f.warned, f.host.Warnings...)
	return nil
}

// serve has the far host serve: unchoke, and iperf3 where that cannot run.
func (f *far) serve(ctx context.Context) error {
	lines, err := f.host.Session(ctx)
	if errors.Is(err, remote.ErrNone) && f.host.Facts.IPerf3 != "" {
		f.warned = append(f.warned, "the far host's iperf3 serves, which tells less than unchoke there would, and serves whoever asks while the check runs: "+err.Error())
		port, err := f.host.Serve(ctx)
		f.port = uint16(port)
		return err
	}
	if err != nil {
		return err
	}
	if f.client, err = session.Open(ctx, lines); err != nil {
		return f.host.Explain(err)
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // does not fail
	f.token = hex.EncodeToString(secret)
	serving, err := f.client.Serve(ctx, session.Serve{Token: f.token})
	f.port = uint16(serving.Port)
	return err
}

// untilLost is a context that ends with the connection to the far host: what is
// measured after that would wait for nobody.
func (f *far) untilLost(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	gone := f.host.Ended()
	if f.client != nil {
		gone = f.client.Gone()
	}
	go func() {
		select {
		case <-gone:
			cancel(f.host.Explain(errLost))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

var errLost = errors.New("the far end is gone")

// close ends what runs on the far host, and the connection.
func (f *far) close() {
	if f.back != nil {
		f.back.close()
	}
	if f.client != nil {
		f.client.End()
	}
	f.host.Close()
}

// peer is what a record keeps of how the far end came to serve.
func (f *far) peer() record.Peer {
	p := record.Peer{Access: f.name, Runs: f.host.Runs, Reached: f.way.reached}
	if p.Reached == record.ReachedSSH {
		p.Cipher = f.host.Cipher()
	}
	return p
}

// addresses are where the far host may be, the likeliest first: where ssh's
// connection goes unless it jumps, what its name means here, and what the far
// host says of its own end.
func (f *far) addresses(ctx context.Context, family Family) []netip.Addr {
	var all []netip.Addr
	add := func(a netip.Addr) {
		a = a.Unmap()
		fits := family == AnyFamily || a.Is4() == (family == IPv4)
		for _, had := range all {
			fits = fits && had != a
		}
		if a.IsValid() && !a.IsUnspecified() && fits {
			all = append(all, a)
		}
	}
	if !f.host.Jumps {
		add(f.host.Address())
	}
	if found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", f.host.Hostname); err == nil {
		for _, a := range found {
			// A name that leads here means the far host's own loopback behind a jump.
			if !f.host.Jumps || !a.IsLoopback() {
				add(a)
			}
		}
	}
	if !f.host.Facts.Address.IsLoopback() {
		add(f.host.Facts.Address)
	}
	return all
}

// errNoWay says that the far end serves, and nothing reaches it.
func (f *far) errNoWay(tried error) error {
	return hint.With(
		fmt.Errorf("%s: no way leads to its server: %w", f.name, tried),
		"open a port between the hosts, either way, or allow TCP forwarding in its sshd",
	)
}
