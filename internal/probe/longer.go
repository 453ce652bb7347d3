package probe

import (
	"context"
	"time"

	"unchoke/internal/record"
)

// longer gives the time that is left to one stream of each direction, a step each. For
// seconds a stream lives on the queue that its slow start filled, and may meet none of the
// losses, outages or others that hold it back in the long run.
func (c *checker) longer() (steps []step) {
	if c.Quick {
		return nil
	}
	ways := c.longerFirst()
	var least []time.Duration
	for _, d := range ways {
		least = append(least, c.leastLonger(d))
	}
	for i, most := range c.plan.longer(c.left(), least) {
		if most == 0 {
			continue
		}
		d := ways[i]
		need := func() time.Duration { return 0 }
		run := func(ctx context.Context) error {
			return c.tcp(ctx, d, 1, c.transferName(d, 1)+"-longer", most, most)
		}
		steps = append(steps, step{name: "TCP, one stream for longer, " + string(d), need: need, run: run, optional: true})
	}
	return steps
}

// longerFirst are the directions that one stream carried something in, the one first
// that a longer stream tells more of: which is not filled, of two the faster one, whose
// larger window takes longer to grow back.
func (c *checker) longerFirst() []record.Direction {
	var ways []record.Direction
	for _, d := range record.Directions {
		if c.single(d) > 0 {
			ways = append(ways, d)
		}
	}
	if len(ways) == 2 {
		down, up := c.fills(ways[0]), c.fills(ways[1])
		if down && !up || down == up && c.single(ways[1]) > c.single(ways[0]) {
			ways[0], ways[1] = ways[1], ways[0]
		}
	}
	return ways
}

// fills says that the one stream of a direction kept a queue standing, or left little
// of what UDP got through, where the network treats UDP no worse.
func (c *checker) fills(d record.Direction) bool {
	told := c.rungs(d) > 0 && !c.throttled(d)
	return told && (c.filled[d] || c.single(d) >= fillsShare*c.carried(d))
}

// fillsShare is where CUBIC's sawtooth over a short queue ends (RFC 9438, β = 0.7).
const fillsShare = 0.9

// leastLonger is the shortest stream that tells more than the direction's first one.
func (c *checker) leastLonger(d record.Direction) time.Duration {
	one := c.one(d)
	if one == nil {
		return 0
	}
	return time.Duration(longerBy * one.Duration * float64(time.Second))
}

const longerBy = 1.2
