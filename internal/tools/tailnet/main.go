// Tailnet makes the two hosts of a lab path a real Tailscale network: a
// coordination server, a DERP relay and a STUN server on far, a tailscaled on
// each host, all from Tailscale's own module. It then runs a command on its
// host, whose output and exit status are its own:
//
//	unchoke lab exec --path rtt=30ms,rate=100mbit \
//	    --far 'tailnet far -- iperf3 -s' -- tailnet near -- unchoke check 100.64.0.1
//
// far is 100.64.0.1 in the network, near 100.64.0.2. The programs tailscale
// and tailscaled are expected beside this one: `make tailnet` builds all three
// into the user's cache.
//
// UDP between the hosts is what a direct path needs. With -udp=off on near it
// is dropped, so that all goes through the relay; with -flip=TIME this is
// changed so long after the command began. With -derp on both hosts
// Tailscale itself avoids UDP.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// options are the flags of both hosts.
type options struct {
	derp      bool
	userspace bool
	udp       string
	flip      time.Duration
	verbose   bool
	command   []string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() > 0 {
			os.Exit(exit.ExitCode())
		}
		fmt.Fprintln(os.Stderr, "tailnet:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("usage: tailnet far|near [FLAGS] -- COMMAND")
	}
	var o options
	flags := flag.NewFlagSet("tailnet "+args[0], flag.ContinueOnError)
	flags.BoolVar(&o.derp, "derp", false, "let Tailscale use its relay only (TS_DEBUG_ALWAYS_USE_DERP)")
	flags.BoolVar(&o.userspace, "userspace", false, "no TUN device: Tailscale's own network stack")
	flags.StringVar(&o.udp, "udp", "on", "on or off: whether UDP reaches this host")
	flags.DurationVar(&o.flip, "flip", 0, "turn UDP off, or on, this long after the command began")
	flags.BoolVar(&o.verbose, "verbose", false, "show what the daemon logs")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if o.udp != "on" && o.udp != "off" {
		return fmt.Errorf("-udp=%s is neither on nor off", o.udp)
	}
	if o.command = flags.Args(); len(o.command) == 0 {
		return errors.New("no command")
	}
	switch args[0] {
	case "far":
		return far(o)
	case "near":
		return near(o)
	}
	return fmt.Errorf("%q is neither far nor near", args[0])
}
