package measurecmd

import (
	"context"

	usecase "unchoke/internal/app"
	"unchoke/internal/app/request"
	"unchoke/internal/record"
)

// measurement is one way to come to a record: by a target, or from connections
// that exist. What each way has of its own stands in check_WAY.go.
type measurement struct {
	request.Request
	measure func(context.Context, request.Progress) (*record.Run, error)
}

// measurement is what the flags ask for. app.Check tells the kinds of targets
// apart.
func (f checkFlags) measurement(target string) (measurement, error) {
	asked, err := f.Request(target)
	if err != nil {
		return measurement{}, err
	}
	q := usecase.CheckRequest{Request: asked, Quick: f.quick, Budget: f.budget, Wait: f.Wait, CC: f.cc}
	if q.Web, err = f.web.request(target); err != nil {
		return measurement{}, err
	}
	return measurement{asked, func(ctx context.Context, progress request.Progress) (*record.Run, error) {
		q.Progress = progress
		return usecase.Check(ctx, q)
	}}, nil
}
