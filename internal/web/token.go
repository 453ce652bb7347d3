package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
)

// NewToken makes a token that cannot be guessed: 130 random bits at least.
func NewToken() string { return rand.Text() }

// tokenParameter carries the token in the address that the user opens first.
// The page takes it out of the address bar; from then on a cookie carries it.
const tokenParameter = "token"

// known says whether a request carries the token, and sets the cookie where it
// came in the address.
func (g guard) known(w http.ResponseWriter, r *http.Request) bool {
	if g.token == "" {
		return true
	}
	name := cookieName(r)
	if given := r.URL.Query().Get(tokenParameter); r.URL.Path == "/" && given != "" {
		if !equal(given, g.token) {
			return false
		}
		http.SetCookie(w, &http.Cookie{Name: name, Value: g.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		return true
	}
	cookie, err := r.Cookie(name)
	return err == nil && equal(cookie.Value, g.token)
}

// cookieName tells servers on several ports of one host apart, which share
// cookies.
func cookieName(r *http.Request) string {
	port := "80"
	if u, err := url.Parse("http://" + r.Host); err == nil && u.Port() != "" {
		port = u.Port()
	}
	return "unchoke-" + port
}

// equal compares in a time that tells nothing about either.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// Address is what a reader opens: a host with its port, and the token where
// there is one.
func Address(host, token string) string { return address(host, token, url.Values{}) }

// OpenedAddress opens the page at Options.Opened.
func OpenedAddress(host, token string) string {
	return address(host, token, url.Values{"record": {openedID}})
}

func address(host, token string, query url.Values) string {
	if token != "" {
		query.Set(tokenParameter, token)
	}
	return (&url.URL{Scheme: "http", Host: host, Path: "/", RawQuery: query.Encode()}).String()
}
