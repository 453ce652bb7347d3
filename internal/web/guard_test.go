package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// start serves on a loopback address until the test ends.
func start(t *testing.T, s *Server) (address string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l.Addr().String(), serve(t, s, l)
}

func serve(t *testing.T, s *Server, l net.Listener) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		done <- nil
	}
	t.Cleanup(stop)
	return stop
}

// ask sends one request, headers as "Name: value", and returns the answer.
func ask(t *testing.T, method, address, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestGuard(t *testing.T) {
	address, _ := start(t, New(Options{Names: []string{"nas.example"}}))
	port := address[strings.LastIndex(address, ":"):]
	for _, c := range []struct {
		name, method, path string
		headers            []string
		want               int
	}{
		{"by address", "GET", "/", nil, 200},
		{"by localhost", "GET", "/", []string{"Host: localhost" + port}, 200},
		{"by localhost, upper case", "GET", "/", []string{"Host: LOCALHOST" + port}, 200},
		{"through a tunnel's end", "GET", "/", []string{"Host: localhost:9999"}, 200},
		{"by a name it was given", "GET", "/", []string{"Host: NAS.example" + port}, 200},
		{"rebound", "GET", "/", []string{"Host: evil.example" + port}, 421},
		{"rebound, without a port", "GET", "/events", []string{"Host: evil.example"}, 421},
		{"a name that begins as ours", "GET", "/", []string{"Host: localhost.evil.example" + port}, 421},
		{"another address", "GET", "/", []string{"Host: 192.0.2.1" + port}, 421},
		{"from the page", "GET", "/records", []string{"Origin: http://" + address, "Sec-Fetch-Site: same-origin"}, 200},
		{"typed", "GET", "/", []string{"Sec-Fetch-Site: none"}, 200},
		{"another site's script", "GET", "/records", []string{"Origin: http://evil.example"}, 403},
		{"our host by another scheme", "GET", "/records", []string{"Origin: https://" + address}, 403},
		{"a page without an origin", "GET", "/records", []string{"Origin: null"}, 403},
		{"another port's script", "GET", "/records", []string{"Origin: http://127.0.0.1:1"}, 403},
		{"another site's image", "GET", "/static/icon.svg", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"}, 403},
		{"another site's link", "GET", "/?flow=1", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}, 200},
		{"another site's frame", "GET", "/", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"}, 403},
		{"another site's link to what is no page", "GET", "/records", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}, 403},
		{"HEAD", "HEAD", "/", nil, 405},
		{"POST", "POST", "/records", nil, 405},
		{"OPTIONS", "OPTIONS", "/events", nil, 405},
		{"nothing there", "GET", "/etc/passwd", nil, 404},
		{"out of the tree", "GET", "/static/..%2fweb.go", nil, 404},
	} {
		answer, body := ask(t, c.method, address, c.path, c.headers...)
		if answer.StatusCode != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, answer.StatusCode, c.want, body)
		}
		h := answer.Header
		policy := h.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers %v", c.name, h)
		}
		if c.want == 405 && h.Get("Allow") != "GET" {
			t.Errorf("%s: Allow %q", c.name, h.Get("Allow"))
		}
	}
}

func TestBodyIsRefused(t *testing.T) {
	address, _ := start(t, New(Options{}))
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+address+"\r\nContent-Length: 5\r\n\r\nhello")
	if status, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(status, "400") {
		t.Errorf("%q, %v", status, err)
	}
}

func TestToken(t *testing.T) {
	token := NewToken()
	if len(token) < 26 || token == NewToken() {
		t.Fatalf("token %q", token)
	}
	address, _ := start(t, New(Options{Token: token}))
	for _, path := range []string{"/", "/?token=", "/?token=wrong", "/?token=" + token[1:], "/events", "/events?token=" + token, "/records", "/static/main.js"} {
		if answer, body := ask(t, "GET", address, path); answer.StatusCode != 401 || answer.Header.Get("Set-Cookie") != "" || strings.Contains(body, token) {
			t.Errorf("%s: %d, cookie %q: %s", path, answer.StatusCode, answer.Header.Get("Set-Cookie"), body)
		}
	}
	answer, _ := ask(t, "GET", address, "/?token="+token)
	cookies := answer.Cookies()
	if answer.StatusCode != 200 || len(cookies) != 1 {
		t.Fatalf("%d, %v", answer.StatusCode, cookies)
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
		t.Errorf("cookie %v", c)
	}
	carried := "Cookie: " + cookies[0].Name + "=" + cookies[0].Value
	if answer, body := ask(t, "GET", address, "/records", carried); answer.StatusCode != 200 {
		t.Errorf("with the cookie: %d: %s", answer.StatusCode, body)
	}
	if answer, _ := ask(t, "GET", address, "/?token=wrong", carried); answer.StatusCode != 401 {
		t.Errorf("with the cookie and a wrong token: %d", answer.StatusCode)
	}
	if answer, _ := ask(t, "GET", address, "/records", "Cookie: "+cookies[0].Name+"=x"); answer.StatusCode != 401 {
		t.Errorf("with a wrong cookie: %d", answer.StatusCode)
	}
	if got, want := Address("192.0.2.1:8080", "a b"), "http://192.0.2.1:8080/?token=a+b"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAdmit(t *testing.T) {
	address, _ := start(t, New(Options{Admit: func(net.Conn) error { return errors.New("another user's") }}))
	if answer, body := ask(t, "GET", address, "/"); answer.StatusCode != 403 || !strings.Contains(body, "another user's") {
		t.Errorf("%d: %s", answer.StatusCode, body)
	}
}
