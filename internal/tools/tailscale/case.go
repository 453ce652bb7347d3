package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// way is how packets travel in the network that a case sets up.
type way string

const (
	direct  way = "direct"
	relayed way = "relayed"
	opens   way = "opens"  // relayed at first, direct later
	closes  way = "closes" // direct at first, relayed later
)

// condition is what the way beneath does to packets.
type condition string

const (
	clean   condition = "clean"
	lossy   condition = "lossy"
	jittery condition = "jittery"
	policed condition = "policed"
)

// testCase is one network: its path as the lab takes it, and how its hosts
// reach each other.
type testCase struct {
	way       way
	condition condition
	path      string
	rate      float64 // Mbit/s that the path, or its policer, lets pass
	byChoice  bool    // relayed by Tailscale's own choice and not for want of UDP
	flip      time.Duration
	userspace bool // far has no TUN device
}

func (c testCase) String() string { return fmt.Sprintf("%s, %s, %s", c.way, c.condition, c.path) }

// flips says that the path changes in the midst of the check.
func (c testCase) flips() bool { return c.way == opens || c.way == closes }

// far and near are the flags of package tailnet's program on each host.
func (c testCase) far() []string {
	var flags []string
	if c.way == relayed && c.byChoice {
		flags = append(flags, "-derp")
	}
	if c.userspace {
		flags = append(flags, "-userspace")
	}
	return flags
}

func (c testCase) near() []string {
	switch {
	case c.way == relayed && c.byChoice:
		return []string{"-derp"}
	case c.way == relayed:
		return []string{"-udp=off"}
	case c.way == opens:
		return []string{"-udp=off", "-flip=" + c.flip.String()}
	case c.way == closes:
		return []string{"-flip=" + c.flip.String()}
	}
	return nil
}

// draw makes n cases, the same for the same seed: all ways with all conditions,
// in turn.
func draw(seed uint64, n int) []testCase {
	r := rand.New(rand.NewPCG(seed, 0))
	between := func(low, high float64) float64 { return low + (high-low)*r.Float64() }
	ways := []way{direct, relayed, opens, direct, relayed, closes}
	conditions := []condition{clean, lossy, jittery, policed}
	var all []testCase
	for i := range n {
		c := testCase{way: ways[i%len(ways)], condition: conditions[i/len(ways)%len(conditions)]}
		rtt := between(15, 60)
		c.rate = between(30, 100)
		c.path = fmt.Sprintf("rtt=%.0fms,rate=%.0fmbit", rtt, c.rate)
		switch c.condition {
		case lossy:
			c.path += fmt.Sprintf(",loss=%.1f%%", between(0.3, 1))
		case jittery: // packets overtake each other
			c.path += fmt.Sprintf(",jitter=%.0fms,order=free", between(0.12, 0.2)*rtt)
		case policed:
			c.rate = between(10, 20)
			c.path += fmt.Sprintf(",policer=%.0fmbit:%.0fKiB", c.rate, between(48, 128))
		}
		c.byChoice = r.IntN(2) == 0
		// Tailscale takes up to 6.5 s to give a path up, and a check of a good one
		// lasts some 12.
		c.flip = time.Duration(between(2, 5)*1000) * time.Millisecond
		all = append(all, c)
	}
	return all
}
