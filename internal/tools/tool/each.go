package tool

import (
	"context"
	"sync"
)

// Each does something with every item, in their order and so many at a time. It
// begins with none once the context has ended, and returns when those under way
// are done.
func Each[T any](ctx context.Context, atATime int, items []T, do func(T)) {
	next := make(chan T)
	var workers sync.WaitGroup
	for range atATime {
		workers.Go(func() {
			for item := range next {
				do(item)
			}
		})
	}
	for _, item := range items {
		if ctx.Err() != nil {
			break
		}
		next <- item
	}
	close(next)
	workers.Wait()
}
