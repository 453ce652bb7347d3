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
