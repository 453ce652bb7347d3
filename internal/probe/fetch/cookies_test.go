package fetch

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

const cookieFile = "# Netscape HTTP Cookie File\n" +
	".example.org\tTRUE\t/\tTRUE\t4102444800\tsession\tabc\n" +
	"#HttpOnly_media.example.org\tFALSE\t/films\tFALSE\t0\tkey\tx=y\r\n\n" +
	"old.example.org\tFALSE\t/\tFALSE\t1000\tgone\t1\n"

func TestCookies(t *testing.T) {
	all, err := ReadCookies(strings.NewReader(cookieFile))
	if err != nil || len(all) != 3 {
		t.Fatalf("%d cookies, %v", len(all), err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for address, want := range map[string]string{
		"https://example.org/":                "session",
		"https://media.example.org/films/a":   "session key",
		"http://media.example.org/films":      "key",
		"http://media.example.org/filmstrip":  "",
		"https://badexample.org/":             "",
		"http://old.example.org/":             "",
		"https://sub.media.example.org/films": "session",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range all {
			if c.For(u, now) {
				got = append(got, c.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s gets %q, want %q", address, got, want)
		}
	}
}

// An error names the line, and nothing that it holds.
func TestBadCookies(t *testing.T) {
	for _, text := range []string{
		"example.org\tTRUE\t/\tTRUE\t0\tsecret\n",
		"example.org\tTRUE\t/\tTRUE\tsoon\tname\tsecret\n",
		"example.org\tTRUE\t/\tTRUE\t0\tname\tse;cret\n",
		"\tTRUE\t/\tTRUE\t0\tname\tsecret\n",
	} {
		_, err := ReadCookies(strings.NewReader("# comment\n" + text))
		if err == nil || !strings.Contains(err.Error(), "line 2") || strings.Contains(err.Error(), "cret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadCookies(strings.NewReader(strings.Repeat("#\n", cookieFileLimit))); err == nil {
		t.Error("a file without end is read")
	}
}

func FuzzReadCookies(f *testing.F) {
	f.Add(cookieFile)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ReadCookies(strings.NewReader(text))
		if err != nil {
			return
		}
		u := &url.URL{Scheme: "https", Host: "example.org", Path: "/a"}
		for _, c := range all {
			c.For(u, time.Unix(0, 0))
			if strings.ContainsAny(c.Name+c.Value, "\r\n;") {
				t.Errorf("%q=%q would be another header", c.Name, c.Value)
			}
		}
	})
}

func FuzzParseContentRange(f *testing.F) {
	f.Add("bytes 0-0/1234")
	f.Add("bytes 0-0/*")
	f.Fuzz(func(t *testing.T, s string) {
		part, whole, ok := parseContentRange(s)
		if ok && (part[0] < 0 || part[1] < part[0] || whole >= 0 && part[1] >= whole) {
			t.Errorf("%q is %v of %d", s, part, whole)
		}
	})
}
