//go:build slim

package app

import (
	"context"

	"unchoke/internal/app/request"
	"unchoke/internal/record"
)

// Web is nothing in this build, which has no web client.
type Web struct{}

func (Web) asked() bool { return false }

// checkURL refuses: a web client is as large as the rest of this build.
func (q CheckRequest) checkURL(context.Context) (*record.Run, error) {
	if _, err := request.ParseURL(q.Target); err != nil {
		return nil, err
	}
	return nil, request.Refuse("use the whole build, or check the server with iperf3", "this small build of unchoke has no web client")
}

// checkSSH refuses: what a router has is Dropbear's client, and the near end of a
// session needs OpenSSH's.
func (q CheckRequest) checkSSH(context.Context) (*record.Run, error) {
	return nil, request.Refuse("check ssh://this-host from the other side with the whole build, or start `unchoke serve` there and name it as host or host:port",
		"this small build of unchoke is no near end of a session")
}
