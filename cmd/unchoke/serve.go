package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/report/render"
	"unchoke/internal/unit"
	"unchoke/iperf3"
)

// tokenVariable is the environment's way to give a token.
const tokenVariable = "UNCHOKE_TOKEN"

type serveFlags struct {
	listen      string
	tokenFile   string
	maxDuration time.Duration
	maxStreams  int
	maxRate     string
	queue       int
	oneOff      bool
	json        bool
}

func newServeCommand(a *cli.App) *command.Command {
	var f serveFlags
	cmd := &command.Command{
		Use:   "serve",
		Short: "be the far end: an iperf3-compatible server",
		Long: `Serve is the far end of a measurement: an iperf3 server, for "unchoke check"
and for stock iperf3 clients (3.12 or newer). TCP and UDP use the same port
number. One test runs at a time. With --queue further clients wait for their
turn; without it the server answers that it is busy.

By default it listens on loopback only; --listen :5201 serves every network. A
server that others can reach lets them use its bandwidth, so give it a token or
limits. The token is read from a file or from ` + tokenVariable + `; stock
clients cannot send one.

It prints the address, then one line for each test. ^C stops the server and
notifies a running client.`,
		Example: `  unchoke serve
  unchoke serve --listen :5201 --token-file token --max-duration 1m --max-rate 500mbit
  unchoke serve --listen [2001:db8::1]:5201 --queue 4 --json`,
		Args: command.NoArgs,
		RunE: func(cmd *command.Command, _ []string) error {
			return serve(cmd.Context(), a, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:5201", "`ADDRESS` to listen on, as host:port")
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the token that clients must send")
	flags.DurationVar(&f.maxDuration, "max-duration", 0, "refuse tests longer than this `TIME`")
	flags.IntVar(&f.maxStreams, "max-streams", 0, "refuse tests with more streams in a direction than `N`")
	flags.StringVar(&f.maxRate, "max-rate", "", "`RATE` of all streams of a direction together, as in 500mbit")
	flags.IntVar(&f.queue, "queue", 0, "let `N` clients wait while a test runs")
	flags.BoolVar(&f.oneOff, "one-off", false, "end after one test")
	flags.BoolVar(&f.json, "json", false, "print one JSON document per line: the address, then each test")
	return cmd
}

// serve serves until the context ends or, with --one-off, one test has run.
func serve(ctx context.Context, a *cli.App, f serveFlags) error {
	server, err := f.server()
	if err != nil {
		return err
	}
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return cli.WithHint(cli.Usagef("--listen %q is not host:port", f.listen), "127.0.0.1:5201, or :5201 for every network")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return cli.WithHint(fmt.Errorf("listen on %s: %w", f.listen, err), "choose another address or port with --listen host:port")
	}
	show := visitLines{a, f.json}
	show.address(listener.Addr())
	server.Report = show.visit
	defer iperf3.TwoProcessors()()
	return server.Serve(ctx, listener)
}

// server turns the flags into a server.
func (f serveFlags) server() (*iperf3.Server, error) {
	s := &iperf3.Server{
		Limits: iperf3.Limits{Duration: f.maxDuration, Streams: f.maxStreams},
		Queue:  f.queue, OneOff: f.oneOff, Token: os.Getenv(tokenVariable),
	}
	for _, limit := range []struct {
		value   time.Duration // or a number
		refusal string
	}{
		{f.maxDuration, "--max-duration %v is negative"},
		{time.Duration(f.maxStreams), "--max-streams %d is negative"},
		{time.Duration(f.queue), "--queue %d is negative"},
	} {
		if limit.value < 0 {
			return nil, cli.Usagef(limit.refusal, limit.value)
		}
	}
	if f.maxRate != "" {
		rate, err := unit.ParseBitRate(f.maxRate)
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("--max-rate: %w", err))
		}
		s.Limits.Rate = int64(rate)
	}
	if f.tokenFile != "" {
		var err error
		if s.Token, err = cli.ReadToken(f.tokenFile); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// visitLines prints a line for the address and one for each test.
type visitLines struct {
	app  *cli.App
	json bool
}

type servedDocument struct {
	Schema    string  `json:"schema"`
	Event     string  `json:"event"` // "listening" or "test"
	Address   string  `json:"address,omitempty"`
	Client    string  `json:"client,omitempty"`
	Start     string  `json:"start,omitempty"`
	Protocol  string  `json:"protocol,omitempty"`
	Streams   int     `json:"streams,omitempty"`
	Duration  float64 `json:"duration_s,omitempty"`
	Received  int64   `json:"received_bytes,omitempty"`
	Sent      int64   `json:"sent_bytes,omitempty"`
	Error     string  `json:"error,omitempty"`
	Completed bool    `json:"completed"`
}

const serveSchema = "unchoke.serve/1"

func (v visitLines) address(addr net.Addr) {
	if v.json {
		v.document(servedDocument{Schema: serveSchema, Event: "listening", Address: addr.String()})
		return
	}
	_ = v.app.Say("listening on %s, TCP and UDP", addr)
}

func (v visitLines) visit(visit iperf3.Visit) {
	if v.json {
		d := servedDocument{
			Schema: serveSchema, Event: "test", Client: visit.Client,
			Protocol: string(visit.Test.Protocol), Streams: visit.Test.Streams,
			Duration: visit.Elapsed.Seconds(), Received: visit.Received, Sent: visit.Sent,
			Completed: visit.Err == nil,
		}
		if !visit.Start.IsZero() {
			d.Start = visit.Start.UTC().Format(time.RFC3339Nano)
		}
		if visit.Err != nil {
			d.Error = visit.Err.Error()
		}
		v.document(d)
		return
	}
	_ = v.app.Say("%s", visitText(visit))
}

func (v visitLines) document(d servedDocument) {
	_ = render.JSONLine(v.app.Stdout, d) // a closed standard output must not end the service
}

// visitText is "192.0.2.7:41234 tcp ×4 10.0 s: received 94.1 Mbit/s".
func visitText(v iperf3.Visit) string {
	var b strings.Builder
	b.WriteString(v.Client)
	if v.Test.Protocol != "" {
		fmt.Fprintf(&b, " %s ×%d", v.Test.Protocol, v.Test.Streams)
	}
	if seconds := v.Elapsed.Seconds(); seconds > 0 {
		fmt.Fprintf(&b, " %.1f s:", seconds)
		for _, way := range []struct {
			verb  string
			bytes int64
		}{{"received", v.Received}, {"sent", v.Sent}} {
			if way.bytes > 0 {
				fmt.Fprintf(&b, " %s %s", way.verb, render.Rate(float64(way.bytes)*8/seconds))
			}
		}
	}
	if v.Err != nil {
		fmt.Fprintf(&b, ": %v", v.Err)
	}
	return b.String()
}
