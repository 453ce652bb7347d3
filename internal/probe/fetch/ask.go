package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/record"
)

// mostRedirects are followed, as browsers do fewer than twenty.
const mostRedirects = 10

// ask follows the redirects to the file and learns of it what a request for its
// first byte tells.
func (f *fetcher) ask(ctx context.Context) error {
	u := *f.URL
	seen := []string{u.String()}
	for {
		p, err := f.reach(ctx, &u)
		if err != nil {
			return err
		}
		if len(f.fetch.Redirects) == 0 {
			f.fetch.Resolve = p.resolve.Seconds()
		}
		next, err := f.askAt(ctx, p)
		if err != nil || next == nil {
			return err
		}
		if slices.Contains(seen, next.String()) {
			return refuse("check the server's rules", "the server redirects in a circle, by way of %s", quoted(record.ShownURL(next)))
		}
		if seen = append(seen, next.String()); len(seen) > mostRedirects+1 {
			return refuse("check the server's rules", "the server redirects more than %d times", mostRedirects)
		}
		u = *next
	}
}

// askAt asks at one place, at its addresses in turn until one answers, and
// returns where it redirects to; nil where this is the file.
func (f *fetcher) askAt(ctx context.Context, p *place) (*url.URL, error) {
	f.fetch.URL, f.fetch.Proxy, f.fetch.Addresses = record.ShownURL(p.url), "", []record.FetchAddress{}
	if p.proxy != nil {
		f.fetch.Proxy = p.proxy.Host
	}
	var failed error
	var tried []record.FetchAddress
	for i, addr := range p.addresses {
		c := f.connect(p, addr, anyHTTP, 0)
		next, answered, err := f.askOver(ctx, p, c)
		f.fetch.Bytes += c.close()
		if !answered {
			if ctx.Err() != nil {
				return nil, err
			}
			tried = append(tried, record.FetchAddress{Address: addr.String(), Error: err.Error()})
			if i < mostAddresses && !certain(err) {
				failed = firstOf(failed, err)
				continue
			}
			return nil, err
		}
		f.fetch.Addresses = append(f.fetch.Addresses, addressOf(addr, c))
		f.fetch.Addresses = append(f.fetch.Addresses, tried...)
		// What answered comes first; what failed is not asked again.
		p.addresses = append([]netip.Addr{addr}, p.addresses[i+1:]...)
		return next, err
	}
	if _, stuck := errors.AsType[*stuckError](failed); stuck {
		f.at = p
		f.fetch.Addresses = tried
		f.fetch.Status = 0
		f.probeSegments(ctx)
	}
	return nil, failed
}

// askOver asks over one connection. It is not answered where no header comes, or
// nothing of the file after it.
func (f *fetcher) askOver(ctx context.Context, p *place, c *connection) (next *url.URL, answered bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r, err := c.get(ctx, 0, 0)
	if err != nil {
		return nil, false, err
	}
	defer r.Body.Close()
	still := time.AfterFunc(stillness, func() { cancel(errStill) })
	defer still.Stop()
	next, err = f.learn(p, r, c)
	if errors.Is(context.Cause(ctx), errStill) {
		return nil, false, p.silent()
	}
	return next, true, err
}

// certain says that an error is of the server and not of one of its addresses.
func certain(err error) bool {
	return certificateHint(err, "", "") != ""
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func addressOf(addr netip.Addr, c *connection) record.FetchAddress {
	a := record.FetchAddress{Address: addr.String()}
	a.Connect, a.TLS, a.FirstByte = c.steps()
	return a
}

// learn reads an answer's header and first bytes.
func (f *fetcher) learn(p *place, r *http.Response, c *connection) (next *url.URL, err error) {
	f.fetch.Status = r.StatusCode
	f.run.Far.Software = bounded(r.Header.Get("Server"))
	if to := r.Header.Get("Location"); r.StatusCode/100 == 3 && to != "" {
		return f.redirect(p.url, r.StatusCode, to)
	}
	if err := f.refusal(p, r); err != nil {
		return nil, err
	}
	f.fetch.Protocol = r.Proto
	p.protocol = protocol(r.Proto)
	if r.TLS != nil {
		f.fetch.TLS = tls.VersionName(r.TLS.Version)
	}
	f.fetch.Type = bounded(r.Header.Get("Content-Type"))
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		f.fetch.Encoding = bounded(e)
	}
	f.fetch.Ranges, f.fetch.Length = rangesOf(r)
	if f.page(p.url) {
		return nil, refuse("open the URL in a browser: a network's login page, or the server's, stands in front of the file. --header and --cookie-file pass on what a browser has",
			"a page (%s) came from %s where a file was expected", quoted(f.fetch.Type), p.url.Host)
	}
	if f.fetch.Length == 0 {
		return nil, refuse("name a file of some megabytes", "the file is empty")
	}
	f.at = p
	return nil, nil
}

