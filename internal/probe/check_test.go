package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"unchoke/internal/probe/servertest"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// forward passes TCP connections on to an address, so many of them, and knows
// nothing of UDP: a firewall that eats it, or a server that dies.
func forward(t *testing.T, to netip.AddrPort, connections int64) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var taken atomic.Int64
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			if taken.Add(1) > connections {
				in.Close()
				listener.Close()
				return
			}
			go pipe(in, to)
		}
	}()
	return listener.Addr().(*net.TCPAddr).AddrPort()
}

func pipe(in net.Conn, to netip.AddrPort) {
	defer in.Close()
	out, err := net.Dial("tcp", to.String())
	if err != nil {
		return
	}
	defer out.Close()
	go func() {
		_, _ = io.Copy(out, in)
		_ = out.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(in, out)
}

func quickCheck(t *testing.T, to netip.AddrPort) (*record.Run, error) {
	t.Helper()
	run := record.New(to.String(), "test", time.Now())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := Check(ctx, run, Options{Address: to.Addr(), Port: to.Port(), Quick: true, Wait: time.Second, Progress: func(_ float64, doing string) {
		if strings.HasPrefix(doing, "outside") {
			t.Errorf("%s, where there is no tunnel", doing)
		}
	}})
	return run, err
}

func TestCheckMeasuresEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	run, err := quickCheck(t, servertest.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, tr := range run.Transfers {
		got[tr.Name] = true
		if tr.Rate <= 0 || tr.Duration <= 0 {
			t.Errorf("%s: rate %g over %g s", tr.Name, tr.Rate, tr.Duration)
		}
	}
	for _, name := range []string{"down-1", "up-1"} {
		if !got[name] {
			t.Errorf("no transfer %s in %v", name, got)
		}
	}
	if run.UDPBlocked || run.Error != "" {
		t.Errorf("UDP blocked: %v; error %q", run.UDPBlocked, run.Error)
	}
}

func TestFirewallEatsUDP(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	run, err := quickCheck(t, forward(t, servertest.Serve(t), 1000))
	if err != nil {
		t.Fatal(err)
	}
	if !run.UDPBlocked {
		t.Error("nobody noticed that UDP does not come through")
	}
	// The time that the ladders do not take goes to what TCP can tell.
	for _, name := range []string{"down-8", "up-8"} {
		if !slices.ContainsFunc(run.Transfers, func(tr record.Transfer) bool { return tr.Name == name }) {
			t.Errorf("no transfer %s: %v", name, run.Skipped)
		}
	}
	said := false
	for _, s := range run.Skipped {
		said = said || strings.Contains(s.Why, "firewall")
	}
	if !said {
		t.Errorf("the skipped steps do not say why: %v", run.Skipped)
	}
}

// The control connection and the stream of the first transfer come through,
// then the server is gone: what was measured stands.
func TestServerDiesHalfway(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	run, err := quickCheck(t, forward(t, servertest.Serve(t), 2))
	if err == nil {
		t.Fatal("the check succeeded without a server")
	}
	if len(run.Transfers) != 1 || run.Transfers[0].Name != "down-1" {
		t.Errorf("%d transfers are kept, want the first", len(run.Transfers))
	}
	if run.Error == "" {
		t.Error("the record does not tell that it is incomplete")
	}
}

func TestNobodyListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().(*net.TCPAddr).AddrPort()
	listener.Close()
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	run, err := quickCheck(t, closed)
	if !errors.Is(err, iperf3.ErrRefused) || run.Interrupted {
		t.Errorf("error %v, want one of a refused connection", err)
	}
	if len(run.Transfers) != 0 {
		t.Errorf("%d transfers without a server", len(run.Transfers))
	}
}

func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	to := servertest.Serve(t)
	run := record.New(to.String(), "test", time.Now())
	interrupt := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(1500*time.Millisecond, func() { cancel(interrupt) })
	start := time.Now()
	err := Check(ctx, run, Options{Address: to.Addr(), Port: to.Port()})
	if !errors.Is(err, interrupt) || !run.Interrupted {
		t.Errorf("error %v, interrupted %t; want the cause of the interruption", err, run.Interrupted)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v to end", took)
	}
}

// Where this host cannot connect, connections come from elsewhere, and UDP is
// left out with the reason.
func TestCheckByDial(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	server := servertest.Serve(t)
	nowhere := netip.MustParseAddrPort("127.0.0.1:1")
	run := record.New(nowhere.String(), "test", time.Now())
	var dialled atomic.Int64
	err := Check(t.Context(), run, Options{
		Address: nowhere.Addr(), Port: nowhere.Port(), Quick: true, NoUDP: "no way for UDP",
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			dialled.Add(1)
			return (&net.Dialer{}).DialContext(ctx, network, server.String())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Transfers) < 2 || dialled.Load() < 4 || !run.UDPBlocked {
		t.Errorf("%d transfers, %d connections, UDP blocked %v", len(run.Transfers), dialled.Load(), run.UDPBlocked)
	}
	if len(run.Skipped) != 1 || !strings.HasPrefix(run.Skipped[0].Why, "no way for UDP") {
		t.Errorf("skipped: %+v", run.Skipped)
	}
}

// A TCP test whose answer is lost, as where a tunnel changes its way, comes again at
// once, and one whose first packet is, if another test had come through. A server that
// is gone for good ends the check.
func TestTakenAgainOnce(t *testing.T) {
	_, late := (&net.Dialer{Timeout: 1}).Dial("tcp", "127.0.0.1:9")
	for name, c := range map[string]struct {
		err      error
		before   int // transfers
		failures int
		ran      int
		fails    bool
	}{
		"silent once":                  {iperf3.ErrVanished, 0, 1, 2, false},
		"silent twice":                 {iperf3.ErrVanished, 0, 2, 2, true},
		"no connection once":           {late, 1, 1, 2, false},
		"no connection twice":          {late, 1, 2, 2, true},
		"no connection from the first": {late, 0, 1, 1, true},
		"refused":                      {iperf3.ErrRefused, 1, 1, 1, true},
	} {
		run, ran := &record.Run{Transfers: make([]record.Transfer, c.before)}, 0
		k := &checker{Options: Options{Budget: time.Minute, Progress: func(float64, string) {}}, run: run, start: time.Now()}
		err := k.each(t.Context(), []step{{name: "one stream", need: func() time.Duration { return 0 }, run: func(context.Context) error {
			run.Transfers = append(run.Transfers, record.Transfer{Name: "down-1"})
			if ran++; ran <= c.failures {
				return fmt.Errorf("wait: %w", c.err)
			}
			return nil
		}}})
		if (err != nil) != c.fails || err != nil && !errors.Is(err, c.err) || ran != c.ran {
			t.Errorf("%s: %v after %d runs", name, err, ran)
		}
		if len(run.Transfers) != c.before+1 || len(run.Warnings) != c.ran-1 {
			t.Errorf("%s: %d transfers, warnings %q", name, len(run.Transfers), run.Warnings)
		}
	}
}
