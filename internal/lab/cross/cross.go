// Package cross makes the other traffic of a lab path, from a host beside near
// to one beside far and the other way: TCP streams that send what they can and
// take it without a word, and UDP at a rate. It begins before near's command
// does, so that the bottleneck is in use by then, follows the path's schedule,
// and ends with it.
package cross

import (
	"slices"
	"time"

	"unchoke/internal/path"
)

// WarmUp is how long the other traffic takes to fill its bottleneck, on the
// path's clock; 0 where there is none at time zero. Slow start doubles a window
// of ten segments each round trip and so has a bandwidth-delay product of
// 1 Gbit/s at 1 s within 14; most of what it overshoots is resent within
// another dozen. Two seconds let streams on short paths share what there is.
func WarmUp(p path.Path) time.Duration {
	p = p.At(0)
	if !p.Crossed() {
		return 0
	}
	const roundTrips, least = 30, 2 * time.Second
	return least + roundTrips*p.RTT()
}

// Threads is how many threads of this process the other traffic has at most: of
// a schedule, as if all that it brings came at once.
func Threads(p path.Path) int {
	n := 0
	count := func(c path.Cross) {
		for _, l := range c.Loads() {
			n += 2*l.Streams + 1
		}
	}
	count(p.Up.Cross)
	count(p.Down.Cross)
	for _, e := range p.Schedule.Episodes() {
		for _, c := range []*path.Cross{e.Up.Cross, e.Down.Cross} {
			if c != nil {
				count(*c)
			}
		}
	}
	return n
}

// kinds are the parts of other traffic one by one: a TCP stream is its
// congestion control, UDP its rate.
func kinds(c path.Cross) []path.Load {
	var out []path.Load
	for _, l := range c.Loads() {
		for range l.Streams {
			out = append(out, path.Load{Streams: 1, CC: l.CC})
		}
		if l.UDP > 0 {
			out = append(out, l)
		}
	}
	return out
}

// change sorts what runs into what goes on and what ends, and says what is to
// begin besides.
func change[T any](running []T, kind func(T) path.Load, want []path.Load) (on, end []T, begin []path.Load) {
	left := make(map[path.Load]int)
	for _, k := range want {
		left[k]++
	}
	for _, r := range running {
		if left[kind(r)] > 0 {
			left[kind(r)]--
			on = append(on, r)
		} else {
			end = append(end, r)
		}
	}
	for i := len(want) - 1; i >= 0; i-- {
		if left[want[i]] > 0 {
			left[want[i]]--
			begin = append(begin, want[i])
		}
	}
	slices.Reverse(begin)
	return on, end, begin
}
