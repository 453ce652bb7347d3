package path

import (
	"fmt"
	"time"

	"unchoke/internal/unit"
)

// Schedule is how a path's conditions change with time: a list of episodes,
// during each of which some of them are others. Where episodes overlap, the
// later one in the list has the last word, and additions to the round-trip
// time add up. The zero value is none: the conditions stay.
//
// Two schedules are equal, also by ==, if their episodes are.
type Schedule struct {
	text string // as ParseSchedule reads it and writeEpisodes writes it
}

// Episode is a time with other conditions: once, or again and again. Its times
// count from the path's time zero: whoever builds the path says when that is.
type Episode struct {
	At    time.Duration // when it begins first
	Every time.Duration // from one beginning to the next; 0: it comes once
	For   time.Duration // how long it lasts; 0: for good, of one that comes once
	Up    Change
	Down  Change
}

// Change is what an episode does to one direction. Its zero value changes
// nothing. The bottleneck's queue stays as large as it is, in bytes or
// packets, whatever the rate and the delay.
type Change struct {
	Delay   *time.Duration // one way, instead of the path's
	Longer  time.Duration  // added to the delay
	Jitter  *time.Duration
	Loss    *Loss
	Rate    unit.BitRate // instead of the path's, which then has one; 0: as it is
	UDPLoss *Loss
	UDPRate unit.BitRate // as Rate, for UDP alone
	Cross   *Cross       // instead of the path's, begun and ended at once
}

// Bounds of a schedule. A millisecond is more than a change takes on any
// machine; a day is as long as anything runs.
const (
	minEpisode  = time.Millisecond
	maxEpisode  = 24 * time.Hour
	maxEpisodes = 16
)

// NewSchedule is a schedule of these episodes.
func NewSchedule(episodes ...Episode) (Schedule, error) {
	if len(episodes) > maxEpisodes {
		return Schedule{}, fmt.Errorf("a schedule of %d episodes; at most %d", len(episodes), maxEpisodes)
	}
	for _, e := range episodes {
		if err := e.check(); err != nil {
			return Schedule{}, err
		}
	}
	return Schedule{writeEpisodes(episodes)}, nil
}

func (e Episode) check() error {
	switch {
	case e.At < 0 || e.Every < 0 || e.For < 0:
		return fmt.Errorf("an episode's times must not be negative")
	case e.At > maxEpisode || e.Every > maxEpisode || e.For > maxEpisode:
		return fmt.Errorf("an episode's times are at most %v", maxEpisode)
	case e.Every > 0 && e.For == 0:
		return fmt.Errorf("an episode every %v does not say for how long", e.Every)
	case e.For > 0 && e.For < minEpisode:
		return fmt.Errorf("an episode of %v is shorter than %v", e.For, minEpisode)
	case e.Every > 0 && e.Every-e.For < minEpisode:
		return fmt.Errorf("an episode of %v every %v leaves less than %v between two", e.For, e.Every, minEpisode)
	case e.Up == (Change{}) && e.Down == (Change{}):
		return fmt.Errorf("an episode changes nothing")
	}
	return nil
}

// Episodes are the schedule's, in their order.
func (s Schedule) Episodes() []Episode {
	episodes, err := readEpisodes(s.text)
	if err != nil {
		panic(err) // the text was written by writeEpisodes
	}
	return episodes
}

// String is the value of the key schedule, empty for none.
func (s Schedule) String() string { return s.text }

// Next is the first moment after a time at which an episode begins or ends, if
// there is one.
func (s Schedule) Next(after time.Duration) (at time.Duration, ok bool) {
	for _, e := range s.Episodes() {
		if next, comes := e.next(after); comes && (!ok || next < at) {
			at, ok = next, true
		}
	}
	return at, ok
}

func (e Episode) next(after time.Duration) (time.Duration, bool) {
	begin := e.At
	if e.Every > 0 && after > e.At {
		begin += (after - e.At) / e.Every * e.Every
	}
	end := begin + e.For
	switch {
	case after < begin:
		return begin, true
	case e.For > 0 && after < end:
		return end, true
	case e.Every > 0:
		return begin + e.Every, true
	}
	return 0, false
}

// active says whether the episode is on at a time.
func (e Episode) active(at time.Duration) bool {
	since := at - e.At
	if e.Every > 0 && since > 0 {
		since %= e.Every
	}
	return since >= 0 && (e.For == 0 || since < e.For)
}

// Steady is the path without its schedule, as it is while no episode is on.
func (p Path) Steady() Path {
	p.Schedule = Schedule{}
	for _, d := range []*Direction{&p.Up, &p.Down} {
		if d.Jitter == 0 {
			d.Dist, d.Order = "", "" // nothing is left that they shape
		}
	}
	return p
}

// At is the path as its schedule has it at a time: without a schedule.
func (p Path) At(at time.Duration) Path {
	episodes := p.Schedule.Episodes()
	p.Schedule = Schedule{}
	for _, e := range episodes {
		if e.active(at) {
			e.Up.apply(&p.Up)
			e.Down.apply(&p.Down)
		}
	}
	return p
}

func (c Change) apply(d *Direction) {
	if c.Delay != nil {
		d.Delay = *c.Delay
	}
	d.Delay += c.Longer
	if c.Jitter != nil {
		d.Jitter = *c.Jitter
	}
	if c.Loss != nil {
		d.Loss = *c.Loss
	}
	if c.Rate > 0 {
		d.Rate = c.Rate
	}
	if c.UDPLoss != nil {
		d.UDP.Loss = *c.UDPLoss
	}
	if c.UDPRate > 0 {
		d.UDP.Rate = c.UDPRate
	}
	if c.Cross != nil {
		d.Cross = *c.Cross
	}
}

// Delays says for each direction whether an episode changes its delay or the
// jitter of it, so that packets might overtake.
func (s Schedule) Delays() (up, down bool) {
	for _, e := range s.Episodes() {
		up, down = up || e.Up.delays(), down || e.Down.delays()
	}
	return up, down
}

func (c Change) delays() bool { return c.Delay != nil || c.Longer > 0 || c.Jitter != nil }
