package prom

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// sets are the sets of labels that have series. A new one is admitted while
// there is room; then the place of one without a flow for idleFor is its; else
// its flows are counted with the other ones of its congestion control.
type sets struct {
	most    int
	metrics *metrics
	named   map[labels]*set
	others  map[labels]*set // of each algorithm, and one of all further ones
}

const (
	idleFor = time.Hour
	// mostAlgorithms bounds the sets of other flows. A kernel has some twenty.
	mostAlgorithms = 32
)

func newSets(most int, m *metrics) *sets {
	return &sets{most: most, metrics: m, named: map[labels]*set{}, others: map[labels]*set{}}
}

// admit makes room for what is new among the labels of a snapshot's flows, the
// most frequent first: which are admitted does not depend on the flows' order.
func (s *sets) admit(keys []labels, now time.Time) {
	flows := map[labels]int{}
	for _, key := range keys {
		flows[key]++
	}
	var unknown []labels
	for key := range flows {
		if set := s.named[key]; set != nil {
			set.seen = now
		} else {
			unknown = append(unknown, key)
		}
	}
	slices.SortFunc(unknown, func(a, b labels) int { return cmp.Or(flows[b]-flows[a], compare(a, b)) })
	for _, key := range unknown {
		if len(s.named) >= s.most && !s.evict(now) {
			return
		}
		s.named[key] = newSet(s.metrics, key, now)
	}
}

// evict takes the series of the set that has been without flows for longest, if
// that is long enough: an hour is beyond any window that a rule looks back.
func (s *sets) evict(now time.Time) bool {
	if len(s.named) == 0 {
		return false
	}
	oldest := slices.MinFunc(slices.Collect(maps.Values(s.named)), func(a, b *set) int {
		return cmp.Or(a.seen.Compare(b.seen), compare(a.labels, b.labels))
	})
	if now.Sub(oldest.seen) < idleFor {
		return false
	}
	s.metrics.remove(oldest.labels)
	delete(s.named, oldest.labels)
	return true
}

// of is the set that a flow with these labels is counted in.
func (s *sets) of(key labels) *set {
	if set := s.named[key]; set != nil {
		return set
	}
	key = labels{other, other, key.algorithm}
	if s.others[key] == nil && len(s.others) >= mostAlgorithms {
		key.algorithm = other
	}
	if s.others[key] == nil {
		s.others[key] = newSet(s.metrics, key, time.Time{})
	}
	return s.others[key]
}

func compare(a, b labels) int {
	return cmp.Or(strings.Compare(a.port, b.port), strings.Compare(a.unit, b.unit), strings.Compare(a.algorithm, b.algorithm))
}
