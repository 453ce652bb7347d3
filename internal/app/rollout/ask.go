package rollout

import (
	"context"
	"sync"

	"unchoke/internal/app/request"
	"unchoke/internal/fleet"
	"unchoke/internal/fleet/inventory"
	"unchoke/internal/hint"
)

// Verbs that hosts are asked side by side.
const (
	Verify = "verify"
	Status = "status"
	Revert = "revert"
)

// Ask asks each host one thing: whether its changes are in force, what
// stands there, or to take it back. A host that fails is reported, and the others
// go on. Interrupted, those not asked yet say so.
func Ask(ctx context.Context, verb string, hosts []inventory.Host, open func(inventory.Host) (fleet.Host, error), parallel int, progress request.Progress) fleet.Asked {
	a := fleet.Asked{Verb: verb, Answers: make([]fleet.Reply, len(hosts))}
	var done int
	var mu sync.Mutex
	eachOf(len(hosts), parallel, func(i int) {
		h := hosts[i]
		r := &a.Answers[i]
		r.Host, r.Target = h.Name, h.Target()
		if err := ask(ctx, verb, h, open, r); err != nil {
			r.Error, r.Hint = err.Error(), hint.Of(err)
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		progress.OrNone()(float64(done)/float64(len(hosts)), verb+" "+h.Name)
	})
	return a
}

func ask(ctx context.Context, verb string, h inventory.Host, open func(inventory.Host) (fleet.Host, error), r *fleet.Reply) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	host, err := open(h)
	if err != nil {
		return err
	}
	defer host.Close()
	if verb == Revert {
		// What was begun there comes to its end, within its time.
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	switch verb {
	case Verify:
		v, err := host.Verify(ctx)
		if err == nil {
			r.Verification = &v
		}
		return err
	case Revert:
		o, err := host.Revert(ctx)
		if err == nil {
			r.Outcome = &o
		}
		return err
	default:
		s, err := host.Status(ctx)
		if err == nil {
			r.Status = &s
		}
		return err
	}
}

// eachOf calls f for so many numbers, at most parallel at once, and returns when
// all have returned.
func eachOf(n, parallel int, f func(i int)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, parallel))
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f(i)
		})
	}
	wg.Wait()
}
