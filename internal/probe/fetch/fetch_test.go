package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"unchoke/internal/hint"
	"unchoke/internal/record"
)

const megabyte = 1 << 20

// film is a file that any server can serve, with ranges.
func film(size int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "film.mkv", time.Time{}, io.NewSectionReader(zeros{}, 0, size))
	}
}

type zeros struct{}

func (zeros) ReadAt(b []byte, _ int64) (int, error) { clear(b); return len(b), nil }

// fetchFrom checks a URL in little time.
func fetchFrom(t *testing.T, address string, change func(*Options)) (*record.Run, error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	run := record.New(record.ShownURL(u), "test", time.Now())
	o := Options{URL: u, Network: "tcp", Agent: "unchoke/test", Budget: 2 * time.Second, Quick: true, MaxBytes: 64 * megabyte}
	if change != nil {
		change(&o)
	}
	err = Check(t.Context(), run, o)
	return run, err
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// A file with ranges: one connection, then several for parts of it, and no more
// bytes than were allowed.
func TestFile(t *testing.T) {
	var sent atomic.Int64
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("Accept-Encoding is %q", r.Header.Get("Accept-Encoding"))
		}
		film(4<<30)(countedWriter{w, &sent}, r)
	}))
	run, err := fetchFrom(t, at+"/film.mkv", nil)
	if err != nil {
		t.Fatal(err)
	}
	f := run.Fetch
	if f.Ranges != record.RangesServed || f.Length != 4<<30 || f.Status != 206 || f.Protocol != "HTTP/1.1" || len(f.Problems) > 0 {
		t.Errorf("%+v", f)
	}
	if len(run.Transfers) != 2 || run.Transfers[1].Streams != 4 || run.Transfers[0].SteadyRate <= 0 {
		t.Fatalf("transfers %+v", run.Transfers)
	}
	if f.Bytes > f.MaxBytes || sent.Load() > f.MaxBytes+8*megabyte || f.Bytes < megabyte {
		t.Errorf("received %d bytes, the server sent %d, at most %d were allowed", f.Bytes, sent.Load(), f.MaxBytes)
	}
	if s := f.Streams[0]; s.Connect <= 0 || s.FirstByte <= 0 || s.Bytes == 0 || s.End != record.EndOfBytes && s.End != record.EndOfBody && s.End != record.EndOfTime {
		t.Errorf("stream %+v", s)
	}
}

type countedWriter struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (w countedWriter) Write(b []byte) (int, error) {
	w.n.Add(int64(len(b)))
	return w.ResponseWriter.Write(b)
}

// A stream without length or ranges ends when its time is over, and no more
// arrives than was allowed.
func TestEndlessStream(t *testing.T) {
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := make([]byte, 64<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}))
	run, err := fetchFrom(t, at+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := run.Fetch; f.Length != -1 || f.Ranges != record.RangesNone || f.Streams[0].End != record.EndOfTime || f.Bytes > f.MaxBytes {
		t.Errorf("%+v", f)
	}
}

// A server that closes each connection after a file, as HTTP/1.0 does, refused none.
func TestOneFileAConnection(t *testing.T) {
	for name, length := range map[string]string{"closes": fmt.Sprint(2 * megabyte), "closes in place of a length": ""} {
		at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			io.CopyN(w, io.NewSectionReader(zeros{}, 0, 2*megabyte), 2*megabyte)
		}))
		run, err := fetchFrom(t, at+"/film.mkv", nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(run.Fetch.Problems) > 0 || len(run.Fetch.Streams) < 2 {
			t.Errorf("%s: %+v", name, run.Fetch)
		}
		for _, s := range run.Fetch.Streams {
			if s.End != record.EndOfBody || s.Bytes != 2*megabyte || s.Error != "" {
				t.Errorf("%s: stream %+v", name, s)
			}
		}
	}
}

// What a server answers that has no file is an error with the next step.
func TestRefusals(t *testing.T) {
	mux := http.NewServeMux()
	for path, status := range map[string]int{"/404": 404, "/401": 401, "/403": 403, "/429": 429, "/500": 500, "/511": 511} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	mux.Handle("/loop", http.RedirectHandler("/pool", http.StatusFound))
	mux.Handle("/pool", http.RedirectHandler("/loop", http.StatusFound))
	mux.HandleFunc("/far/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
	})
	mux.Handle("/mail", http.RedirectHandler("mailto:me@example.org", http.StatusFound))
	mux.HandleFunc("/empty", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/film.mkv", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!DOCTYPE html><title>log in</title>") })
	mux.HandleFunc("/headers", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 2*headerLimit))
		fmt.Fprint(w, "x")
	})
	at := serve(t, mux)
	for path, want := range map[string]string{
		"/404": "404 Not Found", "/401": "wants to know who asks", "/403": "403", "/429": "429", "/500": "500", "/511": "captive portal",
		"/loop": "circle", "/far/": "more than 10 times", "/mail": "no web address", "/empty": "empty",
		"/film.mkv": "where a file was expected", "/headers": "header of more than 64.0 KiB",
	} {
		run, err := fetchFrom(t, at+path+"?key=secret", nil)
		if err == nil || !strings.Contains(err.Error(), want) || hint.Of(err) == "" || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q and a hint", path, err, want)
		}
		if len(run.Transfers) > 0 {
			t.Errorf("%s was measured", path)
		}
	}
}

