//go:build !slim

package probe

import (
	"context"
	"fmt"
	"time"

	"unchoke/internal/congestion"
	"unchoke/internal/record"
)

// byCubic is one stream by CUBIC where a direction's sender has an algorithm that takes
// loss otherwise: what it gains over Linux's default shows, and what it hides of the
// path. What its packets meet is no part of the diagnosis, which is of what the host has.
func (c *checker) byCubic() []step {
	var out []step
	for _, d := range record.Directions {
		need := func() time.Duration {
			if takes := c.plan.singleTime(); !c.Quick && c.hidesLoss(d) && c.left() >= takes {
				return takes
			}
			return nothing
		}
		run := func(ctx context.Context) error { return c.cubic(ctx, d) }
		out = append(out, step{name: "TCP by CUBIC, one stream " + string(d), need: need, run: run, optional: true})
	}
	return out
}

const cubic = "cubic"

// hidesLoss says that a direction's sender is known not to take loss for congestion.
func (c *checker) hidesLoss(d record.Direction) bool {
	one := c.one(d)
	return one != nil && !congestion.LossBasedOrUnknown(one.CC)
}

// cubic runs the stream. A host that has no CUBIC, or does not let this user have it,
// costs the check nothing but that.
func (c *checker) cubic(ctx context.Context, d record.Direction) error {
	least, most := c.plan.single()
	name := fmt.Sprintf("%s-%s", c.transferName(d, 1), cubic)
	ran, err := c.transfer(ctx, d, 1, cubic, name, least, most)
	if ran.transfer != nil && ran.transfer.Rate > 0 {
		c.run.Cubic = append(c.run.Cubic, *ran.transfer)
	}
	if err != nil && ctx.Err() == nil {
		c.run.Warnings = append(c.run.Warnings, fmt.Sprintf("no stream by CUBIC %s: %v", d, err))
		return nil
	}
	return err
}
