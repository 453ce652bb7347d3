package session

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"unchoke/internal/audit"
	"unchoke/internal/probe/load"
	"unchoke/internal/record"
	"unchoke/internal/tunnel"
)

// follower follows the tunnel on the way to the near end.
type follower struct {
	host    *load.Host
	watcher *tunnel.Watcher
	began   time.Time
}

// audit answers Audit.
func (s *far) audit(ctx context.Context, q Audit) (Audited, error) {
	address, err := s.near(q.Address)
	if err != nil {
		return Audited{}, err
	}
	var out Audited
	out.Host, out.Warnings = audit.Host()
	if out.Route, err = audit.Route(address); err != nil {
		out.Warnings = append(out.Warnings, err.Error())
	}
	f := &follower{host: load.New(out.Route.Device), watcher: tunnel.Watch(out.Route), began: time.Now()}
	f.watcher.Look(ctx, 0)
	out.Route.Tunnel = f.watcher.Tunnel()
	out.NICs = audit.NICs(out.Route)
	s.mu.Lock()
	before := s.follow
	s.follow = f
	if s.server != nil {
		s.server.mu.Lock()
		s.server.host = f.host
		s.server.mu.Unlock()
	}
	s.mu.Unlock()
	if before == nil {
		s.busy.Go(s.watchTunnel)
	}
	return out, nil
}

// near is the near end's address: as asked, or as this host saw it last.
func (s *far) near(asked string) (netip.Addr, error) {
	if asked == "" {
		s.mu.Lock()
		if s.server != nil {
			s.server.mu.Lock()
			asked = s.server.client
			s.server.mu.Unlock()
		}
		s.mu.Unlock()
	}
	if asked == "" {
		asked = nearAddress()
	}
	if asked == "" {
		return netip.Addr{}, errors.New("audit: the near end's address is not known here")
	}
	address, err := netip.ParseAddr(asked)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("audit: %w", err)
	}
	return address.Unmap(), nil
}

// watchTunnel asks the tunnel's program while the session lasts: of the way that
// was audited last.
func (s *far) watchTunnel() {
	for {
		s.mu.Lock()
		f := s.follow
		s.mu.Unlock()
		every := f.watcher.Every()
		pause := every
		if every == 0 {
			pause = time.Second // another audit may find a tunnel that can be asked
		}
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(pause):
		}
		if every > 0 {
			f.watcher.Look(s.ctx, time.Since(f.began))
		}
	}
}

// tunnel is what is known of it by now.
func (f *follower) tunnel(ctx context.Context) *record.Tunnel {
	f.watcher.Look(ctx, time.Since(f.began))
	t := f.watcher.Tunnel()
	return &t
}
