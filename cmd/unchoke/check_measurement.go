package main

import (
	"context"

	usecase "unchoke/internal/app"
	"unchoke/internal/record"
)

// measurement is one way to come to a record: by a target, or from connections
// that exist. What each way has of its own stands in check_WAY.go.
type measurement struct {
	usecase.Request
	measure func(context.Context, usecase.Progress) (*record.Run, error)
}

// measurement is what the flags ask for. app.Check tells the kinds of targets
// apart.
func (f checkFlags) measurement(target string) (measurement, error) {
	request, err := f.request(target)
	if err != nil {
		return measurement{}, err
	}
	q := usecase.CheckRequest{Request: request, Quick: f.quick, Budget: f.budget, Wait: f.wait, CC: f.cc}
	if q.Web, err = f.web.request(); err != nil {
		return measurement{}, err
	}
	return measurement{request, func(ctx context.Context, progress usecase.Progress) (*record.Run, error) {
		q.Progress = progress
		return usecase.Check(ctx, q)
	}}, nil
}
