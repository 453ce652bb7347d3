//go:build !slim

package app

import (
	"errors"

	"unchoke/internal/app/request"
	"unchoke/internal/record"
	"unchoke/internal/remote"
)

// ShownTarget is a target as records name it: a URL without what is secret.
func ShownTarget(target string) string {
	if request.KindOf(target) != request.URLTarget {
		return target
	}
	u, err := request.ParseURL(target)
	if err != nil {
		return target
	}
	return record.ShownURL(u)
}

// recordedAs is what the records of a target call it.
func recordedAs(target string) string {
	if far, err := remote.ParseTarget(target); err == nil {
		return far.String()
	}
	return ShownTarget(target)
}

// errNotURL is of flags that say something to a web server.
var errNotURL = errors.New("headers, cookies and a bound of bytes are for a URL")

// check refuses what only a check of a URL can be asked.
func (w Web) check(target string) error {
	if w.asked() && request.KindOf(target) != request.URLTarget {
		return &request.Error{Err: errNotURL, Next: "unchoke check https://…"}
	}
	return nil
}
