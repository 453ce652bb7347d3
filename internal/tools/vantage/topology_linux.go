package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// wire is a cable between two hosts, with a queueing discipline or a policer for
// each of its ways. Its middle is a namespace of its own, so that neither host
// sees what the wire does.
type wire struct {
	name         string
	near, far    string // hosts; far is the one nearer to the target
	network      string // of its addresses: near has .1, far .2
	up, down     string // tc's words for a root qdisc, from near to far and back; empty for none
	policer      string // tc-police(8)'s options, both ways
	megabitCard  int    // the near host's card tells this speed, and has it; 0 is a card that tells none
	ownShaper    string // tc's words for the near host's own root qdisc
	farOwnShaper string // and for the far one's
}

// topology is a network of hosts, all with a way to the target.
type topology struct {
	hosts   []string
	wires   []wire
	routes  map[string]string // of a host: where its default route leads
	sysctls map[string][]string
	real    bool // on this host's kernel, not the lab's
}

// Addresses: the last host of the chain is the target.
const target = "10.50.0.2"

// home is a PC behind a router, a host in a cloud, an exchange where their ways
// meet, and a server beyond it.
func home() *topology {
	return &topology{
		hosts: []string{"pc", "router", "cloud", "exchange", "server"},
		wires: []wire{
			{name: "lan", near: "pc", far: "router", network: "192.168.1", up: "netem delay 100us limit 4000", down: "netem delay 100us limit 4000"},
			{name: "wan", near: "router", far: "exchange", network: "10.20.0", up: "netem delay 4ms rate 200mbit limit 800", down: "netem delay 4ms rate 200mbit limit 800"},
			{name: "rack", near: "cloud", far: "exchange", network: "10.30.0", up: "netem delay 1ms rate 400mbit limit 1500", down: "netem delay 1ms rate 400mbit limit 1500"},
			{name: "sea", near: "exchange", far: "server", network: "10.50.0", up: "netem delay 11ms limit 20000", down: "netem delay 11ms limit 20000"},
		},
		routes: map[string]string{"pc": "192.168.1.2", "router": "10.20.0.2", "cloud": "10.30.0.2", "server": "10.50.0.1"},
	}
}

// cables is home without its distances, since a kernel that is not the lab's may
// have no netem. The lines are slow enough that one
// processor carries all hosts' packets, and more than half of it rests.
func cables() *topology {
	t := home()
	t.real = true
	for i := range t.wires {
		w := &t.wires[i]
		w.up = map[string]string{"wan": "tbf rate 120mbit burst 32kb latency 20ms", "rack": "tbf rate 200mbit burst 64kb latency 20ms"}[w.name]
		w.down = w.up
	}
	return t
}

func (t *topology) wire(name string) *wire {
	for i := range t.wires {
		if t.wires[i].name == name {
			return &t.wires[i]
		}
	}
	panic("no wire " + name)
}

// build makes the namespaces, cards and routes. The machine that it is built in
// goes away with it.
func (t *topology) build(ctx context.Context) error {
	for _, host := range t.hosts {
		if err := ip(ctx, "netns", "add", host); err != nil {
			return err
		}
		if err := inside(ctx, host, "ip", "link", "set", "lo", "up"); err != nil {
			return err
		}
	}
	for _, w := range t.wires {
		if err := w.build(ctx); err != nil {
			return fmt.Errorf("wire %s: %w", w.name, err)
		}
	}
	for _, w := range t.wires { // the way back to the networks behind the near end
		if err := inside(ctx, w.far, "sysctl", "-qw", "net.ipv4.ip_forward=1"); err != nil {
			return err
		}
	}
	for host, gateway := range t.routes {
		if err := inside(ctx, host, "ip", "route", "add", "default", "via", gateway); err != nil {
			return err
		}
	}
	if err := t.backRoutes(ctx); err != nil {
		return err
	}
	for host, settings := range t.sysctls {
		for _, s := range settings {
			if err := inside(ctx, host, "sysctl", "-qw", s); err != nil {
				return err
			}
		}
	}
	return nil
}

