package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"unchoke/internal/linux/link"
	"unchoke/internal/linux/netns"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/tools/cpugroup"
)

// rig is two hosts of this kernel, each a network namespace, joined by a cable
// and by a tunnel of two wireguard-go processes over it. The near one's process
// can be limited.
type rig struct {
	near, far *end
	group     *cpugroup.Group // of all that runs in the rig
	tunnelled *cpugroup.Group // but the near tunnel's process, which has its own
	started   []*exec.Cmd
}

// end is one host of the rig.
type end struct {
	ns     *netns.Namespace
	device string     // of the tunnel
	outer  netip.Addr // on the cable
	inner  netip.Addr // in the tunnel
	daemon *exec.Cmd
}

const (
	cableMTU   = 1500
	wgPort     = 51820
	wgOverhead = 80 // bytes a packet: outer IPv6, UDP and WireGuard's own header
)

// newRig builds the rig. It takes root.
func newRig(ctx context.Context, wireguard string) (*rig, error) {
	r := &rig{
		near: &end{device: fmt.Sprintf("wgn%d", os.Getpid()), outer: netip.MustParseAddr("10.9.0.1"), inner: netip.MustParseAddr("10.8.0.1")},
		far:  &end{device: fmt.Sprintf("wgf%d", os.Getpid()), outer: netip.MustParseAddr("10.9.0.2"), inner: netip.MustParseAddr("10.8.0.2")},
	}
	if err := r.build(ctx, wireguard); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *rig) build(ctx context.Context, wireguard string) (err error) {
	for _, e := range []*end{r.near, r.far} {
		if e.ns, err = netns.New(); err != nil {
			return err
		}
	}
	if err := r.cable(ctx); err != nil {
		return err
	}
	if r.group, err = cpugroup.New(fmt.Sprintf("unchoke-%d", os.Getpid())); err != nil {
		return err
	}
	if r.tunnelled, err = cpugroup.New(fmt.Sprintf("unchoke-%d-tunnel", os.Getpid())); err != nil {
		return err
	}
	for _, e := range []*end{r.near, r.far} {
		e.daemon, err = r.start(e, wireguard, "--foreground", e.device)
		if err != nil {
			return err
		}
	}
	if err := r.tunnel(ctx); err != nil {
		return err
	}
	if err := r.tunnelled.Add(r.near.daemon.Process.Pid); err != nil {
		return err
	}
	// A stock server may give up when a client does not end its test as it likes.
	if _, err = r.start(r.far, "sh", "-c", "read -r _; while :; do iperf3 --server; done"); err != nil {
		return err
	}
	return r.listening(ctx)
}

// cable joins the two.
func (r *rig) cable(ctx context.Context) error {
	err := r.near.ns.Do(func() error {
		return rtnl.Do(link.Cable(link.End{Name: "near0", Index: 10}, link.End{Name: "far0", Index: 11}, cableMTU)...)
	})
	if err != nil {
		return err
	}
	farNS := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), r.far.ns.Fd())
	if err := r.run(ctx, r.near, "ip", "link", "set", "far0", "netns", farNS); err != nil {
		return err
	}
	for _, c := range []struct {
		e      *end
		device string
	}{{r.near, "near0"}, {r.far, "far0"}} {
		for _, args := range [][]string{
			{"link", "set", "lo", "up"},
			{"address", "add", netip.PrefixFrom(c.e.outer, 24).String(), "dev", c.device},
			{"link", "set", c.device, "up"},
		} {
			if err := r.run(ctx, c.e, "ip", args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// tunnel gives both ends their keys and addresses, once their devices are there.
func (r *rig) tunnel(ctx context.Context) error {
	client, err := wgctrl.New()
	if err != nil {
		return fmt.Errorf("open wireguard's control: %w", err)
	}
	defer client.Close()
	keys := map[*end]wgtypes.Key{}
	for _, e := range []*end{r.near, r.far} {
		if keys[e], err = wgtypes.GeneratePrivateKey(); err != nil {
			return err
		}
		if err := until(ctx, func() error { _, err := client.Device(e.device); return err }); err != nil {
			return fmt.Errorf("wait for %s: %w", e.device, err)
		}
	}
	for _, c := range []struct{ e, peer *end }{{r.near, r.far}, {r.far, r.near}} {
		key, port := keys[c.e], wgPort
		err := client.ConfigureDevice(c.e.device, wgtypes.Config{
			PrivateKey: &key, ListenPort: &port,
			Peers: []wgtypes.PeerConfig{{
				PublicKey:  keys[c.peer].PublicKey(),
				Endpoint:   net.UDPAddrFromAddrPort(netip.AddrPortFrom(c.peer.outer, wgPort)),
				AllowedIPs: []net.IPNet{{IP: c.peer.inner.AsSlice(), Mask: net.CIDRMask(32, 32)}},
			}},
		})
		if err != nil {
			return fmt.Errorf("configure %s: %w", c.e.device, err)
		}
		for _, args := range [][]string{
			{"address", "add", netip.PrefixFrom(c.e.inner, 24).String(), "dev", c.e.device},
			{"link", "set", c.e.device, "mtu", fmt.Sprint(cableMTU - wgOverhead), "up"},
		} {
			if err := r.run(ctx, c.e, "ip", args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// listening waits until the far end's server is there: its socket shows, since a
// connection would be a test to it.
func (r *rig) listening(ctx context.Context) error {
	return until(ctx, func() error {
		out, err := r.output(ctx, r.far, "ss", "-Hltn", "sport", "=", ":5201")
		if err == nil && len(out) == 0 {
			err = errors.New("iperf3 does not listen")
		}
		return err
	})
}

// start runs a program on a host until the rig is closed. Its input ends once it
// is in the rig's group: one that starts others waits for that, or they would be
// in none.
func (r *rig) start(e *end, name string, args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "LOG_LEVEL=error")
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := e.ns.Do(cmd.Start); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	r.started = append(r.started, cmd)
	return cmd, errors.Join(r.group.Add(cmd.Process.Pid), input.Close())
}

// run waits for a command on a host.
func (r *rig) run(ctx context.Context, e *end, name string, args ...string) error {
	_, err := r.output(ctx, e, name, args...)
	return err
}

// output is what a command on a host printed.
func (r *rig) output(ctx context.Context, e *end, name string, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	err := e.ns.Do(cmd.Start)
	if err == nil {
		if r.group != nil {
			_ = r.group.Add(cmd.Process.Pid) // it may have ended
		}
		err = cmd.Wait()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s%s", filepath.Base(name), err, said.Bytes(), out.Bytes())
	}
	return out.Bytes(), nil
}

// Close ends all that the rig started.
func (r *rig) Close() error {
	var errs []error
	for _, cmd := range r.started {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	}
	for _, g := range []*cpugroup.Group{r.tunnelled, r.group} {
		if g != nil {
			g.Kill()
		}
	}
	for _, g := range []*cpugroup.Group{r.tunnelled, r.group} {
		if g != nil {
			errs = append(errs, g.Remove())
		}
	}
	for _, e := range []*end{r.near, r.far} {
		if e.ns != nil {
			errs = append(errs, e.ns.Close())
		}
	}
	return errors.Join(errs...)
}

// until repeats what fails at first, for five seconds.
func until(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}
