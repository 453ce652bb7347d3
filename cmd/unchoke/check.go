package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"unchoke/internal/audit"
	"unchoke/internal/probe"
	"unchoke/internal/record"
	"unchoke/internal/report"
	"unchoke/iperf3"
)

type checkFlags struct {
	json, quick, noSave bool
	format              string
	budget, wait        time.Duration
	cc, tokenFile       string
	ipv4, ipv6          bool
}

func newCheckCommand(a *app) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check TARGET",
		Short: "measure a path and say why one stream is slow",
		Long: `Check measures the path to TARGET, a host on which a stock "iperf3 -s" or
"unchoke serve" runs (host or host:port, 5201 where none is named), and says
why one TCP stream is slow on it, with the evidence and what to do.

It looks at this host and the route first, then at the path: echo probes, one
TCP stream each way, UDP at rising rates each way, eight streams each way. It
takes at most 30 seconds of path time, and ends early where a further sample
would change nothing. The run is saved as a record: see "unchoke record".`,
		Example: `  unchoke check far.example.net
  unchoke check --quick --json 192.0.2.7:5201
  unchoke check --format markdown far > check.md`,
		Args: oneArgument("a TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.check(cmd.Context(), args[0], f)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	flags.StringVar(&f.format, "format", "text", "`FORM` of the report: text, markdown or json")
	flags.BoolVar(&f.quick, "quick", false, "take at most 10 seconds of path time")
	flags.DurationVar(&f.budget, "budget", 0, "take at most this `TIME` on the path (default 30s, with --quick 10s)")
	flags.DurationVar(&f.wait, "wait", 10*time.Second, "wait this `TIME` for a server that is busy with another test")
	flags.StringVar(&f.cc, "cc", "", "congestion control `NAME` of the senders (default: each host's own)")
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the token that \"unchoke serve --token-file\" wants")
	flags.BoolVar(&f.noSave, "no-save", false, "do not save the record")
	flags.BoolVarP(&f.ipv4, "ipv4", "4", false, "use IPv4 only")
	flags.BoolVarP(&f.ipv6, "ipv6", "6", false, "use IPv6 only")
	cmd.MarkFlagsMutuallyExclusive("ipv4", "ipv6")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "markdown", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check measures, saves, diagnoses and reports. A run that failed midway is
// reported as well, for what it saw, and is a failure all the same.
func (a *app) check(ctx context.Context, target string, f checkFlags) error {
	show, err := f.view(a)
	if err != nil {
		return err
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	server, err := resolve(ctx, target, f.network(), iperf3.DefaultPort)
	if err != nil {
		return err
	}
	options.Address, options.Port = server.Addr(), server.Port()
	run := record.New(net.JoinHostPort(hostOf(target), strconv.Itoa(int(options.Port))), programVersion())
	run.Near, run.Warnings = audit.Host()
	if run.Route, err = audit.Route(ctx, options.Address); err != nil {
		run.Warnings = append(run.Warnings, err.Error())
	}
	bar := a.startProgress("check " + target)
	options.Progress = bar.set
	failed := probe.Check(ctx, run, options)
	bar.done()
	if len(run.Transfers) == 0 && failed != nil {
		return fmt.Errorf("check %s: %w", target, failed)
	}
	if !f.noSave {
		if err := a.save(run); err != nil {
			run.Warnings = append(run.Warnings, "the record was not saved: "+err.Error())
		}
	}
	if err := show(report.NewCheck(run)); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("check %s: %w", target, failed)
	}
	return nil
}

// save keeps a record in the store; without a place for it, it has no ID.
func (a *app) save(d record.Document) error {
	store, err := record.DefaultStore()
	if err != nil {
		return err
	}
	return store.Save(d)
}

// view is how the report is shown.
func (f checkFlags) view(a *app) (func(report.Check) error, error) {
	switch format := f.format; {
	case f.json || format == "json":
		return func(c report.Check) error { return c.JSON(a.stdout) }, nil
	case format == "markdown":
		return func(c report.Check) error { return c.Markdown(a.stdout) }, nil
	case format == "text":
		style := report.Style{Width: a.terminal.width, Colour: a.terminal.colour}
		return func(c report.Check) error { return c.Text(a.stdout, style) }, nil
	}
	return nil, usage(fmt.Errorf("format %q is none of text, markdown, json", f.format))
}

func (f checkFlags) options() (probe.Options, error) {
	o := probe.Options{Quick: f.quick, Budget: f.budget, CC: f.cc, Wait: f.wait}
	if f.budget < 0 || f.wait < 0 {
		return o, usage(fmt.Errorf("a time is negative"))
	}
	if f.tokenFile != "" {
		token, err := readToken(f.tokenFile)
		if err != nil {
			return o, err
		}
		o.Token = token
	}
	return o, nil
}

func (f checkFlags) network() string {
	switch {
	case f.ipv4:
		return "ip4"
	case f.ipv6:
		return "ip6"
	}
	return "ip"
}

// hostOf is the target without its port.
func hostOf(target string) string {
	if host, _, err := net.SplitHostPort(target); err == nil {
		return host
	}
	return strings.Trim(target, "[]")
}

// resolve finds the address and port of a target: host, host:port, an IPv6
// address bare or in brackets.
func resolve(ctx context.Context, target, network string, port uint16) (netip.AddrPort, error) {
	host := hostOf(target)
	if strings.Contains(target, "://") {
		return netip.AddrPort{}, usage(withHint(fmt.Errorf("target %q is a URL", target), "name a host on which `iperf3 -s` or `unchoke serve` runs, as host or host:port"))
	}
	port, err := portOf(target, port)
	if err != nil {
		return netip.AddrPort{}, err
	}
	if host == "" {
		return netip.AddrPort{}, usage(fmt.Errorf("target %q names no host", target))
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, network, host)
	if err != nil {
		return netip.AddrPort{}, withHint(fmt.Errorf("look up %s: %w", host, err), "check the name; an address works as well")
	}
	return netip.AddrPortFrom(addresses[0].Unmap(), port), nil
}

// portOf is a target's port, or the one that is normal where it names none.
func portOf(target string, normal uint16) (uint16, error) {
	_, text, err := net.SplitHostPort(target)
	if err != nil {
		return normal, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, usage(fmt.Errorf("target %q: %q is no port", target, text))
	}
	return uint16(n), nil
}

// readToken reads a token from a file, without the line's end.
func readToken(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("read token from %s: the file is empty", name)
	}
	return token, nil
}