// redirect is one step to another place.
func (f *fetcher) redirect(from *url.URL, status int, to string) (*url.URL, error) {
	next, err := from.Parse(to)
	if err != nil || next.Scheme != "http" && next.Scheme != "https" || next.Host == "" || len(to) > headerLimit {
		return nil, refuse("check the server's rules", "the server redirects to %q, which is no web address", bounded(to))
	}
	f.fetch.Redirects = append(f.fetch.Redirects, record.Redirect{Status: status, To: record.ShownURL(next), Downgrade: from.Scheme == "https" && next.Scheme == "http"})
	return next, nil
}

// refusal is an answer that has no file.
func (f *fetcher) refusal(p *place, r *http.Response) error {
	what := fmt.Sprintf("%s answers %d %s", p.url.Host, r.StatusCode, http.StatusText(r.StatusCode))
	switch s := r.StatusCode; {
	case s == http.StatusOK, s == http.StatusPartialContent:
		return nil
	case s == http.StatusRequestedRangeNotSatisfiable:
		return refuse("name a file of some megabytes", "%s: the file is empty", what)
	case s == http.StatusUnauthorized:
		return refuse("give what the server wants: --header 'Authorization: …', or user:password@ in the URL", "%s: it wants to know who asks", what)
	case s == http.StatusForbidden:
		return refuse("log in with a browser and pass its cookies with --cookie-file, or a key with --header", "%s", what)
	case s == http.StatusNotFound, s == http.StatusGone:
		return refuse("check the URL", "%s", what)
	case s == http.StatusProxyAuthRequired:
		return refuse("give the proxy's user and password in HTTPS_PROXY", "%s", what)
	case s == http.StatusNetworkAuthenticationRequired:
		return refuse("open any page in a browser and log in to the network", "%s: a captive portal stands in between", what)
	case s == http.StatusTooManyRequests || s == http.StatusServiceUnavailable:
		hint := "try again later"
		if after := r.Header.Get("Retry-After"); after != "" {
			hint += "; it asks to wait: Retry-After " + quoted(after)
		}
		return refuse(hint, "%s", what)
	}
	return refuse("check the URL with curl -v", "%s", what)
}

// rangesOf reads an answer to a request for the first byte: whether that is what
// came, and how long the whole body is, -1 where nobody says.
func rangesOf(r *http.Response) (record.Ranges, int64) {
	if r.StatusCode != http.StatusPartialContent {
		if strings.Contains(strings.ToLower(r.Header.Get("Accept-Ranges")), "bytes") {
			return record.RangesClaimed, r.ContentLength
		}
		return record.RangesNone, r.ContentLength
	}
	part, whole, ok := parseContentRange(r.Header.Get("Content-Range"))
	if !ok || part != [2]int64{0, 0} || r.ContentLength > 1 {
		return record.RangesWrong, -1
	}
	if b, err := io.ReadAll(io.LimitReader(r.Body, 2)); err != nil || len(b) != 1 {
		return record.RangesWrong, whole
	}
	return record.RangesServed, whole
}

// parseContentRange reads "bytes 0-0/1234" (RFC 9110 §14.4); whole is -1 where it
// is "*".
func parseContentRange(s string) (part [2]int64, whole int64, ok bool) {
	rest, ok := strings.CutPrefix(s, "bytes ")
	if !ok {
		return part, -1, false
	}
	span, size, ok := strings.Cut(rest, "/")
	from, to, ok2 := strings.Cut(span, "-")
	if !ok || !ok2 {
		return part, -1, false
	}
	number := func(s string) int64 {
		n, err := strconv.ParseUint(s, 10, 63)
		if err != nil {
			return -1
		}
		return int64(n)
	}
	part = [2]int64{number(from), number(to)}
	if whole = number(size); whole < 0 && size != "*" {
		return part, -1, false
	}
	return part, whole, part[0] >= 0 && part[1] >= part[0] && (whole < 0 || part[1] < whole)
}

// page says that HTML came where a file was expected: by the URL's ending, or
// since another host answered in place of the one that was asked.
func (f *fetcher) page(at *url.URL) bool {
	kind, _, err := mime.ParseMediaType(f.fetch.Type)
	if err != nil || kind != "text/html" && kind != "application/xhtml+xml" {
		return false
	}
	switch strings.ToLower(path.Ext(f.URL.Path)) {
	case ".html", ".htm", ".xhtml", ".shtml", ".php", ".asp", ".aspx", ".jsp", ".cgi":
		return false
	case "":
		return at.Hostname() != f.URL.Hostname() && !strings.HasSuffix(at.Hostname(), "."+strings.TrimPrefix(f.URL.Hostname(), "www.")) ||
			f.URL.Path != at.Path && loginWords(at.Path)
	}
	return true
}

// loginWords says that a path is of a page on which one logs in.
func loginWords(p string) bool {
	p = strings.ToLower(p)
	return slices.ContainsFunc([]string{"login", "signin", "sign-in", "sign_in", "auth", "portal", "captive"}, func(word string) bool {
		return strings.Contains(p, word)
	})
}
