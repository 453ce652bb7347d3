package far

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/session"
	"unchoke/iperf3"
)

// Way is how connections reach a far end's server.
type Way struct {
	Reached record.Reach
	Address netip.Addr // of the far host, which probes take too
	// Dial opens connections; nil is the usual way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialUDP opens UDP streams; nil is the usual way.
	DialUDP func(ctx context.Context, address string) (net.Conn, error)
	NoUDP   string // why UDP does not go this way
}

// Ways are tried with short waits: a firewall says nothing.
const (
	// directWait is a lost SYN, which is sent again after a second (RFC 6298 §2),
	// and two more.
	directWait = 3 * time.Second
	backWait   = 4 * time.Second
	sshWait    = 10 * time.Second
)

// Why UDP is left out.
const (
	noUDPBack = "the far host connects to this one, since its own port is closed from here, and its older unchoke does not send UDP first: it would be dropped there"
	noUDPSSH  = "the streams run through SSH, which carries no UDP"
)

// reach finds the first way that leads to the far end's server: its port, a
// connection from there, the SSH connection itself.
func (f *End) reach(ctx context.Context, family request.Family) error {
	addresses := f.Addresses(ctx, family)
	if len(addresses) == 0 {
		return hint.With(
			fmt.Errorf("%s: its address is not known: ssh leads there through other hosts, and its name means nothing here", f.Name),
			"check from the last of those hosts: unchoke check there",
		)
	}
	var tried []error
	for _, a := range addresses {
		w := Way{Reached: record.ReachedDirect, Address: a}
		err := f.knock(ctx, w, directWait)
		if err == nil {
			f.Way = w
			return nil
		}
		tried = append(tried, err)
	}
	if f.Client != nil {
		w, err := f.openBack(ctx, addresses)
		if err == nil {
			f.Way = w
			return nil
		}
		tried = append(tried, err)
	}
	w := Way{Reached: record.ReachedSSH, Address: addresses[0], NoUDP: noUDPSSH, Dial: f.through}
	err := f.knock(ctx, w, sshWait)
	if err == nil {
		f.Way = w
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return f.errNoWay(errors.Join(append(tried, err)...))
}

// knock asks whether the server answers on a way.
func (f *End) knock(ctx context.Context, w Way, patience time.Duration) error {
	client := iperf3.Client{Dial: w.Dial, Timeout: patience}
	return client.Knock(ctx, netip.AddrPortFrom(w.Address, f.Port).String())
}

// through opens a connection inside the SSH connection, to the far host's
// loopback.
func (f *End) through(ctx context.Context, _, _ string) (net.Conn, error) {
	return f.host.Through(ctx, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), f.Port))
}

// openBack lets the far host connect to this one, by an address at which it
// sees this host or from which this host would reach it.
func (f *End) openBack(ctx context.Context, addresses []netip.Addr) (Way, error) {
	door, err := openBackDoor()
	if err != nil {
		return Way{}, err
	}
	var tried []error
	for _, far := range addresses {
		for _, near := range nearAddresses(f.host.Facts.Near, far) {
			at := net.JoinHostPort(near.String(), strconv.Itoa(int(door.port)))
			w := f.wayBack(door, at, far)
			err := f.knock(ctx, w, backWait)
			if err == nil {
				f.back = door
				return w, nil
			}
			tried = append(tried, fmt.Errorf("from there to %s: %w", at, err))
		}
	}
	door.close()
	return Way{}, errors.Join(tried...)
}

// wayBack is the way by connections from the far host to an address of this one.
func (f *End) wayBack(door *backDoor, at string, far netip.Addr) Way {
	w := Way{Reached: record.ReachedBack, Address: far, NoUDP: noUDPBack}
	var last latest
	w.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		answer := last.expect()
		return door.take(ctx, func(ctx context.Context) error {
			// The connection often arrives before the far host's word of it, which is
			// waited for all the same.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backWait)
			defer cancel()
			dialed, err := f.Client.Dial(ctx, session.Dial{Address: at, Token: door.token})
			answer <- dialed.Local
			return err
		})
	}
	if f.Client.Hello.Knows(session.DoSend) {
		w.NoUDP = ""
		w.DialUDP = func(ctx context.Context, address string) (net.Conn, error) {
			from, err := last.wait(ctx) // a test of UDP has one TCP connection, its control connection
			if err != nil {
				return nil, err
			}
			return invite(ctx, at, address, func(ctx context.Context, port int, token string) error {
				return f.Client.Send(ctx, session.Send{From: from, Port: port, Token: token})
			})
		}
	}
	return w
}

// nearAddresses are where a far host may find this one.
func nearAddresses(seen, far netip.Addr) []netip.Addr {
	var all []netip.Addr
	if seen.IsValid() {
		all = append(all, seen)
	}
	// Connecting a UDP socket asks for the route, and sends nothing.
	conn, err := net.Dial("udp", netip.AddrPortFrom(far, 9).String())
	if err != nil {
		return all
	}
	defer conn.Close()
	if own, err := netip.ParseAddrPort(conn.LocalAddr().String()); err == nil && own.Addr().Unmap() != seen {
		all = append(all, own.Addr().Unmap().WithZone(""))
	}
	return all
}
