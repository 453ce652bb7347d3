//go:build !slim

package app

import (
	"context"
	"net/netip"
	"time"

	"unchoke/internal/app/far"
	"unchoke/internal/probe"
	"unchoke/internal/record"
)

// checkSSH measures the path to a host at which the far end is started for it.
func (q CheckRequest) checkSSH(ctx context.Context) (*record.Run, error) {
	f, err := far.Open(ctx, q.Request, q.Progress.OrNone())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	run := record.New(f.Name, q.Version, time.Now())
	run.Far = f.Peer()
	run.Warnings = f.Warnings
	ctx, stop := f.UntilLost(ctx)
	defer stop()
	return q.measure(ctx, run, netip.AddrPortFrom(f.Way.Address, f.Port), func() account { return far.Follow(ctx, run, f.Client, "") }, func(o *probe.Options) {
		o.Token, o.Dial, o.DialUDP, o.NoUDP = f.Token, f.Way.Dial, f.Way.DialUDP, f.Way.NoUDP
	})
}
