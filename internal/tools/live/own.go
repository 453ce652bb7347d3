package main

import (
	"context"
	"fmt"

	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/truth"
)

// own is a job's transfer as the traffic of a truth: what slows this program's stream
// down may be another thing than what slows stock iperf3 down, whose buffers are
// larger than most programs'.
type own struct{ job job }

// earlySeconds are those that count as a run's first ones.
const earlySeconds = 4.5

// Scripts count what the receiver's socket took in, early, when what is omitted is
// over, and at the end.
func (o own) Scripts(_ draw.Direction, p truth.Seconds) (near, far string) {
	t := o.job.transfer(0, p.Omit+p.Count)
	counts := fmt.Sprintf("count() { { echo 0; ss -tinH 'sport = :%[1]d or dport = :%[1]d' | grep -o 'bytes_received:[0-9]*' | cut -d: -f2; } | sort -n | tail -n 1; }; "+
		"(sleep %[2]g; count > /tmp/early) & (sleep %[3]d; count > /tmp/from) & sleep %[4]d; count > /tmp/to; touch /tmp/counted; ",
		t.port, earlySeconds, p.Omit, p.Omit+p.Count)
	of := func(name string) string {
		if _, receiver := o.job.ends(); name == receiver {
			return t.on(name) + counts
		}
		return t.on(name)
	}
	near = of("near") + fmt.Sprintf("until [ -e /tmp/counted ]; do sleep 0.1; done; cat /tmp/early /tmp/from /tmp/to; echo %d", p.Count)
	return near, of("far") + "sleep 300"
}

func (own) Read(text []byte) (r truth.Run) {
	var early, from, to, seconds float64 // bytes, but for the last
	if n, err := fmt.Sscan(string(text), &early, &from, &to, &seconds); n < 4 || err != nil || seconds <= 0 {
		return r
	}
	r.Early = 8 * early / earlySeconds
	if r.Complete = to >= from && to > 0; r.Complete { // else it has ended, or never began
		r.Rate = 8 * (to - from) / seconds
	}
	return r
}

// wantsOwn says that an outcome still lacks the truth of its transfer.
func (b *bench) wantsOwn(o outcome) bool { return b.own && o.Own == nil && o.Limit == 0 }

// ownTruth finds out what slows a job's transfer down on a draw's path.
func (b *bench) ownTruth(ctx context.Context, d draw.Draw, j job) (*truth.Truth, error) {
	found, err := truth.FindIn(ctx, truth.Lab{Unchoke: b.unchoke, Traffic: own{j}}, b.seconds, d, []draw.Direction{j.way})
	if err != nil {
		return nil, fmt.Errorf("find out what slows the transfer of %s down: %w", j.draw.Name(), err)
	}
	return &found, nil
}
