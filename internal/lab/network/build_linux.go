package network

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"

	"unchoke/internal/linux/netns"
)

// Network is a running emulated path.
type Network struct {
	Near, Far *Host
	// Cross and CrossFar are the hosts beside them that other traffic comes
	// from and goes to; nil on a path without.
	Cross, CrossFar *Host
	// Hosts names the addresses: near, far and far.underlay, each with IPv4
	// and IPv6. With a tunnel, near and far are the addresses inside it.
	Hosts []Entry

	mid      *netns.Namespace
	follower *follower
}

// Host is one end of the path.
type Host struct {
	ns  *netns.Namespace
	mtu int
	identity
}

// Build makes the network. When it returns, all addresses are usable, a
// tunnel is up, and no packet has met the path yet.
func Build(cfg Config) (_ *Network, err error) {
	plans, err := newPlanner(cfg)
	if err != nil {
		return nil, err
	}
	directions, err := plans.at(0, 0)
	if err != nil {
		return nil, err
	}
	n := new(Network)
	defer func() {
		if err != nil {
			n.Close()
		}
	}()
	if n.mid, err = netns.New(); err != nil {
		return nil, err
	}
	if n.Near, err = newHost(near, cfg.Path.HostMTU(), cfg.NoIPv6); err != nil {
		return nil, err
	}
	if n.Far, err = newHost(far, cfg.Path.HostMTU(), cfg.NoIPv6); err != nil {
		return nil, err
	}
	if cfg.Path.Crossed() {
		if n.Cross, err = newHost(cross, cfg.Path.EffectiveMTU(), true); err != nil {
			return nil, err
		}
		if n.CrossFar, err = newHost(crossFar, cfg.Path.EffectiveMTU(), true); err != nil {
			return nil, err
		}
	}
	var middle *middle
	err = n.mid.Do(func() error {
		middle, err = newMiddle(n, directions, cfg.Path.HostMTU())
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := n.connectHosts(cfg.Path); err != nil {
		return nil, err
	}
	if err := n.addTunnel(cfg); err != nil {
		return nil, err
	}
	n.Hosts = hostEntries(n.Near.identity, n.Far.identity, cfg.Path.Tunnel)
	// Last, so that the path's random numbers begin with the user's packets.
	if err := n.mid.Do(middle.impair); err != nil {
		return nil, err
	}
	n.follower = &follower{plans: plans, mid: middle}
	return n, nil
}

func newHost(id identity, mtu int, noIPv6 bool) (*Host, error) {
	ns, err := netns.New()
	if err != nil {
		return nil, fmt.Errorf("host %s: %w", id.name, err)
	}
	if noIPv6 {
		id.outer.v6, id.inner.v6 = netip.Prefix{}, netip.Prefix{}
		if err := ns.Do(silenceIPv6); err != nil {
			return nil, errors.Join(fmt.Errorf("host %s: %w", id.name, err), ns.Close())
		}
	}
	return &Host{ns: ns, mtu: mtu, identity: id}, nil
}

// Addr is the host's IPv4 address on the path, outside any tunnel.
func (h *Host) Addr() netip.Addr { return h.outer.v4.Addr() }

// MTU is that of the host's card, in bytes.
func (h *Host) MTU() int { return h.mtu }

// Do runs f on a locked thread inside the host's network namespace. Sockets
// that f opens belong to the host for good; goroutines that it starts do not.
func (h *Host) Do(f func() error) error { return h.ns.Do(f) }

// Start starts a process inside the host's network namespace.
func (h *Host) Start(cmd *exec.Cmd) error { return h.ns.Do(cmd.Start) }

// Close takes the network down, once the processes inside it have ended.
func (n *Network) Close() error {
	errs := []error{n.End()}
	for _, h := range []*Host{n.CrossFar, n.Cross, n.Far, n.Near} {
		if h != nil {
			errs = append(errs, h.ns.Close())
		}
	}
	if n.mid != nil {
		errs = append(errs, n.mid.Close())
	}
	return errors.Join(errs...)
}

// silenceIPv6 keeps IPv6 off the devices that the calling thread's network
// namespace will have.
func silenceIPv6() error {
	if err := setSysctl("ipv6/conf/default/disable_ipv6", "1"); err != nil {
		return fmt.Errorf("silence IPv6: %w", err)
	}
	return nil
}

// setSysctl writes a setting of the calling thread's network namespace.
func setSysctl(file, value string) error {
	return os.WriteFile("/proc/sys/net/"+file, []byte(value), 0)
}
