//go:build !slim

package app

import (
	"context"
	"net/netip"

	"unchoke/internal/app/far"
	"unchoke/internal/app/request"
	"unchoke/internal/probe/trial"
	"unchoke/internal/record"
)

// compared is the far end of a comparison that is reached over SSH; the zero
// value where none is.
type compared struct {
	far    *far.End
	server netip.AddrPort
}

// openFar starts a far end where the comparison's target or an arm's is one of
// ssh://. There may be one such host.
func (q CompareRequest) openFar(ctx context.Context) (*compared, error) {
	target, other := "", ""
	for _, t := range q.targets() {
		switch {
		case request.KindOf(t) != request.SSHTarget:
			other = t
		case t == target:
		case target != "":
			return nil, request.Refuse("start `iperf3 -s` on one of them, and name it by its address",
				"a comparison reaches one host over SSH, not both %s and %s", target, t)
		default:
			target = t
		}
	}
	if target == "" {
		return &compared{}, nil
	}
	there := q.Request
	there.Target = target
	f, err := far.Open(ctx, there, q.Progress.OrNone())
	if err != nil {
		return nil, err
	}
	if other != "" && request.KindOf(other) == request.ServerTarget && f.Way.Dial != nil {
		f.Close()
		return nil, request.Refuse("leave it out, or open the far host's port", "%s cannot be compared: the port of %s is closed from here, and connections go another way", other, target)
	}
	return &compared{f, netip.AddrPortFrom(f.Way.Address, f.Port)}, nil
}

// targets are the comparison's and those of its arms and its neighbor.
func (q CompareRequest) targets() []string {
	out := []string{q.Target}
	arms := q.Arms
	if n := q.Config.Neighbor; n != nil {
		arms = append(arms[:len(arms):len(arms)], *n)
	}
	for _, a := range arms {
		if a.Target != "" {
			out = append(out, a.Target)
		}
	}
	return out
}

// use makes trials use it.
func (c *compared) use(o *trial.Options, warnings *[]string) {
	if c.far == nil {
		return
	}
	*warnings = append(*warnings, c.far.Warnings...)
	o.Dial = c.far.Way.Dial
	if c.far.Token != "" {
		o.Token = c.far.Token
	}
}

// known adds to what the far ends told how this one came to serve. They stand in
// the order in which the arms first use them.
func (c *compared) known(arms []record.Arm, peers []record.Peer) []record.Peer {
	if c.far == nil {
		return peers
	}
	seen := map[string]bool{}
	for _, a := range arms {
		if seen[a.Target] {
			continue
		}
		if n := len(seen); n < len(peers) && (a.Target == "" || request.KindOf(a.Target) == request.SSHTarget) {
			p := c.far.Peer()
			peers[n].Access, peers[n].Runs, peers[n].Reached = p.Access, p.Runs, p.Reached
		}
		seen[a.Target] = true
	}
	return peers
}

// close ends what runs there.
func (c *compared) close() {
	if c.far != nil {
		c.far.Close()
	}
}
