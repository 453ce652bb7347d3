package network

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"unchoke/internal/linux/link"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/path"
)

// Names of the tunnel devices.
const (
	wireguardDevice = "wg0"
	greDevice       = "gre1" // gre0 is the kernel's own
)

const wireguardPort = 51820

// addTunnel joins the hosts' inner addresses.
func (n *Network) addTunnel(cfg Config) error {
	if cfg.Path.Tunnel == "" {
		return nil
	}
	n.Near.inner, n.Far.inner = within(cfg.Path, n.Near.inner), within(cfg.Path, n.Far.inner)
	for _, h := range []struct {
		*Host
		peer identity
	}{{n.Near, n.Far.identity}, {n.Far, n.Near.identity}} {
		err := h.Do(func() error { return addTunnelEnd(cfg, h.identity, h.peer) })
		if err != nil {
			return fmt.Errorf("host %s: %w", h.name, err)
		}
	}
	if cfg.Path.Tunnel == path.WireGuard {
		return n.shakeHands()
	}
	return nil
}

func addTunnelEnd(cfg Config, self, peer identity) error {
	var device string
	var err error
	mtu := tunnelMTU(cfg.Path)
	switch cfg.Path.Tunnel {
	case path.WireGuard:
		device = wireguardDevice
		err = link.WireGuard{
			Name:       device,
			MTU:        mtu,
			Segments:   segments,
			Key:        privateKey(cfg.Seed, self),
			ListenPort: wireguardPort,
			Peer:       privateKey(cfg.Seed, peer).PublicKey(),
			Endpoint:   netip.AddrPortFrom(peer.outer.v4.Addr(), wireguardPort),
			Allowed:    peer.inner.addrs(),
		}.Add()
	case path.GRE:
		device = greDevice
		err = link.AddGRE(device, self.outer.v4.Addr(), peer.outer.v4.Addr(), mtu, segments)
	case path.IP6GRE:
		device = greDevice
		err = link.AddGRE(device, self.outer.v6.Addr(), peer.outer.v6.Addr(), mtu, segments)
	default:
		return fmt.Errorf("unknown tunnel %q", cfg.Path.Tunnel)
	}
	if err != nil {
		return err
	}
	dev, err := link.Find(device)
	if err != nil {
		return err
	}
	requests := []rtnl.Request{link.Up(dev, device)}
	for _, p := range self.inner.all() {
		requests = append(requests, link.Address(dev, p))
	}
	return rtnl.Do(requests...)
}

// privateKey is a host's WireGuard key. It guards nothing.
func privateKey(seed uint64, host identity) wgtypes.Key {
	key := wgtypes.Key(derive(seed, "wireguard "+host.name))
	// curve25519's clamping, RFC 7748 §5.
	key[0] &= 248
	key[31] = key[31]&127 | 64
	return key
}

// shakeHands sends a datagram through the tunnel each way, so that both ends
// have their session keys. On a path that loses packets a handshake may take
// many seconds, and a tunnel in use had its own long ago.
func (n *Network) shakeHands() error {
	const patience = 5 * time.Second // a host under load; otherwise milliseconds
	if err := outlastBoot(); err != nil {
		return fmt.Errorf("wireguard handshake: %w", err)
	}
	var here, there *net.UDPConn
	listen := func(h *Host, conn **net.UDPConn) error {
		return h.Do(func() (err error) {
			*conn, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(h.inner.v4.Addr(), 0)))
			return err
		})
	}
	if err := listen(n.Near, &here); err != nil {
		return fmt.Errorf("wireguard handshake: %w", err)
	}
	defer here.Close()
	if err := listen(n.Far, &there); err != nil {
		return fmt.Errorf("wireguard handshake: %w", err)
	}
	defer there.Close()
	for _, hop := range []struct{ from, to *net.UDPConn }{{here, there}, {there, here}} {
		if _, err := hop.from.WriteTo([]byte{0}, hop.to.LocalAddr()); err != nil {
			return fmt.Errorf("wireguard handshake: %w", err)
		}
		if err := hop.to.SetReadDeadline(time.Now().Add(patience)); err != nil {
			return fmt.Errorf("wireguard handshake: %w", err)
		}
		if _, _, err := hop.to.ReadFrom(make([]byte, 1)); err != nil {
			return fmt.Errorf("wireguard handshake: %w", err)
		}
	}
	return nil
}

// outlastBoot waits until the kernel has been up for long enough. WireGuard
// counts from boot when it looks for floods of more than 50 handshakes a
// second (wg_noise_handshake_consume_initiation), and a lab machine is here
// within microseconds of its time.
func outlastBoot() error {
	const long = time.Second/50 + 5*time.Millisecond // and a tick, at 250 Hz
	var up unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &up); err != nil {
		return fmt.Errorf("read the time since boot: %w", err)
	}
	time.Sleep(long - time.Duration(up.Nano()))
	return nil
}
