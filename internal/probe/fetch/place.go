package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// place is where a request goes: a URL, the way to its host, and what is said
// there.
type place struct {
	url       *url.URL
	header    http.Header
	cookies   []*Cookie
	proxy     *url.URL     // nil for none
	addresses []netip.Addr // of the host, or of the proxy; those of the first connection first
	port      string
	resolve   time.Duration
	protocol  protocol // of the answers, once known
}

// protocol is a version of HTTP.
type protocol string

const (
	anyHTTP protocol = "" // HTTP/2 where the server offers it
	http1   protocol = "HTTP/1.1"
	http2   protocol = "HTTP/2.0"
)

// reach finds the way to a URL: the proxy by the usual variables, and the
// addresses.
func (f *fetcher) reach(ctx context.Context, u *url.URL) (*place, error) {
	p := &place{url: u}
	if f.own(u) {
		p.header, p.cookies = f.Header, f.Cookies
	}
	var err error
	if p.proxy, err = http.ProxyFromEnvironment(&http.Request{URL: u}); err != nil {
		return nil, &Error{errors.New("the proxy in HTTP_PROXY or HTTPS_PROXY is no URL"), "write it as http://host:port"}
	}
	via, whose := u, ""
	if p.proxy != nil {
		via, whose = p.proxy, "the proxy: "
	}
	p.port = portOf(via)
	host := via.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		p.addresses = []netip.Addr{addr.Unmap()}
		return p, nil
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip"+strings.TrimPrefix(f.Network, "tcp"), host)
	p.resolve = time.Since(began)
	if err != nil {
		return nil, &Error{fmt.Errorf("%s%w", whose, err), "check the name: getent ahosts " + host}
	}
	for _, a := range found {
		if a = a.Unmap(); !slices.Contains(p.addresses, a) {
			p.addresses = append(p.addresses, a)
		}
	}
	return p, nil
}

// own says that a URL is of the host that the user named, and as safe: there
// alone what the user gave is sent.
func (f *fetcher) own(u *url.URL) bool {
	return u.Hostname() == f.URL.Hostname() && portOf(u) == portOf(f.URL) && u.Scheme == f.URL.Scheme ||
		u.Hostname() == f.URL.Hostname() && f.URL.Scheme == "http" && u.Scheme == "https"
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	switch u.Scheme {
	case "https":
		return "443"
	case "socks5", "socks5h":
		return "1080"
	}
	return "80"
}

// portNumber is the port as echo probes take it.
func (p *place) portNumber() int {
	n, _ := strconv.Atoi(p.port)
	return n
}

// bounded is a text of a server's of a length that can be kept.
func bounded(s string) string {
	const most = 500
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// names are the names in a header.
func names(h http.Header) []string {
	var out []string
	for name := range h {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
