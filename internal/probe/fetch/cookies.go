package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Cookie is a line of a cookie file.
type Cookie struct {
	Domain      string // without a leading dot, in lower case
	Subdomains  bool   // hosts beneath the domain get it too
	Path        string
	Secure      bool // with https alone
	Expires     time.Time
	Name, Value string
}

// cookieFileLimit bounds a cookie file: a browser keeps some thousands.
const cookieFileLimit = 4 << 20

// ReadCookies reads a file in Netscape's format, as browsers' extensions and
// curl write it: a line each, seven fields between tabs; comments begin with #,
// but for the prefix #HttpOnly_. Errors name the line and nothing that it holds.
func ReadCookies(r io.Reader) ([]*Cookie, error) {
	var out []*Cookie
	limited := &io.LimitedReader{R: r, N: cookieFileLimit + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		line, _ = strings.CutPrefix(line, "#HttpOnly_")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c, err := parseCookie(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, c)
	}
	if limited.N <= 0 {
		return nil, fmt.Errorf("more than %s", sizeText(cookieFileLimit))
	}
	return out, lines.Err()
}

func parseCookie(line string) (*Cookie, error) {
	field := strings.Split(line, "\t")
	if len(field) != 7 {
		return nil, fmt.Errorf("%d fields between tabs, want 7: domain, subdomains, path, secure, expiry, name, value", len(field))
	}
	seconds, err := strconv.ParseInt(field[4], 10, 64)
	if err != nil {
		return nil, errors.New("the expiry is no number")
	}
	c := &Cookie{
		Domain: strings.ToLower(strings.TrimPrefix(field[0], ".")), Subdomains: strings.EqualFold(field[1], "TRUE") || strings.HasPrefix(field[0], "."),
		Path: field[2], Secure: strings.EqualFold(field[3], "TRUE"), Name: field[5], Value: field[6],
	}
	if c.Domain == "" || c.Name == "" || strings.ContainsFunc(c.Name+c.Value, func(r rune) bool { return r < ' ' || r == ';' || r == 0x7f }) {
		return nil, errors.New("no cookie")
	}
	if seconds > 0 {
		c.Expires = time.Unix(seconds, 0)
	}
	return c, nil
}

// For says that a request for a URL carries the cookie (RFC 6265 §5.4).
func (c *Cookie) For(u *url.URL, now time.Time) bool {
	host := strings.ToLower(u.Hostname())
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	within := path == c.Path || strings.HasPrefix(path, c.Path) && (strings.HasSuffix(c.Path, "/") || strings.HasPrefix(path[len(c.Path):], "/"))
	return (host == c.Domain || c.Subdomains && strings.HasSuffix(host, "."+c.Domain)) &&
		within && (!c.Secure || u.Scheme == "https") && (c.Expires.IsZero() || now.Before(c.Expires))
}
