//go:build slim

package app

import (
	"context"
	"strings"

	"unchoke/internal/app/request"
	"unchoke/internal/record"
)

// Web is nothing in this build, which has no web client.
type Web struct{}

func (Web) asked() bool { return false }

func (Web) check(string) error { return nil }

// ShownTarget is a target as it may be seen: of a URL, which is refused, only the
// scheme.
func ShownTarget(target string) string {
	if scheme, _, isURL := strings.Cut(target, "://"); isURL && request.IsURL(target) {
		return scheme + "://…"
	}
	return target
}

// recordedAs is what the records of a target call it.
func recordedAs(target string) string { return target }

// checkURL refuses: a web client is as large as the rest of this build.
func (q CheckRequest) checkURL(context.Context) (*record.Run, error) {
	return nil, request.Refuse("use the whole build, or check the server with iperf3", "this small build of unchoke has no web client")
}

// checkSSH refuses: what a router has is Dropbear's client, and the near end of a
// session needs OpenSSH's.
func (q CheckRequest) checkSSH(context.Context) (*record.Run, error) {
	return nil, request.Refuse("check ssh://this-host from the other side with the whole build, or start `unchoke serve` there and name it as host or host:port",
		"this small build of unchoke is no near end of a session")
}
