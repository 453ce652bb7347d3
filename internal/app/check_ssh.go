package app

import (
	"context"
	"net/netip"
	"time"

	"unchoke/internal/probe"
	"unchoke/internal/record"
)

// checkSSH measures the path to a host at which the far end is started for it.
func (q CheckRequest) checkSSH(ctx context.Context) (*record.Run, error) {
	f, err := openFar(ctx, q.Request, q.Progress.orNone())
	if err != nil {
		return nil, err
	}
	defer f.close()
	run := record.New(f.name, q.Version, time.Now())
	run.Far = f.peer()
	run.Warnings = f.warned
	ctx, stop := f.untilLost(ctx)
	defer stop()
	return q.measure(ctx, run, netip.AddrPortFrom(f.way.address, f.port), f.client, func(o *probe.Options) {
		o.Token, o.Dial, o.DialUDP, o.NoUDP = f.token, f.way.dial, f.way.dialUDP, f.way.noUDP
	})
}
