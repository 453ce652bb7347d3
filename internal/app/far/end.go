// Package far has ends of a path that are reached over SSH: End serves a check or
// a comparison and is gone afterwards, Tuner has that host change its settings.
package far

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"unchoke/internal/app/request"
	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/remote"
	"unchoke/internal/session"
)

// End is a far end that was started over SSH for this one use.
type End struct {
	Name     string // of the target, as a record has it
	host     *remote.Host
	Client   *session.Client // nil where the far host's iperf3 serves
	Token    string          // that its server wants; empty for iperf3
	Port     uint16
	Way      Way
	back     *backDoor // nil unless it connects to this host
	Warnings []string
}

// Open logs in, starts a server there, and finds a way to it. The context
// bounds that; close ends what runs there.
func Open(ctx context.Context, q request.Request, progress request.Progress) (*End, error) {
	f, err := dial(ctx, q, progress)
	if err != nil {
		return nil, err
	}
	if err := f.open(ctx, q, progress); err != nil {
		f.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return f, nil
}

// Serve logs in and starts a server there, for connections of others.
func Serve(ctx context.Context, q request.Request) (*End, error) {
	f, err := dial(ctx, q, request.Progress(nil).OrNone())
	if err != nil {
		return nil, err
	}
	if err := f.serve(ctx); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// RemoteOptions are those of a request.
func RemoteOptions(q request.Request) remote.Options {
	return remote.Options{Protocol: session.Schema, FarBinary: q.FarBinary, Arguments: q.SSH, Batch: q.Batch}
}

// dial logs in.
func dial(ctx context.Context, q request.Request, progress request.Progress) (*End, error) {
	target, err := remote.ParseTarget(q.Target)
	if err != nil {
		return nil, &request.Error{Err: err, Next: "ssh://[user@]host[:port]; what else ssh needs goes into its configuration"}
	}
	o := RemoteOptions(q)
	o.Progress = func(what string) { progress(0, what) }
	host, err := remote.Dial(ctx, target, o)
	if err != nil {
		return nil, err
	}
	return &End{Name: target.String(), host: host}, nil
}

func (f *End) open(ctx context.Context, q request.Request, progress request.Progress) error {
	if err := f.serve(ctx); err != nil {
		return err
	}
	progress(0, "find a way to the far end")
	if err := f.reach(ctx, q.Family); err != nil {
		return err
	}
	f.Warnings = append(f.Warnings, f.host.Warnings...)
	return nil
}

// serve has the far host serve: unchoke, and iperf3 where that cannot run.
func (f *End) serve(ctx context.Context) error {
	lines, err := f.host.Session(ctx)
	if errors.Is(err, remote.ErrNone) && f.host.Facts.IPerf3 != "" {
		f.Warnings = append(f.Warnings, "the far host's iperf3 serves, which tells less than unchoke there would, and serves whoever asks while the check runs: "+err.Error())
		port, err := f.host.Serve(ctx)
		f.Port = uint16(port)
		return err
	}
	if err != nil {
		return err
	}
	if f.Client, err = session.Open(ctx, lines); err != nil {
		return f.host.Explain(err)
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // does not fail
	f.Token = hex.EncodeToString(secret)
	serving, err := f.Client.Serve(ctx, session.Serve{Token: f.Token})
	f.Port = uint16(serving.Port)
	return err
}

// UntilLost is a context that ends with the connection to the far host: what is
// measured after that would wait for nobody.
func (f *End) UntilLost(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	gone := f.host.Ended()
	if f.Client != nil {
		gone = f.Client.Gone()
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

// Close ends what runs on the far host, and the connection.
func (f *End) Close() {
	if f.back != nil {
		f.back.close()
	}
	if f.Client != nil {
		f.Client.End()
	}
	f.host.Close()
}

// Peer is what a record keeps of how the far end came to serve.
func (f *End) Peer() record.Peer {
	p := record.Peer{Access: f.Name, Runs: f.host.Runs, Reached: f.Way.Reached}
	if p.Reached == record.ReachedSSH {
		p.Cipher = f.host.Cipher()
	}
	return p
}

// Addresses are where the far host may be, the likeliest first: where ssh's
// connection goes unless it jumps, what its name means here, and what the far
// host says of its own end.
func (f *End) Addresses(ctx context.Context, family request.Family) []netip.Addr {
	var all []netip.Addr
	add := func(a netip.Addr) {
		a = a.Unmap()
		fits := family == request.AnyFamily || a.Is4() == (family == request.IPv4)
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
func (f *End) errNoWay(tried error) error {
	return hint.With(
		fmt.Errorf("%s: no way leads to its server: %w", f.Name, tried),
		"open a port between the hosts, either way, or allow TCP forwarding in its sshd",
	)
}
