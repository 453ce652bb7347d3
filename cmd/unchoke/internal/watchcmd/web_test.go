//go:build !slim

package watchcmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/watching"
	"unchoke/internal/hint"
	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
)

// openWeb begins a page and returns what was printed.
func openWeb(t *testing.T, x *page) (printed string, err error) {
	t.Helper()
	var stderr bytes.Buffer
	publish, serve, err := x.open(&cli.App{Stdout: io.Discard, Stderr: &stderr})
	if err != nil {
		return "", err
	}
	snapshot, err := livetest.NewSource(3, 1).Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	publish(snapshot)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return stderr.String(), nil
}

func TestWebOnLoopback(t *testing.T) {
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	record := filepath.Join("..", "..", "..", "..", "internal", "diagnose", "testdata", "loss-limited--wireguard-up.json.gz")
	printed, err := openWeb(t, &page{address: "0", report: record})
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(printed[strings.Index(printed, "http://"):])
	if !strings.HasPrefix(address, "http://127.0.0.1:") || !strings.HasSuffix(address, "/?record=opened") || strings.Contains(printed, "token") {
		t.Errorf("printed %q", printed)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if body := get(t, http.DefaultClient, "http://"+u.Host+"/records/opened"); !strings.Contains(body, "loss-limited") {
		t.Errorf("the record: %.300s", body)
	}

	// The port is taken now.
	_, err = openWeb(t, &page{address: u.Host})
	if err == nil || !strings.Contains(hint.Of(err), "--web 0") {
		t.Errorf("on a busy port: %v, hint %q", err, hint.Of(err))
	}
}

// Where others can reach the page, it takes a token.
func TestWebOnEveryAddress(t *testing.T) {
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	printed, err := openWeb(t, &page{address: ":0"})
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(printed[strings.Index(printed, "http://"):], "\n")
	u, err := url.Parse(line)
	if err != nil || len(u.Query().Get("token")) < 26 {
		t.Fatalf("printed %q, %v", printed, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: 5 * time.Second}
	here := "http://" + net.JoinHostPort("127.0.0.1", u.Port())
	answer, err := client.Get(here + "/records")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %s", answer.Status)
	}
	get(t, client, here+"/?"+u.RawQuery)
	get(t, client, here+"/records")
}

// When a recording is over the page stays, and says so.
func TestWebStays(t *testing.T) {
	var stderr bytes.Buffer
	x := &page{address: "0"}
	publish, serve, err := x.open(&cli.App{Stdout: io.Discard, Stderr: &stderr})
	if err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(stderr.String(), " at ")
	src := livetest.NewSource(3, 1)
	src.Last = 2
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- broadcast(ctx, src, viewer{show: always(func(*live.Snapshot) error { return nil })}, []func(*live.Snapshot){publish}, []func(context.Context) error{serve}, stayers([]extra{&exporter{}, x, &page{}}))
	}()
	answer, err := http.Get(strings.TrimSpace(address) + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() && lines.Text() != "event: ended" {
	}
	if lines.Text() != "event: ended" {
		t.Errorf("the page does not tell: %v", lines.Err())
	}
	select {
	case err := <-ended:
		t.Errorf("the watch ended with the recording: %v", err)
	default:
	}
	cancel()
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("it ended with %v", err)
	}
}

func TestWebRefuses(t *testing.T) {
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	for _, x := range []*page{
		{address: "99999"},
		{address: "host"},
		{report: "last"},
		{address: "0", report: "last"},
		{address: "0", report: "nosuch"},
		{address: "0", report: os.TempDir()},
	} {
		if printed, err := openWeb(t, x); err == nil || hint.Of(err) == "" {
			t.Errorf("%+v: %q, %v, hint %q", x, printed, err, hint.Of(err))
		}
	}
	if publish, serve, err := (&page{}).open(&cli.App{Stderr: io.Discard}); publish != nil || serve != nil || err != nil {
		t.Error("a page that nobody asked for")
	}
}

func get(t *testing.T, client *http.Client, address string) string {
	t.Helper()
	answer, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %s, %v: %.300s", address, answer.Status, err, body)
	}
	return string(body)
}

// The page turns the recording that is played, also from its end.
func TestWebTurnsARecording(t *testing.T) {
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	recording, err := watching.OpenTape(filepath.Join("..", "..", "..", "..", "internal", "prom", "testdata", "clean.watch"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { recording.Close() })
	recording.SetSpeed(0)
	x := &page{address: "0"}
	x.replays(recording)
	printed, err := openWeb(t, x)
	if err != nil {
		t.Fatal(err)
	}
	_, length := recording.Position()
	for at := time.Duration(0); at < length; at, _ = recording.Position() {
		if _, err := recording.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	address := strings.TrimSpace(printed[strings.Index(printed, "http://"):])
	r, err := http.NewRequest(http.MethodPost, address+"tape?to=5", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", strings.TrimSuffix(address, "/"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if _, err := recording.Next(t.Context()); err != nil { // the end is no end
		t.Fatal(err)
	}
	if at, _ := recording.Position(); answer.StatusCode != http.StatusNoContent || at > 5*time.Second || at < 3*time.Second {
		t.Errorf("wound to 5 s: %d, at %v", answer.StatusCode, at)
	}
}