// A header is sent to the URL's own host alone, and stands in no record.
func TestHeadersAreSecret(t *testing.T) {
	var leaked atomic.Bool
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked.Store(leaked.Load() || r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "")
		film(8*megabyte)(w, r)
	}))
	var asked atomic.Bool
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Header.Get("Authorization") == "Bearer secret" && r.Header.Get("Cookie") == "k=secret")
		http.Redirect(w, r, strings.Replace(other, "127.0.0.1", "localhost", 1)+"/film.mkv", http.StatusFound)
	}))
	run, err := fetchFrom(t, at+"/film.mkv?key=secret", func(o *Options) {
		o.Header = http.Header{"Authorization": {"Bearer secret"}}
		o.Cookies = []*Cookie{{Domain: "127.0.0.1", Path: "/", Name: "k", Value: "secret"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !asked.Load() || leaked.Load() {
		t.Errorf("the host was given the header: %v; another one was: %v", asked.Load(), leaked.Load())
	}
	if b, err := json.Marshal(run); err != nil || bytes.Contains(b, []byte("secret")) {
		t.Errorf("the record holds the secret: %v", err)
	}
	if len(run.Fetch.Redirects) != 1 || !slices.ContainsFunc(run.Fetch.Problems, func(p record.Problem) bool { return p.Kind == record.ProblemRedirected }) {
		t.Errorf("%+v", run.Fetch)
	}
}

// A server's untruths are named.
func TestUntruths(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    record.ProblemKind
	}{
		"claims ranges": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Accept-Ranges", "bytes")
			w.Header().Set("Content-Length", fmt.Sprint(4*megabyte))
			io.CopyN(w, io.NewSectionReader(zeros{}, 0, 4*megabyte), 4*megabyte)
		}, record.ProblemRanges},
		"another part": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 5-9/4194304")
			w.Header().Set("Content-Length", "5")
			w.WriteHeader(http.StatusPartialContent)
			fmt.Fprint(w, "hello")
		}, record.ProblemRanges},
		"compresses": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.CopyN(w, io.NewSectionReader(zeros{}, 0, 4*megabyte), 4*megabyte)
		}, record.ProblemCompressed},
		"cuts": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(64*megabyte))
			io.CopyN(w, io.NewSectionReader(zeros{}, 0, megabyte), megabyte)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, record.ProblemCut},
	} {
		run, err := fetchFrom(t, serve(t, c.handler)+"/film.mkv", nil)
		if err != nil || !slices.ContainsFunc(run.Fetch.Problems, func(p record.Problem) bool { return p.Kind == c.want }) {
			t.Errorf("%s: %v, %+v", name, err, run.Fetch)
		}
	}
}

// HTTP/2 over TLS, with an authority that only this test knows; without it the
// certificate is refused, with the next step.
func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(film(64 * megabyte))
	s.EnableHTTP2, s.Config.ErrorLog = true, log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := fetchFrom(t, s.URL+"/film.mkv", nil)
	if err == nil || !strings.Contains(err.Error(), "certificate") || !strings.Contains(hint.Of(err), "SSL_CERT_FILE") {
		t.Errorf("a certificate of nobody's: %v", err)
	}
}

// A server that accepts and never answers does not hold the check up for ever,
// nor does one that ends in the middle of a header.
func TestHostileServers(t *testing.T) {
	for name, say := range map[string]string{
		"no HTTP":    "SSH-2.0-OpenSSH_9.2\r\n\r\n",
		"half":       "HTTP/1.1 200 OK\r\nContent-Le",
		"wrong part": "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-99999999999999999999/1\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx",
		"negative":   "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
		"control":    "HTTP/1.1 302 Found\r\nLocation: http://\x1b[31mred/\r\n\r\n",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				io.WriteString(c, say)
				c.Close()
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		run, err := fetchFrom(t, "http://"+l.Addr().String()+"/film", nil)
		if ctx.Err() != nil || err == nil && len(run.Fetch.Streams) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("%s: %q", name, err)
		}
		cancel()
		l.Close()
	}
}

// A server that announces the first byte and does not send it does not hold the
// check up for ever.
func TestSilentServer(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Range", "bytes 0-0/4194304")
		w.Header().Set("Content-Length", "1")
		w.WriteHeader(http.StatusPartialContent)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	u, err := url.Parse(at + "/film.mkv")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = Check(ctx, record.New(at, "test", time.Now()), Options{URL: u, Network: "tcp", Quick: true})
	if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "sends nothing of the file") || hint.Of(err) == "" {
		t.Errorf("%v", err)
	}
}
