package truth

import (
	"context"
	"slices"
	"strings"

	"unchoke/internal/tools/diagnosis/draw"
)

// inFlight is what a stock host's buffers surely let one stream have in
// flight: tcp_wmem's 4 MB hold at least a quarter of it as payload.
const inFlight = 1e6 // bytes

// slow: far enough below what the path lets pass that something must be the
// reason.
const slow = 0.75 * 0.92

// hosts tries what a path needs of its hosts though nobody impaired them: on
// long and fast paths the kernel's own buffers are too small, and CUBIC's slow
// start may end long before the path is full.
func (j *judge) hosts(ctx context.Context, way draw.Direction, base *series) error {
	if base.rate() > slow*j.draw.Ceiling[way] {
		return nil
	}
	if base.rate()/8*base.median(func(r Run) float64 { return r.LoadRTT }) > inFlight {
		if err := j.buffers(ctx, way, base); err != nil {
			return err
		}
	}
	if explained := slices.ContainsFunc(j.truth.Causes, func(c Cause) bool { return c.Direction == way }); explained || j.draw.RTT < 0.1 {
		return nil
	}
	s := j.draw.Scene
	s.Setup = draw.NoHyStart
	gain, err := j.gain(ctx, "early-exit", s, way, base)
	if err != nil {
		return err
	}
	j.count(named("early-exit", way, gain))
	return nil
}

// buffers tries larger ones: the sender's, the receiver's, and where neither
// helps alone, both.
func (j *judge) buffers(ctx context.Context, way draw.Direction, base *series) error {
	send, receive := j.draw.Scene, j.draw.Scene
	set(&send, way == draw.Up, draw.LargeSendBuffer)
	set(&receive, way == draw.Down, draw.LargeReceiveBuffer)
	both := send
	set(&both, way == draw.Down, draw.LargeReceiveBuffer)

	helped := false
	for _, try := range []struct {
		name  string
		scene draw.Scene
	}{{"send-buffer", send}, {"receive-buffer", receive}} {
		gain, err := j.gain(ctx, try.name, try.scene, way, base)
		if err != nil {
			return err
		}
		helped = helped || gain >= Unsure
		j.count(named(try.name, way, gain))
	}
	if helped {
		return nil
	}
	gain, err := j.gain(ctx, "both buffers", both, way, base)
	if err != nil {
		return err
	}
	j.count(named("send-buffer", way, gain))
	j.count(named("receive-buffer", way, gain))
	return nil
}

// set gives near or far another value of a sysctl.
func set(s *draw.Scene, near bool, assignment string) {
	of := &s.FarSysctl
	if near {
		of = &s.NearSysctl
	}
	key := func(a string) string { k, _, _ := strings.Cut(a, "="); return k }
	*of = slices.DeleteFunc(slices.Clone(*of), func(a string) bool { return key(a) == key(assignment) })
	*of = append(*of, assignment)
}
