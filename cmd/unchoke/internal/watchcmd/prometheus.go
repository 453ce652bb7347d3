//go:build !slim

package watchcmd

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/live"
	"unchoke/internal/prom"
)

// mostTop bounds the series of single flows: each has four.
const mostTop = 100

// exporter lets Prometheus scrape what a watch sees.
type exporter struct {
	address string
	top     int
	sets    int
	given   func(flag string) bool
}

func (x *exporter) flags(flags *pflag.FlagSet) {
	x.given = flags.Changed
	flags.StringVar(&x.address, "prometheus", "", "serve metrics for Prometheus at `ADDR`: a port on loopback, or host:port (:port is every address)")
	flags.IntVar(&x.top, "prometheus-top", 0, "also export the `N` fastest flows one by one, with their addresses and programs")
	flags.IntVar(&x.sets, "prometheus-sets", prom.DefaultSets, "export series for at most `N` combinations of port, unit and algorithm; the rest count as other")
}

func (x *exporter) open(a *cli.App) (func(*live.Snapshot), func(context.Context) error, error) {
	if x.address == "" {
		for _, name := range []string{"prometheus-top", "prometheus-sets"} {
			if x.given(name) {
				return nil, nil, cli.Usagef("--%s needs --prometheus", name)
			}
		}
		return nil, nil, nil
	}
	switch {
	case x.top < 0 || x.top > mostTop:
		return nil, nil, cli.WithHint(cli.Usagef("--prometheus-top %d: it is from 0 to %d", x.top, mostTop), "unchoke watch itself shows every flow")
	case x.sets < 1:
		return nil, nil, cli.Usagef("--prometheus-sets %d: it is at least 1", x.sets)
	}
	address, err := onLoopback(x.address)
	if err != nil {
		return nil, nil, cli.WithHint(cli.Usagef("--prometheus %s: %w", x.address, err), "--prometheus 9719, or --prometheus 192.0.2.1:9719")
	}
	ports, err := ephemeralPorts(sysctl.Kernel)
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, cli.WithHint(fmt.Errorf("listen on %s: %w", address, err), "choose another address or port with --prometheus")
	}
	exporter := prom.New(prom.Options{Version: cli.ProgramVersion(), Ephemeral: ports, Sets: x.sets, Top: x.top})
	a.Tell("unchoke: metrics at http://%s/metrics", listener.Addr())
	serve := func(ctx context.Context) error { return exporter.Serve(ctx, listener) }
	return exporter.Observe, serve, nil
}

// onLoopback is an address to listen on; where only a port is given, on loopback.
func onLoopback(address string) (string, error) {
	port := address
	if strings.Contains(address, ":") {
		var err error
		if _, port, err = net.SplitHostPort(address); err != nil {
			return "", err
		}
	} else {
		address = net.JoinHostPort("127.0.0.1", address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("%q is no port", port)
	}
	return address, nil
}

// ephemeralPorts is the range of ports that this host gives to the connections
// which it opens.
func ephemeralPorts(t sysctl.Tree) ([2]uint16, error) {
	const key = "net.ipv4.ip_local_port_range"
	words, err := t.Words(key)
	if err != nil {
		return [2]uint16{}, err
	}
	var ports [2]uint16
	for i := range ports {
		if len(words) != len(ports) {
			return [2]uint16{}, fmt.Errorf("read sysctl %s: %d values, want %d", key, len(words), len(ports))
		}
		n, err := strconv.ParseUint(words[i], 10, 16)
		if err != nil {
			return [2]uint16{}, fmt.Errorf("read sysctl %s: %q is no port", key, words[i])
		}
		ports[i] = uint16(n)
	}
	return ports, nil
}
