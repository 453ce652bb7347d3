package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// farInside is far's address in the network: the first that is given out.
const farInside = "100.64.0.1"

// started bounds how long a host takes to join the network.
const started = time.Minute

func far(o options) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var c control
	if err := c.serve(ctx); err != nil {
		return err
	}
	h, err := join(ctx, o, "far", "/run/tailnet/far.sock")
	if err != nil {
		return err
	}
	defer h.leave()
	c.ready.Store(true)
	return o.do(ctx)
}

func near(o options) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := within(started, func() error {
		answer, err := http.Get(controlURL + "/ready")
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("wait for far: %w", err)
	}
	// Where the real daemon's socket is, so that programs find it.
	h, err := join(ctx, o, "near", "/run/tailscale/tailscaled.sock")
	if err != nil {
		return err
	}
	defer h.leave()
	if err := within(started, func() error {
		return h.tailscale("ping", "--c=1", "--until-direct=false", "--timeout=2s", farInside).Run()
	}); err != nil {
		return fmt.Errorf("reach far: %w", err)
	}
	return o.do(ctx)
}

// do runs the command, UDP as it was asked for.
func (o options) do(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.flip > 0 {
		go func() {
			select {
			case <-time.After(o.flip):
				if err := setUDP(o.udp == "off"); err != nil {
					fmt.Fprintln(os.Stderr, "tailnet:", err)
				}
			case <-ctx.Done():
			}
		}()
	}
	cmd := exec.CommandContext(ctx, o.command[0], o.command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

// host is one whose daemon runs.
type host struct {
	ctx    context.Context
	daemon *exec.Cmd
	bin    string
	socket string
}

// join starts a host's daemon and brings it into the network.
func join(ctx context.Context, o options, name, socket string) (*host, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if o.udp == "off" {
		if err := setUDP(false); err != nil {
			return nil, err
		}
	}
	h := &host{ctx: ctx, bin: filepath.Dir(self), socket: socket}
	state := filepath.Join("/run/tailnet", name)
	for _, dir := range []string{state, filepath.Dir(socket)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	device := "tailscale0"
	if o.userspace {
		device = "userspace-networking"
	}
	h.daemon = exec.CommandContext(ctx, filepath.Join(h.bin, "tailscaled"),
		"--statedir="+state, "--socket="+socket, "--port=41641", "--tun="+device, "--no-logs-no-support")
	h.daemon.Env = append(os.Environ(), "TS_DEBUG_ALWAYS_USE_DERP="+fmt.Sprint(o.derp))
	h.daemon.Stdout, h.daemon.Stderr = io.Discard, io.Discard
	if o.verbose {
		h.daemon.Stdout, h.daemon.Stderr = os.Stderr, os.Stderr
	}
	if err := h.daemon.Start(); err != nil {
		return nil, fmt.Errorf("start tailscaled: %w", err)
	}
	if err := within(started, func() error {
		_, err := os.Stat(socket)
		return err
	}); err != nil {
		h.leave()
		return nil, fmt.Errorf("wait for tailscaled: %w", err)
	}
	up := h.tailscale("up", "--login-server="+controlURL, "--hostname="+name, "--accept-dns=false", "--netfilter-mode=off", "--timeout="+started.String())
	if out, err := up.CombinedOutput(); err != nil {
		h.leave()
		return nil, fmt.Errorf("tailscale up: %w: %s", err, out)
	}
	return h, nil
}

func (h *host) tailscale(args ...string) *exec.Cmd {
	return exec.CommandContext(h.ctx, filepath.Join(h.bin, "tailscale"), append([]string{"--socket=" + h.socket}, args...)...)
}

func (h *host) leave() {
	h.daemon.Process.Kill()
	h.daemon.Wait()
}

// setUDP lets UDP from outside reach this host, or drops all of it.
func setUDP(on bool) error {
	commands := [][]string{
		{"qdisc", "replace", "dev", "eth0", "ingress"},
		{"filter", "replace", "dev", "eth0", "ingress", "prio", "1", "handle", "800::1", "protocol", "ip", "u32", "match", "ip", "protocol", "17", "0xff", "action", "drop"},
	}
	if on {
		commands = [][]string{{"qdisc", "del", "dev", "eth0", "ingress"}}
	}
	for _, args := range commands {
		if out, err := exec.Command("tc", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("tc %v: %w: %s", args, err, out)
		}
	}
	return nil
}

// within tries until it works, for at most so long.
func within(most time.Duration, try func() error) error {
	deadline := time.Now().Add(most)
	for {
		err := try()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
