package trial

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// far runs an iperf3 server on loopback until the test ends. asked waits for
// so many tests and returns the congestion controls that it was asked for in
// all so far.
func far(t *testing.T) (server netip.AddrPort, asked func(n int) []string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	names := make(chan string, 100)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		server := iperf3.Server{Report: func(v iperf3.Visit) {
			if v.Test.Protocol != "" { // else it had to knock again
				names <- v.Test.Congestion
			}
		}}
		_ = server.Serve(ctx, listener) // ends with the test
	}()
	t.Cleanup(func() { cancel(); <-done })
	var all []string
	return listener.Addr().(*net.TCPAddr).AddrPort(), func(n int) []string {
		t.Helper()
		for len(all) < n || len(names) > 0 {
			select {
			case name := <-names:
				all = append(all, name)
			case <-time.After(5 * time.Second):
				t.Errorf("%d tests, want %d", len(all), n)
				return all
			}
		}
		return all
	}
}

func arms(server netip.AddrPort, all ...record.Arm) []Side {
	var out []Side
	for _, a := range all {
		if a.Direction == "" {
			a.Direction = record.Up
		}
		out = append(out, Side{Arm: a, Server: server})
	}
	return out
}

// brief are the shortest trials there are.
func brief(arms []Side) Options {
	return Options{Arms: arms, Began: time.Now(), Duration: time.Second, Omit: 0, Pause: 0, Network: "tcp"}
}

func prepare(t *testing.T, o Options) *Runner {
	t.Helper()
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lets a program choose the congestion control")
	}
	r, err := Prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func run(t *testing.T, r *Runner, index int) record.Trial {
	t.Helper()
	trial, err := r.Run(t.Context(), 3, index)
	if err != nil {
		t.Fatal(err)
	}
	if trial.Rate <= 0 || trial.Bytes <= 0 || trial.Duration < 0.9 || trial.Block != 3 || trial.Arm != index {
		t.Errorf("arm %d: %+v", index, trial)
	}
	return trial
}

func TestEachArmIsWhatItIsCalled(t *testing.T) {
	server, asked := far(t)
	r := prepare(t, brief(arms(server,
		record.Arm{CC: "reno"}, record.Arm{CC: "reno", Direction: record.Down}, record.Arm{Streams: 2, Window: 64 << 10})))
	if len(r.Far) != 1 || r.Far[0].CC == "" {
		t.Errorf("the far end: %+v", r.Far)
	}
	if got := run(t, r, 0); got.CC != "reno" || got.MSS == 0 {
		t.Errorf("up: %+v", got)
	}
	if got := run(t, r, 1); got.CC != "reno" {
		t.Errorf("down: %+v", got)
	}
	run(t, r, 2)
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	// Upwards the server is not told the algorithm; in the end it is told to
	// forget it.
	want := []string{"default", "reno", "default", "default", "reno", "default", "default"}
	if got := asked(len(want)); !slices.Equal(got, want) {
		t.Errorf("the server was asked for %q, want %q", got, want)
	}
}

// The idle path is watched before a try can have filled a queue on it.
func TestWatchedBeforeTheFirstTry(t *testing.T) {
	server, _ := far(t)
	second, _ := far(t)
	o := brief(append(arms(server, record.Arm{Name: "a"}, record.Arm{Name: "b", Streams: 2}), arms(second, record.Arm{Name: "c"})...))
	var told []string
	o.Progress = func(what string) { told = append(told, what) }
	prepare(t, o)
	if want := []string{"watch the idle path to 127.0.0.1", "try a", "try b", "try c"}; !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

func TestLongerThanAskedFor(t *testing.T) {
	server, _ := far(t)
	o := brief(arms(server, record.Arm{Name: "a"}))
	o.Omit = Auto
	r := prepare(t, o)
	if r.Duration != 2*time.Second || len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "trials take 2s instead of 1s") {
		t.Errorf("%v, warnings %q", r.Duration, r.Warnings)
	}
}

func TestIdenticalArmsAreTriedOnce(t *testing.T) {
	server, asked := far(t)
	r := prepare(t, brief(arms(server, record.Arm{Name: "a", CC: "reno"}, record.Arm{Name: "b", CC: "reno"})))
	if got := asked(1); len(got) != 1 {
		t.Errorf("%d tests", len(got))
	}
	run(t, r, 0)
	run(t, r, 1)
}

// A server that falls back without a word is no result, and is left as found.
func TestSilentFallback(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	server, asked := far(t)
	_, err := Prepare(t.Context(), brief(arms(server, record.Arm{CC: "nosuch", Direction: record.Down})))
	refused(t, err, "has no congestion control nosuch: it sent with", "available there: ")
	// The try, four questions, and the farewell.
	if got := asked(6); got[0] != "nosuch" || got[len(got)-1] != "default" {
		t.Errorf("the server was asked for %q", got)
	}
}

