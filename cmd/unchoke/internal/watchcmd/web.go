//go:build !slim

package watchcmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/labcmd"
	usecase "unchoke/internal/app"
	"unchoke/internal/app/watching"
	"unchoke/internal/live"
	"unchoke/internal/record"
	"unchoke/internal/state"
	"unchoke/internal/web"
)

// page serves a page of what a watch sees, and of the records.
type page struct {
	address, report string
	recording       *watching.Tape // that the page may turn; nil: none
	server          *web.Server    // nil until it is begun
	tell            func(format string, args ...any)
}

func (x *page) replays(recording *watching.Tape) { x.recording = recording }

func (x *page) begun() bool { return x.server != nil }

// over shows that a recording is over.
func (x *page) over() {
	x.server.End()
	x.tell("unchoke: the recording is over; the page shows its end until this is stopped")
}

func (x *page) flags(flags *pflag.FlagSet) {
	flags.StringVar(&x.address, "web", "", "serve a page at `ADDR`: a port on loopback, or host:port (:port is every address) with a token")
	flags.StringVar(&x.report, "open", "", "open `RECORD` on the page: an ID, a file, last, or a directory of lab run")
}

func (x *page) open(a *cli.App) (func(*live.Snapshot), func(context.Context) error, error) {
	switch {
	case x.address == "" && x.report == "":
		return nil, nil, nil
	case x.address == "":
		return nil, nil, cli.WithHint(cli.Usagef("--open needs --web"), "unchoke watch --web 8080 --open %s", x.report)
	}
	address, err := onLoopback(x.address)
	if err != nil {
		return nil, nil, cli.WithHint(cli.Usagef("--web %s: %w", x.address, err), "--web 8080, or --web 192.0.2.1:8080")
	}
	options, err := x.options()
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		err = fmt.Errorf("listen on %s: %w", address, err)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, nil, cli.WithHint(err, "another program has the port; choose one with --web, or let the system: --web 0")
		}
		return nil, nil, cli.WithHint(err, "choose another address or port with --web")
	}
	if x.recording != nil {
		x.recording.Stay() // for somebody to wind back
		options.Tape = x.recording
		if fault := x.recording.Fault(); fault != nil {
			a.Warn([]string{fault.Error()})
		}
	}
	host := secure(&options, listener.Addr(), address)
	shown := web.Address(host, options.Token)
	if options.Opened != nil {
		shown = web.OpenedAddress(host, options.Token)
	}
	a.Tell("unchoke: the page is at %s", shown)
	if len(options.Names) > 0 {
		a.Tell("unchoke: it is sent unencrypted; over a network that is not yours, rather: ssh -L 8080:localhost:8080 HOST, with --web 8080 there")
	}
	x.server, x.tell = web.New(options), a.Tell
	return x.server.Publish, func(ctx context.Context) error { return x.server.Serve(ctx, listener) }, nil
}

// secure gives a page that others can reach a token and its names; one on
// loopback is for this user alone, or has a token where the system does not tell
// whose a connection is. host is where the page is opened.
func secure(o *web.Options, listening net.Addr, asked string) (host string) {
	at := netip.MustParseAddrPort(listening.String())
	if at.Addr().IsLoopback() && watching.TellsUser {
		o.Admit = watching.OwnUser
		return at.String()
	}
	o.Token = web.NewToken()
	if at.Addr().IsLoopback() {
		return at.String()
	}
	name, _, _ := net.SplitHostPort(asked) // it was listened on
	if _, err := netip.ParseAddr(name); err != nil && name != "" {
		o.Names = append(o.Names, name)
	}
	own, err := os.Hostname()
	if err == nil {
		o.Names = append(o.Names, own)
	}
	if at.Addr().IsUnspecified() && err == nil {
		return net.JoinHostPort(own, fmt.Sprint(at.Port()))
	}
	return at.String()
}

// options are what the page shows beside connections: the records of this
// user's store, and the one that is named.
func (x *page) options() (web.Options, error) {
	o := web.Options{
		List: func() ([]state.Summary, error) {
			store, err := state.DefaultStore()
			if err != nil {
				return nil, err
			}
			return store.List()
		},
		Load: func(id string) (record.Document, error) { return usecase.Load(id) },
	}
	if x.report == "" {
		return o, nil
	}
	if info, err := os.Stat(x.report); err == nil && info.IsDir() {
		report, err := labcmd.OpenStudy([]string{x.report})
		if err != nil {
			return o, err
		}
		o.Opened = &web.Opened{Name: x.report, Command: "lab run", Report: report}
		return o, nil
	}
	d, err := usecase.Load(x.report)
	if err != nil {
		return o, err
	}
	report, err := web.ReportOf(d)
	if err != nil {
		return o, err
	}
	head := d.Head()
	o.Opened = &web.Opened{Name: strings.TrimSpace(head.Target), Command: head.Command, Started: head.Started, Report: report}
	return o, nil
}
