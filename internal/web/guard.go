package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// guard lets requests through that come from the page itself or from somebody
// who opens it. What other sites make a browser send, it refuses: by the Host
// header where a foreign name points at this address (DNS rebinding), by Origin
// and Sec-Fetch-Site elsewhere.
type guard struct {
	names []string
	token string
	// changes is the one path to which the page may post; empty: to none.
	changes string
}

// pagePolicy lets the page have its own files and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func (g guard) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if status, why := g.objection(r); why != "" {
			if status == http.StatusMethodNotAllowed {
				h.Set("Allow", g.method(r))
			}
			if status == http.StatusBadRequest {
				h.Set("Connection", "close") // there is a body that nobody reads
			}
			http.Error(w, "unchoke: "+why, status)
			return
		}
		if !g.known(w, r) {
			http.Error(w, "unchoke: this page needs a token\nhint: open the address that unchoke watch printed when it started; each start has another", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// method is what a path takes.
func (g guard) method(r *http.Request) string {
	if g.changes != "" && r.URL.Path == g.changes {
		return http.MethodPost
	}
	return http.MethodGet
}

// objection says what is wrong with a request, whoever sent it.
func (g guard) objection(r *http.Request) (status int, why string) {
	if refused, _ := r.Context().Value(refusedKey{}).(error); refused != nil {
		return http.StatusForbidden, refused.Error()
	}
	method := g.method(r)
	switch {
	case r.Method != method:
		return http.StatusMethodNotAllowed, "only " + method + " is served here"
	case r.ContentLength != 0:
		return http.StatusBadRequest, "a request has no body here"
	case !g.ours(r):
		return http.StatusMisdirectedRequest, "this server is not known by that name\nhint: open it by the address that it listens on"
	case !sameOrigin(r), method == http.MethodPost && r.Header.Get("Origin") == "": // browsers send it with each POST
		return http.StatusForbidden, "the request comes from another site"
	}
	return 0, ""
}

// ours says whether the Host header names this server: by the address that was
// connected to, by a name that it was given, on loopback by localhost. The port
// may be another: that of a tunnel's end.
func (g guard) ours(r *http.Request) bool {
	host := strings.ToLower(hostOf(r.Host))
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return false
	}
	ip := at.Addr().Unmap().WithZone("")
	if named, err := netip.ParseAddr(host); err == nil {
		return named.Unmap().WithZone("") == ip
	}
	return ip.IsLoopback() && host == "localhost" || slices.ContainsFunc(g.names, func(name string) bool { return strings.EqualFold(name, host) })
}

// hostOf is a Host header without port and brackets.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	return strings.Trim(header, "[]")
}

// sameOrigin says whether a request came from the page, or from a person who
// opened it. Browsers send Sec-Fetch-Site; programs send neither header. A link
// to the page may stand elsewhere: what it opens is a page of its own that the
// other site cannot read.
func sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
