package tunnel

import (
	"strings"
	"testing"
)

func TestReadAnswer(t *testing.T) {
	for _, c := range []struct{ name, text, body, err string }{
		{"to the end", "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nyes\n", "yes\n", ""},
		{"of a length", "HTTP/1.1 200 OK\nContent-Length: 3\n\nyes\n", "yes", ""},
		{"cut off", "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nyes", "", "unexpected EOF"},
		{"without an end of its head", "HTTP/1.0 200 OK\r\nA: b\r\n", "", "no HTTP"},
		{"of a negative length", "HTTP/1.0 200 OK\r\nContent-Length: -4\r\n\r\nyes", "", "no HTTP"},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "", "chunked"},
		{"another protocol", "220 mail.example ESMTP\r\n", "", "no HTTP"},
		{"nothing", "", "", "no HTTP"},
		{"a long line", "HTTP/1.0 200 " + strings.Repeat("x", maxHead), "", "no HTTP"},
		{"a long head", "HTTP/1.0 200 OK\r\n" + strings.Repeat("A: b\r\n", maxHead/6), "", "no HTTP"},
	} {
		got, err := readAnswer(strings.NewReader(c.text))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.name, err, c.err)
			}
		} else if err != nil || got.code != statusOK || string(got.body) != c.body {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes\n")
	f.Add("HTTP/1.0 403 Forbidden\n\nno")
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := readAnswer(strings.NewReader(text)); err == nil && len(a.body) > len(text) {
			t.Errorf("%d bytes out of %d", len(a.body), len(text))
		}
	})
}