// backRoutes tell every host on the way to a network that lies behind another.
func (t *topology) backRoutes(ctx context.Context) error {
	for _, w := range t.wires {
		at := w.near
		for {
			next := -1
			for i := range t.wires {
				if t.wires[i].near == at {
					next = i
				}
			}
			if next < 0 {
				break
			}
			up := t.wires[next]
			if up.name != w.name && up.far != "server" {
				if err := inside(ctx, up.far, "ip", "route", "add", w.network+".0/24", "via", up.network+".1"); err != nil {
					return err
				}
			}
			at = up.far
		}
	}
	return nil
}

func (w wire) build(ctx context.Context) error {
	middle := "wire-" + w.name
	a, b := w.name+"-a", w.name+"-b"
	steps := [][]string{
		{"ip", "netns", "add", middle},
		// TCP makes no packets larger than a frame: what a wire drops is one.
		{"ip", "-n", middle, "link", "add", a, "gso_max_segs", "1", "type", "veth", "peer", "name", b, "gso_max_segs", "1"},
		{"ip", "-n", middle, "link", "set", a, "up"},
		{"ip", "-n", middle, "link", "set", b, "up"},
		{"ip", "-n", middle, "link", "add", "link", b, "name", w.name, "gso_max_segs", "1", "netns", w.far, "type", "macvlan", "mode", "passthru"},
		{"ip", "-n", w.far, "address", "add", w.network + ".2/24", "dev", w.name},
		{"ip", "-n", w.far, "link", "set", w.name, "up"},
	}
	if w.megabitCard == 0 {
		steps = append(steps, []string{"ip", "-n", middle, "link", "add", "link", a, "name", w.name, "gso_max_segs", "1", "netns", w.near, "type", "macvlan", "mode", "passthru"})
	}
	if err := each(ctx, steps); err != nil {
		return err
	}
	if w.megabitCard != 0 {
		if err := insertCard(w.near, w.name, middle, a, b, w.megabitCard); err != nil {
			return err
		}
	}
	steps = [][]string{
		{"ip", "-n", w.near, "address", "add", w.network + ".1/24", "dev", w.name},
		{"ip", "-n", w.near, "link", "set", w.name, "up"},
	}
	for dev, options := range map[string]string{a: w.up, b: w.down} {
		if options != "" {
			steps = append(steps, append([]string{"tc", "-n", middle, "qdisc", "add", "dev", dev, "root"}, strings.Fields(options)...))
		}
		if w.policer != "" {
			steps = append(steps, []string{"tc", "-n", middle, "qdisc", "add", "dev", dev, "clsact"},
				append([]string{"tc", "-n", middle, "filter", "add", "dev", dev, "egress", "matchall", "action", "police"}, strings.Fields(w.policer)...))
		}
	}
	for host, words := range map[string]string{w.near: w.ownShaper, w.far: w.farOwnShaper} {
		if words != "" {
			steps = append(steps, append([]string{"tc", "-n", host, "qdisc", "add", "dev", w.name, "root"}, strings.Fields(words)...))
		}
	}
	return each(ctx, steps)
}

func each(ctx context.Context, steps [][]string) error {
	for _, s := range steps {
		if err := do(ctx, s[0], s[1:]...); err != nil {
			return err
		}
	}
	return nil
}

func ip(ctx context.Context, args ...string) error { return do(ctx, "ip", args...) }

func inside(ctx context.Context, host string, args ...string) error {
	return do(ctx, "ip", append([]string{"netns", "exec", host}, args...)...)
}

func do(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// on is a program of a host.
func (t *topology) on(ctx context.Context, host, name string, args ...string) *exec.Cmd {
	words := append([]string{"ip", "netns", "exec", host, name}, args...)
	if t.real {
		// ip's own way mounts a /sys that has no control groups.
		words = append([]string{"nsenter", "--net=/run/netns/" + host, name}, args...)
	}
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// listens waits until a port of a host takes connections.
func (t *topology) listens(ctx context.Context, host string, port int) error {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	for {
		out, err := t.on(ctx, host, "ss", "-Hltn", "sport", "=", fmt.Sprint(":", port)).Output()
		if err != nil || len(out) > 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: nothing listens on port %d", host, port)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// serve runs a stock server at the target until the context ends. One may give
// up when a client does not end its test as it likes.
func (t *topology) serve(ctx context.Context) error {
	cmd := t.on(ctx, "server", "sh", "-c", "while :; do iperf3 -s >/dev/null; done")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
