package tool

import (
	"context"
	"slices"
	"sync"
	"testing"
)

func TestEach(t *testing.T) {
	items := []int{1, 2, 3, 4, 5}
	var mu sync.Mutex
	var done []int
	Each(t.Context(), 2, items, func(i int) {
		mu.Lock()
		defer mu.Unlock()
		done = append(done, i)
	})
	slices.Sort(done)
	if !slices.Equal(done, items) {
		t.Errorf("did %v of %v", done, items)
	}
}

// One at a time, nothing begins after the end of the context but what a worker
// was already waiting for.
func TestEachStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var done []int
	Each(ctx, 1, []int{1, 2, 3, 4, 5}, func(i int) {
		done = append(done, i)
		cancel()
	})
	if len(done) == 0 || len(done) > 2 || done[0] != 1 {
		t.Errorf("did %v", done)
	}
}
