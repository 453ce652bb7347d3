package session

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// begin runs a far end over a pipe and opens a session with it.
func begin(t *testing.T, f Far) (*Client, <-chan error) {
	t.Helper()
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := f.Run(t.Context(), far, far)
		far.Close()
		ended <- err
	}()
	c, err := Open(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.End)
	return c, ended
}

const token = "0123456789abcdef"

// The far end tells what its own socket saw of a test: of a download, as the
// sender.
func TestSides(t *testing.T) {
	c, ended := begin(t, Far{Version: "test"})
	if h := c.Hello; h.Schema != Schema || h.Version != "test" || h.Host.Kernel == "" || !h.Knows(DoServe) || h.Knows(DoTune) {
		t.Errorf("hello %+v", h)
	}
	serving, err := c.Serve(t.Context(), Serve{Token: token, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Serve(t.Context(), Serve{Token: token}); err == nil {
		t.Error("a second server was started")
	}
	audited, err := c.Audit(t.Context(), Audit{Address: "127.0.0.1"})
	if err != nil || audited.Route.Source != "127.0.0.1" {
		t.Fatalf("%+v, %v", audited, err)
	}
	address := net.JoinHostPort("127.0.0.1", itoa(serving.Port))
	client := iperf3.Client{Token: token}
	down, err := client.Run(t.Context(), address, iperf3.Test{Reverse: true, Duration: 400 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	up, err := client.Run(t.Context(), address, iperf3.Test{Streams: 2, Duration: 400 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	sides, err := c.Sides(t.Context())
	if err != nil || len(sides.Sides) != 2 || sides.Tunnel == nil || sides.Tunnel.Kind != "none" {
		t.Fatalf("%+v, %v", sides, err)
	}
	for i, want := range []struct {
		cookie  string
		d       record.Direction
		sender  bool
		streams int
	}{{down.Cookie, record.Down, true, 1}, {up.Cookie, record.Up, false, 2}} {
		s := sides.Sides[i]
		if s.Cookie != want.cookie || s.Transfer.Direction != want.d || len(s.Transfer.Series) != want.streams {
			t.Fatalf("test %d: %+v", i, s)
		}
		series := s.Transfer.Series[0]
		if series.Sender != want.sender || len(series.Samples) < 10 || s.Transfer.Rate == 0 || s.Transfer.CC == "" {
			t.Errorf("test %d: sender %v, %d samples, %v bit/s by %q", i, series.Sender, len(series.Samples), s.Transfer.Rate, s.Transfer.CC)
		}
		if last := series.Samples[len(series.Samples)-1]; want.sender && last.Info.BytesAcked == 0 {
			t.Error("the far sender's TCP_INFO lacks what was acknowledged")
		}
	}
	if again, err := c.Sides(t.Context()); err != nil || len(again.Sides) != 0 {
		t.Errorf("told twice: %+v, %v", again, err)
	}
	c.End()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("the server outlived its session")
	}
}

// A server takes connections that the far end opened, and nobody else's.
func TestDialBack(t *testing.T) {
	c, _ := begin(t, Far{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	back := Dial{Address: l.Addr().String(), Token: token}
	if _, err := c.Dial(t.Context(), back); err == nil {
		t.Error("connected back for no server")
	}
	if _, err := c.Serve(t.Context(), Serve{Token: token, Listen: "127.0.0.1:0"}); err != nil {
		t.Fatal(err)
	}
	dialed, err := c.Dial(t.Context(), back)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	said := make([]byte, len(token)+1)
	if _, err := io.ReadFull(conn, said); err != nil || string(said) != token+"\n" {
		t.Fatalf("%q, %v", said, err)
	}
	if dialed.Local != conn.RemoteAddr().String() {
		t.Errorf("the far end of %v is %q by its own account", conn.RemoteAddr(), dialed.Local)
	}
	datagramFrom(t, c, dialed.Local)
	if _, err := conn.Write(append([]byte(strings.Repeat("c", 36)), 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, said[:1]); err != nil || said[0] != 9 { // PARAM_EXCHANGE
		t.Errorf("the server answered %v, %v", said[0], err)
	}
}

// datagramFrom asks for a datagram from the far end of a connection, and from one
// that is none of the session's.
func datagramFrom(t *testing.T, c *Client, from string) {
	t.Helper()
	near, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	ask := Send{From: from, Port: near.LocalAddr().(*net.UDPAddr).Port, Token: token}
	if err := c.Send(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	_ = near.SetReadDeadline(time.Now().Add(30 * time.Second))
	said := make([]byte, 100)
	n, at, err := near.ReadFrom(said)
	if err != nil || string(said[:n]) != token || at.String() != from {
		t.Errorf("%q from %v, %v; want the token from %s", said[:n], at, err, from)
	}
	for _, wrong := range []Send{{From: "127.0.0.1:1", Port: ask.Port, Token: token}, {From: from, Port: 0, Token: token}, {From: from, Port: ask.Port, Token: "short"}} {
		if err := c.Send(t.Context(), wrong); err == nil {
			t.Errorf("%+v was sent", wrong)
		}
	}
}

// A far end that hears nothing goes by itself, with its server.
func TestLease(t *testing.T) {
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Far{lease: 50 * time.Millisecond}.Run(t.Context(), far, far) }()
	if _, err := newLines(near).next(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "nothing was heard") {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it lives on")
	}
	far.Close()
}

// A near end that is cut off says so, and does not wait.
func TestLost(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	near, far := net.Pipe()
	go func() {
		_ = Far{Check: func(ctx context.Context, _ Check, _ func(float64, string)) (*record.Run, error) {
			far.Close()
			<-ctx.Done()
			return nil, ctx.Err()
		}}.Run(t.Context(), far, far)
	}()
	c, err := Open(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Check(t.Context(), Check{}, nil); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	if _, err := c.Sides(t.Context()); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
}

// A check's record is long: it comes in packed parts, after its progress.
func TestCheck(t *testing.T) {
	want := record.New("far:1", "v", time.Unix(0, 0).UTC())
	for range 5000 {
		want.Warnings = append(want.Warnings, "it rained")
	}
	c, _ := begin(t, Far{Check: func(_ context.Context, q Check, progress func(float64, string)) (*record.Run, error) {
		progress(0.5, "halfway to "+q.Target)
		return want, errors.New("then the link broke")
	}})
	var heard string
	run, err := c.Check(t.Context(), Check{Target: "far"}, func(_ float64, what string) { heard = what })
	if heard != "halfway to far" || run == nil || len(run.Warnings) != 5000 {
		t.Errorf("heard %q, record %v", heard, run != nil)
	}
	if far := new(FarError); !errors.As(err, &far) || !strings.Contains(err.Error(), "then the link broke") {
		t.Error(err)
	}
}

// A request that its asker gives up is given up there as well.
func TestCancel(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	c, _ := begin(t, Far{Tune: func(ctx context.Context, _ Tune) (Tuned, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return Tuned{}, ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := c.Tune(ctx, Tune{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-ended
}

// What a check had measured when its asker gave it up is not lost; who answers too late is
// not waited for.
func TestInterruptedCheck(t *testing.T) {
	for _, late := range []bool{false, true} {
		begun, told := make(chan struct{}), make(chan struct{})
		c, _ := begin(t, Far{Check: func(ctx context.Context, _ Check, _ func(float64, string)) (*record.Run, error) {
			close(begun)
			<-ctx.Done()
			if late {
				<-told
			}
			run := record.New("far", "1", time.Now())
			run.Interrupted = true
			return run, ctx.Err()
		}})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-begun
			cancel()
		}()
		run, err := c.Check(ctx, Check{}, nil)
		if !errors.Is(err, context.Canceled) || (run == nil) != late {
			t.Errorf("late %v: %+v, %v", late, run, err)
		}
		close(told)
	}
}

// What a login prints is skipped; what is no session is shown.
func TestGreeting(t *testing.T) {
	hello := `{"schema":"unchoke.session/1","version":"1"}` + "\n"
	for name, c := range map[string]struct{ said, err string }{
		"at once":     {hello, ""},
		"after noise": {"Welcome!\n\n{not json\n" + hello, ""},
		"none":        {"This account is not available.\n", "it said \"This account is not available.\""},
		"newer":       {`{"schema":"unchoke.session/2"}` + "\n", "unchoke.session/2"},
		"silence":     {"", "its output ended"},
		"a flood":     {strings.Repeat("x\n", maxNoise), "does not speak"},
		"a long line": {strings.Repeat("x", MaxLine+1), "a line of more than 4 MiB"},
	} {
		h, err := greeting(newLines(strings.NewReader(c.said)))
		if c.err == "" && (err != nil || h.Version != "1") || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

func FuzzFar(f *testing.F) {
	f.Add([]byte(`{"id":1,"do":"ping"}` + "\n" + `{"id":2,"do":"audit","with":{"address":"127.0.0.1"}}` + "\n"))
	f.Add([]byte(`{"id":1,"do":"transfers"}` + "\n" + `{"do":"end"}` + "\n"))
	f.Add([]byte(`{"id":1,"do":"cancel","with":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if strings.Contains(string(b), DoServe) || strings.Contains(string(b), DoDial) || strings.Contains(string(b), `\u`) {
			return // these reach out
		}
		_ = Far{}.Run(t.Context(), strings.NewReader(string(b)), io.Discard)
	})
}

func FuzzClient(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":{"port":5}}` + "\n"))
	f.Add([]byte(`{"id":1,"part":"H4sIAAAAAAAA/wEAAP//AAAAAAAAAAA=","more":false}` + "\n"))
	f.Add([]byte(`{"id":1,"error":{"message":"no"}}` + "\n" + `{"id":1,"progress":{"share":2}}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		hello := `{"schema":"unchoke.session/1"}` + "\n"
		c, err := Open(t.Context(), pipe{strings.NewReader(hello + string(b)), io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Sides(t.Context())
		<-c.Gone()
	})
}

type pipe struct {
	io.Reader
	io.Writer
}

func (pipe) Close() error { return nil }

func itoa(n int) string { return (&net.TCPAddr{Port: n}).String()[1:] }
