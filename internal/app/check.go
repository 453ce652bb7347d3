package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/audit"
	"unchoke/internal/hint"
	"unchoke/internal/probe"
	"unchoke/internal/record"
	"unchoke/internal/tunnel"
	"unchoke/iperf3"
)

// CheckRequest asks for the path to a server to be measured.
type CheckRequest struct {
	request.Request
	Quick    bool
	Budget   time.Duration // of path time; 0 is the default
	Wait     time.Duration // for a server that is busy
	CC       string        // of the senders; empty is each host's own
	Progress request.Progress
	Web      Web // of a URL
}

// check refuses times that a check would not keep to.
func (q CheckRequest) check() error {
	least := probe.LeastBudget(q.Quick)
	switch {
	case q.Wait < 0:
		return request.Refuse("", "wait %v: a time is not negative", q.Wait)
	case q.Budget == 0 || q.Budget >= least:
		return nil
	case q.Quick:
		return request.Refuse("give no budget", "budget %v: a quick check takes at least %v", q.Budget, least)
	}
	return request.Refuse(fmt.Sprintf("a quick check takes at least %v", probe.LeastBudget(true)),
		"budget %v: a check takes at least %v", q.Budget, least)
}

// tellTime is how long the far end may take for its account of the tests, some
// megabytes on a path that may be slow.
const tellTime = 15 * time.Second

// Check measures a path and keeps the record. A run that failed midway returns
// both: the record of what it saw, and the error. The record is nil where
// nothing was measured.
func Check(ctx context.Context, q CheckRequest) (*record.Run, error) {
	if err := errors.Join(q.check(), q.Web.check(q.Target)); err != nil {
		return nil, err
	}
	switch request.KindOf(q.Target) { // a kind has a file: check_KIND.go
	case request.SSHTarget:
		return q.checkSSH(ctx)
	case request.URLTarget:
		return q.checkURL(ctx)
	default:
		return q.checkServer(ctx)
	}
}

// checkServer measures the path to an iperf3 server.
func (q CheckRequest) checkServer(ctx context.Context) (*record.Run, error) {
	server, err := request.LookUp(ctx, q.Target, q.Family, iperf3.DefaultPort)
	if err != nil {
		return nil, err
	}
	run := record.New(net.JoinHostPort(request.Host(q.Target), strconv.Itoa(int(server.Port()))), q.Version, time.Now())
	return q.measure(ctx, run, server, nil, func(*probe.Options) {})
}

// account is what the far end of a session saw of the tests.
type account interface{ Tell(context.Context) }

// measure fills a run by tests with the server at an address, and by what the
// far end of a session tells of them, if there is one to follow, and keeps it.
func (q CheckRequest) measure(ctx context.Context, run *record.Run, server netip.AddrPort, follow func() account, adapt func(*probe.Options)) (*record.Run, error) {
	near, warnings := audit.Host()
	run.Near, run.Warnings = near, append(warnings, run.Warnings...)
	var err error
	if run.Route, err = audit.Route(server.Addr()); err != nil {
		run.Warnings = append(run.Warnings, err.Error())
	}
	carrier := tunnel.Watch(run.Route)
	options := probe.Options{
		Address: server.Addr(), Port: server.Port(),
		Quick: q.Quick, Budget: q.Budget, Wait: q.Wait, CC: q.CC, Token: q.Token,
		Tunnel:   carrier,
		Progress: q.Progress.OrNone(),
	}
	adapt(&options)
	var ends account
	if follow != nil {
		ends = follow()
	}
	err = probe.Check(ctx, run, options)
	if ends != nil {
		// Interrupted, what was measured is told of all the same.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellTime)
		ends.Tell(ctx)
		cancel()
	}
	run.Route.Tunnel = carrier.Tunnel()
	run.NICs = audit.NICs(run.Route)
	if err != nil {
		err = fmt.Errorf("check %s: %w", q.Target, err)
	}
	if len(run.Transfers) == 0 && err != nil && !errors.Is(err, probe.ErrStarved) {
		if t := run.Route.Tunnel; t.NearTCP == record.Userspace {
			err = hint.With(err, t.Kind+" runs here without a TUN device: this host's connections do not enter its network. Give it one (no --tun=userspace-networking), or check from a host that has it")
		}
		return nil, err
	}
	q.Save(run, &run.Warnings)
	return run, err
}
