//go:build !slim

package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/remote"
	"unchoke/internal/session"
)

// Place is a host, or a part of one, from which a target is checked.
type Place interface {
	// Name is the place as the user named it.
	Name() string
	// Reach begins what Check needs there, which it begins itself otherwise.
	Reach(ctx context.Context) error
	// Check is app.Check from there. What it saves is saved there.
	Check(ctx context.Context, q CheckRequest) (*record.Run, error)
	// Close ends what runs there.
	Close()
}

// Places that are not hosts.
const (
	LocalPlace  = "local"  // this host
	netnsPrefix = "netns:" // a network namespace of this host
)

// ParsePlaces reads the places of --from: local, ssh://[user@]host[:port], or
// netns:NAME, a network namespace of this host. Options are those of SSH.
func ParsePlaces(names []string, o remote.Options) ([]Place, error) {
	var out []Place
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, request.Refuse("name each place once", "place %s: it is there twice", name)
		}
		p, err := ParsePlace(name, o)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func ParsePlace(name string, o remote.Options) (Place, error) {
	switch {
	case name == LocalPlace:
		return local{}, nil
	case strings.HasPrefix(name, remote.Scheme):
		target, err := remote.ParseTarget(name)
		if err != nil {
			return nil, &request.Error{Err: err}
		}
		return &distant{name: name, reach: overSSH(target, o)}, nil
	case strings.HasPrefix(name, netnsPrefix):
		space, err := namespace(name, namespaces)
		if err != nil {
			return nil, err
		}
		return &distant{name: name, reach: inNamespace(space)}, nil
	}
	return nil, request.Refuse("local for this host, ssh://[user@]host[:port] for another one, netns:NAME for a network namespace of this host",
		"place %q is none", name)
}

// local is this host.
type local struct{}

func (local) Name() string                { return LocalPlace }
func (local) Reach(context.Context) error { return nil }
func (local) Close()                      {}

func (local) Check(ctx context.Context, q CheckRequest) (*record.Run, error) { return Check(ctx, q) }

// distant is where a session runs. It is begun at the first check, and again
// where it was lost.
type distant struct {
	name  string
	reach func(context.Context) (*session.Client, func(), error)

	client *session.Client
	leave  func()
}

func (d *distant) Name() string { return d.name }

// Reach begins a session there, where there is none or it was lost.
func (d *distant) Reach(ctx context.Context) error {
	if d.client != nil {
		select {
		case <-d.client.Gone():
			d.Close()
		default:
			return nil
		}
	}
	client, leave, err := d.reach(ctx)
	if err == nil {
		d.client, d.leave = client, leave
	}
	return err
}

func (d *distant) Check(ctx context.Context, q CheckRequest) (*record.Run, error) {
	if d.client == nil {
		q.Progress.OrNone()(0, "reach it")
	}
	if err := d.Reach(ctx); err != nil {
		return nil, err
	}
	return d.client.Check(ctx, session.Check{
		Target: q.Target, Family: string(q.Family), Token: q.Token, CC: q.CC, Quick: q.Quick,
		Budget: q.Budget.Seconds(), Wait: q.Wait.Seconds(),
	}, q.Progress)
}

func (d *distant) Close() {
	if d.client != nil {
		d.client.End()
		d.leave()
		d.client = nil
	}
}

// overSSH reaches a host by the user's ssh.
func overSSH(t remote.Target, o remote.Options) func(context.Context) (*session.Client, func(), error) {
	o.Protocol = session.Schema
	return func(ctx context.Context) (*session.Client, func(), error) {
		host, err := remote.Dial(ctx, t, o)
		if err != nil {
			return nil, nil, err
		}
		rwc, err := host.Session(ctx)
		if err == nil {
			var client *session.Client
			if client, err = session.Open(ctx, rwc); err == nil {
				return client, host.Close, nil
			}
		}
		host.Close()
		if errors.Is(err, remote.ErrNone) {
			err = hint.With(err, "a place needs an unchoke: install one there, or name a build for that host with --far-binary")
		}
		return nil, nil, err
	}
}

// inNamespace runs this program in a network namespace of this host.
func inNamespace(name string) func(context.Context) (*session.Client, func(), error) {
	return func(ctx context.Context) (*session.Client, func(), error) {
		self, err := os.Executable()
		if err != nil {
			return nil, nil, err
		}
		client, leave, err := converse(ctx, exec.Command("ip", "netns", "exec", name, self, "session"))
		if err != nil {
			return nil, nil, hint.With(fmt.Errorf("enter the network namespace %s: %w", name, err), "`ip netns exec "+name+" true` must work: it takes root")
		}
		return client, leave, nil
	}
}

// converse holds a session with a process of this host.
func converse(ctx context.Context, cmd *exec.Cmd) (*session.Client, func(), error) {
	p, err := startPipe(cmd)
	if err != nil {
		return nil, nil, err
	}
	client, err := session.Open(ctx, p)
	if err != nil {
		_ = p.Close()
		if said := p.lastSaid(); said != "" {
			err = fmt.Errorf("%w; to standard error it said %q", err, said)
		}
		return nil, nil, err
	}
	return client, func() { _ = p.Close() }, nil
}

// leaveTime is how long a process may take to end once its input has.
const leaveTime = 5 * time.Second