func TestNeighborInTheSameTest(t *testing.T) {
	server, _ := far(t)
	o := brief(arms(server, record.Arm{CC: "reno", Streams: 2}))
	o.Neighbor = &Side{Arm: record.Arm{CC: "cubic"}}
	got := run(t, prepare(t, o), 0)
	if got.CC != "reno" || got.Neighbor == nil || got.Neighbor.CC != "cubic" || got.Neighbor.Rate <= 0 {
		t.Errorf("%+v beside %+v", got, got.Neighbor)
	}
}

func TestNeighborOfItsOwnServer(t *testing.T) {
	server, _ := far(t)
	second, asked := far(t)
	o := brief(arms(server, record.Arm{CC: "reno", Direction: record.Down}))
	o.Neighbor = &Side{Arm: record.Arm{CC: "reno"}, Server: second}
	r := prepare(t, o)
	got := run(t, r, 0)
	if got.Neighbor == nil || got.Neighbor.CC != "reno" || got.Neighbor.Rate <= 0 {
		t.Errorf("%+v beside %+v", got, got.Neighbor)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := asked(3); !slices.Equal(got, []string{"reno", "reno", "default"}) {
		t.Errorf("the neighbor's server was asked for %q", got)
	}
}

// A trial counts only with its neighbor beside it: while another test keeps the
// neighbor's server busy, the trial is repeated.
func TestNeighborOfABusyServer(t *testing.T) {
	server, _ := far(t)
	second, _ := far(t)
	o := brief(arms(server, record.Arm{CC: "reno"}))
	o.Neighbor = &Side{Arm: record.Arm{CC: "reno"}, Server: second}
	o.Wait = 10 * time.Second
	r := prepare(t, o)
	other := make(chan error, 1)
	begun := make(chan struct{})
	go func() {
		client := iperf3.Client{Ready: func(context.Context) error { close(begun); return nil }}
		_, err := client.Run(t.Context(), second.String(), iperf3.Test{Duration: 1200 * time.Millisecond, Rate: 1e6})
		other <- err
	}()
	<-begun
	got := run(t, r, 0)
	if len(got.Warnings) == 0 || !strings.Contains(got.Warnings[len(got.Warnings)-1], "repeated: the arm and its neighbor ran at once for only") {
		t.Errorf("warnings %q", got.Warnings)
	}
	if err := <-other; err != nil {
		t.Error(err)
	}
}

func TestInterrupted(t *testing.T) {
	server, asked := far(t)
	r := prepare(t, brief(arms(server, record.Arm{CC: "reno", Direction: record.Down})))
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(why) })
	if _, err := r.Run(ctx, 0, 0); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	if err := r.Close(ctx); err != nil {
		t.Error(err)
	}
	if got := asked(3); !slices.Equal(got, []string{"reno", "reno", "default"}) {
		t.Errorf("the server was asked for %q", got)
	}
}

func TestServerOfOneTest(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := iperf3.Server{OneOff: true}
	go func() { _ = server.Serve(t.Context(), listener) }()
	_, err = Prepare(t.Context(), brief(arms(listener.Addr().(*net.TCPAddr).AddrPort(), record.Arm{Streams: 1}, record.Arm{Streams: 2})))
	var gone *goneError
	if !errors.As(err, &gone) || !strings.Contains(gone.Hint(), "without -1") {
		t.Errorf("%v", err)
	}
}

func TestCloseWithoutAServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := listener.Addr().(*net.TCPAddr).AddrPort()
	listener.Close()
	s := newServers(Options{})
	s.named[gone] = true
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	if err := s.reset(t.Context()); err == nil || !strings.Contains(err.Error(), "may keep the congestion control") {
		t.Errorf("%v", err)
	}
}

// A server that is gone is no reason to leave the others as they are.
func TestCloseResetsTheOtherServers(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	s := newServers(Options{})
	for range 4 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		at := listener.Addr().(*net.TCPAddr).AddrPort()
		s.named[at] = true
		if len(s.named) == 1 {
			listener.Close()
			continue
		}
		server := iperf3.Server{}
		go func() { _ = server.Serve(t.Context(), listener) }()
	}
	if err := s.reset(t.Context()); err == nil || strings.Count(err.Error(), "may keep the congestion control") != 1 {
		t.Errorf("%v", err)
	}
	if len(s.named) != 1 {
		t.Errorf("%d servers were not reset, want the one that is gone", len(s.named))
	}
}

