package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
)

// Error is a check of a URL that cannot be, with the next step.
type Error struct {
	error
	hint string
}

func (e *Error) Unwrap() error { return e.error }

// Hint says what to do next.
func (e *Error) Hint() string { return e.hint }

func refuse(hint, format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...), hint}
}

// explain says what went wrong with a request in plain words, without the URL,
// which may hold secrets.
func (c *connection) explain(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	host := c.place.url.Hostname()
	if hint := certificateHint(err, host, c.place.port); hint != "" {
		return &Error{fmt.Errorf("the certificate of %s: %w", host, err), hint}
	}
	c.mu.Lock()
	t := c.times
	c.mu.Unlock()
	to := host
	if c.place.proxy != nil {
		to = "the proxy " + c.place.proxy.Host
	}
	switch text := err.Error(); {
	case strings.Contains(text, "server response headers exceeded") || strings.Contains(text, "header list"):
		return refuse("check the server", "%s sends a header of more than %s", host, sizeText(headerLimit))
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return refuse("try the URL with http://", "port %s of %s speaks HTTP without TLS", c.place.port, host)
	case strings.Contains(text, "malformed HTTP") || strings.Contains(text, "net/http: HTTP/1.x transport connection broken"):
		return refuse("is a web server on port "+c.place.port+"? With TLS the URL begins with https://", "%s does not answer in HTTP", host)
	case errors.As(err, new(tls.RecordHeaderError)):
		return refuse("try the URL with http://", "port %s of %s does not speak TLS", c.place.port, host)
	case c.place.proxy != nil && !t.connected.IsZero() && t.asked.IsZero() && t.shaking.IsZero():
		return refuse("check HTTP_PROXY and HTTPS_PROXY", "the proxy %s does not pass the request on: %s", c.place.proxy.Host, quoted(text))
	case t.connected.IsZero() && timedOut(err):
		return refuse("is port "+c.place.port+" open there? A firewall may drop the packets", "connect to %s: no answer within %v", to, answerWithin)
	case t.connected.IsZero():
		return refuse("is a server listening on port "+c.place.port+"?", "connect to %s: %w", to, err)
	case !t.shaking.IsZero() && t.shaken.IsZero() && timedOut(err):
		return &stuckError{fmt.Errorf("%s accepts the connection, and TLS does not complete within %v", host, answerWithin), host}
	case !t.shaking.IsZero() && t.asked.IsZero():
		return refuse("curl -v shows the same handshake", "TLS with %s: %w", host, err)
	case timedOut(err):
		return &stuckError{fmt.Errorf("%s accepts the request, and does not answer within %v", host, answerWithin), host}
	}
	return refuse("check the URL with curl -o /dev/null", "%s: %s", host, quoted(err.Error()))
}

// stuckError is a connection that opens, and over which nothing comes.
type stuckError struct {
	error
	host string
}

func (e *stuckError) Unwrap() error { return e.error }

func (e *stuckError) Hint() string {
	return "the server may be overloaded, or large packets vanish on the way: ping -M do -s 1472 " + e.host + " shows on Linux whether they pass, over IPv6 with -s 1452"
}

func timedOut(err error) bool {
	if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
		return true
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

// quoted is a text of a server's that can go anywhere.
func quoted(s string) string { return strings.Trim(fmt.Sprintf("%q", bounded(s)), `"`) }

// certificateHint is the next step where a certificate was refused; empty where
// it was not that.
func certificateHint(err error, host, port string) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name):
		return "use the name in the certificate, or have the server's renewed with " + host
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "renew it on the server; or is this host's clock wrong?"
	case errors.As(err, &unknown):
		return "if its authority is your own, name its certificate: SSL_CERT_FILE=ca.pem; else the server lacks its intermediate certificate, or somebody stands in between"
	case errors.As(err, &invalid), errors.As(err, new(*tls.CertificateVerificationError)):
		return "openssl s_client -connect " + net.JoinHostPort(host, port) + " shows it"
	}
	return ""
}
