//go:build !slim

package request

import (
	"errors"
	"fmt"
	"net/url"
)

// ParseURL reads a target that is a URL.
func ParseURL(target string) (*url.URL, error) {
	u, err := url.Parse(target)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the URL, which may hold a password
		}
		return nil, &Error{Err: fmt.Errorf("target is no URL: %w", err)}
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, Refuse("an http:// or https:// URL, or a host on which `iperf3 -s` runs",
			"target %q cannot be downloaded", target)
	}
	return u, nil
}
