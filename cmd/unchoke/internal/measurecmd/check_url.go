//go:build !slim

package measurecmd

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	"unchoke/internal/app/request"
	"unchoke/internal/probe/fetch"
	"unchoke/internal/unit"
)

// webFlags are what a check of a URL takes beyond any other.
type webFlags struct {
	headers    []string
	cookieFile string
	maxBytes   string
}

func (f *webFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.headers, "header", nil, "for a URL: send the header `NAME: VALUE`, or those in @FILE, one a line; may be repeated. Values are neither printed nor recorded")
	flags.StringVar(&f.cookieFile, "cookie-file", "", "for a URL: send the cookies of `FILE`, in Netscape's format, as curl and browsers' extensions write it")
	flags.StringVar(&f.maxBytes, "max-bytes", "", "for a URL: receive at most this `SIZE` over all connections, as 100MiB (default "+unit.HumanSize(fetch.DefaultMaxBytes)+")")
	_ = cmd.MarkFlagFilename("cookie-file")
}

// request reads what the flags and the target name. Errors hold no value: it is a
// secret.
func (f webFlags) request(target string) (w usecase.Web, err error) {
	for _, h := range f.headers {
		if err := addHeader(&w, h); err != nil {
			return w, err
		}
	}
	if f.cookieFile != "" {
		file, err := os.Open(f.cookieFile)
		if err != nil {
			return w, cli.Usage(fmt.Errorf("--cookie-file: %w", err))
		}
		defer file.Close()
		if w.Cookies, err = fetch.ReadCookies(file); err != nil {
			return w, cli.Usage(fmt.Errorf("--cookie-file %s: %w", f.cookieFile, err))
		}
	}
	if f.maxBytes != "" {
		size, err := unit.ParseSize(f.maxBytes)
		if err != nil || size <= 0 {
			return w, cli.Usagef("--max-bytes %q is no size: write it as 100MiB", f.maxBytes)
		}
		w.MaxBytes = int64(size)
	}
	addUser(&w, target)
	return w, nil
}

// addUser sends a URL's user and password as the header that they stand for. The
// record then names it, and reports know that the URL alone is not enough.
func addUser(w *usecase.Web, target string) {
	u, err := url.Parse(target)
	if err != nil || !request.IsURL(target) || u.User == nil || w.Header.Get("Authorization") != "" {
		return
	}
	if w.Header == nil {
		w.Header = http.Header{}
	}
	password, _ := u.User.Password()
	(&http.Request{Header: w.Header}).SetBasicAuth(u.User.Username(), password)
}

// headerName is a token (RFC 9110 §5.6.2).
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// headerFileLimit bounds a file of headers: servers take no more.
const headerFileLimit = 64 << 10

// addHeader adds the header that --header gives, or all in a file.
func addHeader(w *usecase.Web, given string) error {
	if w.Header == nil {
		w.Header = http.Header{}
	}
	lines := []string{given}
	if name, isFile := strings.CutPrefix(given, "@"); isFile {
		file, err := os.Open(name)
		if err != nil {
			return cli.Usage(fmt.Errorf("--header: %w", err))
		}
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(file, headerFileLimit+1))
		if err == nil && len(text) > headerFileLimit {
			err = errors.New("too long")
		}
		if err != nil {
			return cli.Usage(fmt.Errorf("--header @%s: %w", name, err))
		}
		lines = strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !headerName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
			return cli.Usagef("--header: a header is written as 'NAME: VALUE'")
		}
		switch http.CanonicalHeaderKey(name) {
		case "Range", "Accept-Encoding", "Connection", "Content-Length", "Transfer-Encoding":
			return cli.Usagef("--header: %s is what the check itself sets", http.CanonicalHeaderKey(name))
		}
		w.Header.Add(name, value)
	}
	return nil
}