// web serves files, and refuses what is missing.
func web(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/large", func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("Accept-Encoding %q", q.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Server", "tester")
		block := make([]byte, 32<<10)
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	mux.HandleFunc("/small", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(10 * time.Millisecond)
		_, _ = io.WriteString(w, strings.Repeat("x", 10000))
	})
	mux.HandleFunc("/empty", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/moved", http.RedirectHandler("/large", http.StatusFound))
	mux.HandleFunc("/stuck", func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.WriteString(w, "x")
		_ = http.NewResponseController(w).Flush()
		<-q.Context().Done()
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	return s
}

func page(t *testing.T, s *httptest.Server, path string, streams int) Side {
	t.Helper()
	u, err := url.Parse(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	return Side{Arm: record.Arm{Name: path, Target: u.String(), Direction: record.Down, Streams: streams}, URL: u}
}

func TestDownloads(t *testing.T) {
	s := web(t)
	r := prepare(t, brief([]Side{page(t, s, "/large", 0), page(t, s, "/moved", 3), page(t, s, "/small", 1)}))
	if len(r.Far) != 3 || r.Far[0].Software != "tester" {
		t.Errorf("the far ends: %+v", r.Far)
	}
	if want := s.URL + "/moved redirects to " + s.URL + "/large"; !slices.Contains(r.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
	one, three := run(t, r, 0), run(t, r, 1)
	if one.MSS == 0 || one.RTTMin == 0 || one.Retransmits != -1 {
		t.Errorf("%+v", one)
	}
	if three.Rate < 1.5*one.Rate {
		t.Errorf("one stream %.0f bit/s, three %.0f", one.Rate, three.Rate)
	}
	again := run(t, r, 2)
	if len(again.Warnings) != 1 || !strings.Contains(again.Warnings[0], "ended early") {
		t.Errorf("warnings of a small file: %q", again.Warnings)
	}
}

func TestDownloadsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	s := web(t)
	for path, want := range map[string]string{"/missing": "404", "/empty": "is empty"} {
		if _, err := Prepare(t.Context(), brief([]Side{page(t, s, path, 0)})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	s.Close()
	if _, err := Prepare(t.Context(), brief([]Side{page(t, s, "/large", 0)})); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("nobody there: %v", err)
	}
}

// A download from which nothing comes ends on time with a rate of 0. The third
// in a row is an error.
func TestStuckDownload(t *testing.T) {
	o := brief([]Side{page(t, web(t), "/stuck", 0)})
	o.Omit, o.Duration = time.Second, 2*time.Second // the first byte does not count
	r := prepare(t, o)
	for n := range 3 {
		start := time.Now()
		got, err := r.Run(t.Context(), n, 0)
		var quiet *silentError
		if took := time.Since(start); errors.As(err, &quiet) != (n == 2) || took > 10*time.Second {
			t.Errorf("trial %d: %v after %v", n, err, took)
		}
		if n < 2 && (got.Rate != 0 || got.Block != n || len(got.Warnings) == 0) {
			t.Errorf("trial %d: %+v", n, got)
		}
	}
}

// What is secret in a URL reaches the server, and no text.
func TestSecretsOfAURL(t *testing.T) {
	s := web(t)
	secret := func(path string) Side {
		a := page(t, s, path, 1)
		a.URL.User, a.URL.RawQuery = url.UserPassword("me", "hunter2"), "static&key=hunter2"
		a.Target = record.ShownURL(a.URL)
		return a
	}
	for path, want := range map[string]string{"/missing": "the server answers 404", "/empty": "the body is empty"} {
		_, err := Prepare(t.Context(), brief([]Side{secret(path)}))
		hidden(t, err, want)
	}
	gone := secret("/large")
	s.Close()
	_, err := Prepare(t.Context(), brief([]Side{gone}))
	hidden(t, err, "refused")
}

func hidden(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	all := err.Error() + "\n" + hint.Of(err)
	if !strings.Contains(all, want) || !strings.Contains(all, "?static&key=…") || strings.Contains(all, "hunter2") {
		t.Errorf("%s\nwant %q, the URL and none of its secrets", all, want)
	}
	if next := hint.Of(err); strings.Contains(next, "curl") && !strings.Contains(next, "curl -o /dev/null 'http://") {
		t.Errorf("the URL is no word of a shell's: %s", next)
	}
}

// Two URLs that differ in a secret alone are two targets, by one name.
func TestArmsThatASecretTellsApart(t *testing.T) {
	s := web(t)
	var arms []Side
	for _, key := range []string{"one", "two"} {
		a := page(t, s, "/moved", 1)
		a.URL.RawQuery = "key=" + key
		a.Target = record.ShownURL(a.URL)
		arms = append(arms, a)
	}
	r := prepare(t, brief(arms))
	if len(r.Far) != 2 || r.arms[0].method == r.arms[1].method {
		t.Errorf("one target: %+v", r.Far)
	}
	if want := s.URL + "/moved?key=… redirects to " + s.URL + "/large"; !slices.Contains(r.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
}
