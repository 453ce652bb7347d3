package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"unchoke/internal/probe/wait"
	"unchoke/iperf3"
)

// standing is how far the record was when a step began, or had last completed a part of
// its own. What a step does after that is in vain if it fails.
type standing struct {
	at                time.Duration
	transfers, echoes int
}

// stands says that what is in the record stays there, whatever comes of the step.
func (c *checker) stands() {
	c.stood = standing{c.elapsed(), len(c.run.Transfers), len(c.run.Echoes)}
}

// waste takes the time since then for no path time.
func (c *checker) waste() {
	now := c.elapsed()
	c.vain += now - c.stood.at
	c.stood.at = now
}

// try takes a step, and takes it again at once, once, if the server gave it up, or if it
// did not reach the server although others had.
func (c *checker) try(ctx context.Context, s step) error {
	c.stands()
	err := s.run(ctx)
	switch {
	case err == nil:
		return nil
	case s.udp && c.givenUp(err):
		// A stock server takes a datagram that an earlier test left in a queue for the
		// opening of the next one, and gives that up.
		if s.late {
			return err
		}
		if err := wait.For(ctx, staleTime); err != nil {
			return err
		}
	case errors.Is(err, iperf3.ErrVanished) || c.stood.transfers > 0 && timedOut(err):
		// A path that stands still for seconds, as a tunnel's does that changes its
		// way, takes the server's answer with it, or the first packet of a test. What
		// was measured meanwhile is of a path that is no more.
		c.run.Warnings = append(c.run.Warnings, fmt.Sprintf("%s was taken again: %v", s.name, err))
		c.run.Transfers, c.run.Echoes = c.run.Transfers[:c.stood.transfers], c.run.Echoes[:c.stood.echoes]
	default:
		return err
	}
	c.waste()
	return s.run(ctx)
}

// givenUp says that a UDP test failed, and for another reason than that UDP does not pass.
func (c *checker) givenUp(err error) bool {
	return errors.Is(err, iperf3.ErrVanished) || errors.Is(err, iperf3.ErrUDPBlocked) && c.udpPasses()
}

// udpPasses says that packets of a rung arrived.
func (c *checker) udpPasses() bool {
	for i := range c.run.Transfers {
		if u := c.run.Transfers[i].UDP; u != nil && u.Packets > u.Lost {
			return true
		}
	}
	return false
}
