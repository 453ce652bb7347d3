package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"unchoke/internal/diagnose"
)

// confusion counts what was said of what.
type confusion struct {
	results []result
	said    map[diagnose.Cause]map[diagnose.Cause]int
	columns []diagnose.Cause
}

func tally(results []result) confusion {
	c := confusion{results: results, said: map[diagnose.Cause]map[diagnose.Cause]int{}}
	for _, g := range generators {
		c.columns = append(c.columns, g.cause)
	}
	for _, r := range results {
		if c.said[r.trial.Want] == nil {
			c.said[r.trial.Want] = map[diagnose.Cause]int{}
		}
		c.said[r.trial.Want][r.verdict]++
		if !slices.Contains(c.columns, r.verdict) {
			c.columns = append(c.columns, r.verdict)
		}
	}
	return c
}

func (c confusion) right() (n int) {
	for want, said := range c.said {
		n += said[want]
	}
	return n
}

func (c confusion) share() float64 { return float64(c.right()) / float64(max(len(c.results), 1)) }

// print writes the table as markdown, then every path that was misjudged with
// the command that repeats it.
func (c confusion) print(w io.Writer, seed uint64) {
	fmt.Fprint(w, "| truth \\ verdict |")
	for _, v := range c.columns {
		fmt.Fprintf(w, " %s |", v)
	}
	fmt.Fprint(w, " right |\n|---|")
	for range c.columns {
		fmt.Fprint(w, "---:|")
	}
	fmt.Fprintln(w, "---:|")
	for _, g := range generators {
		said, n := c.said[g.cause], 0
		if said == nil {
			continue
		}
		fmt.Fprintf(w, "| %s |", g.cause)
		for _, v := range c.columns {
			n += said[v]
			if said[v] == 0 {
				fmt.Fprint(w, " · |")
			} else {
				fmt.Fprintf(w, " %d |", said[v])
			}
		}
		fmt.Fprintf(w, " %d of %d |\n", said[g.cause], n)
	}
	near, nearRight := c.boundary()
	fmt.Fprintf(w, "\n%d of %d verdicts are right (%.1f %%), %d of %d near a boundary; seed %d; median %.1f s of wall time a path.\n",
		c.right(), len(c.results), 100*c.share(), nearRight, near, seed, c.medianWall().Seconds())
	for _, r := range c.results {
		if r.verdict == r.trial.Want {
			continue
		}
		fmt.Fprintf(w, "\n- %s, said %s: `%s`", r.trial.Want, r.verdict, r.trial.command())
		if r.err != nil {
			fmt.Fprintf(w, " (%v)", r.err)
		}
	}
	fmt.Fprintln(w)
}

func (c confusion) boundary() (n, right int) {
	for _, r := range c.results {
		if r.trial.Boundary {
			n++
			if r.verdict == r.trial.Want {
				right++
			}
		}
	}
	return n, right
}

func (c confusion) medianWall() time.Duration {
	walls := make([]time.Duration, len(c.results))
	for i, r := range c.results {
		walls[i] = r.wall
	}
	slices.Sort(walls)
	if len(walls) == 0 {
		return 0
	}
	return walls[len(walls)/2]
}
