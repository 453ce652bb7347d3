//go:build !slim

package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/probe"
	"unchoke/internal/vantage"
)

// DefaultRounds of a comparison of places: the fewest that tell a place's scatter.
const DefaultRounds = 2

// VantageRequest asks for one target to be checked from several places.
type VantageRequest struct {
	// CheckRequest is what each place is asked; its Budget is that of all checks
	// together, 0 for each check's own. Checks are quick.
	CheckRequest
	Places []Place
	Rounds int    // 0 is the default, or fewer where the budget allows no more
	Seed   uint64 // of the order
}

// plan is how many rounds there are, and what each check may take.
func (q VantageRequest) plan() (rounds int, budget time.Duration, err error) {
	switch {
	case len(q.Places) < 2:
		return 0, 0, request.Refuse("name two places at least: --from local --from ssh://router", "%d place: there is nothing to compare", len(q.Places))
	case q.Rounds < 0:
		return 0, 0, request.Refuse("", "rounds %d: a number is not negative", q.Rounds)
	case request.KindOf(q.Target) != request.ServerTarget:
		return 0, 0, request.Refuse("start `iperf3 -s` or `unchoke serve` on the target and name it as host or host:port",
			"target %s: from several places it is a server that is checked", q.Target)
	}
	rounds = q.Rounds
	if rounds == 0 {
		rounds = DefaultRounds
	}
	if q.Budget == 0 {
		return rounds, 0, nil
	}
	least := probe.LeastBudget(true)
	for ; ; rounds-- {
		each := q.Budget / time.Duration(rounds*len(q.Places))
		if each >= least {
			return rounds, min(each, probe.QuickBudget), nil
		}
		if rounds == 1 || q.Rounds > 0 {
			return 0, 0, request.Refuse(fmt.Sprintf("%v at least", least*time.Duration(rounds*len(q.Places))),
				"budget %v: too little for %d checks", q.Budget, rounds*len(q.Places))
		}
	}
}

// Vantage checks a target from each place in turn, in rounds: each round visits
// every place once, in an order of its own, so that what changes with time is
// no place's. The records are kept here. A place that fails is reported, and the
// others go on; the error is that of all places, or the context's.
func Vantage(ctx context.Context, q VantageRequest) (*vantage.Comparison, error) {
	rounds, budget, err := q.plan()
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, p := range q.Places {
			p.Close()
		}
	}()
	seen := make([]vantage.Observed, len(q.Places))
	for i, p := range q.Places {
		seen[i].Name = p.Name()
	}
	random := rand.New(rand.NewPCG(q.Seed, 0))
	done, all := 0, rounds*len(q.Places)
	var failed error
	measured := 0
	for round := range rounds {
		for _, i := range random.Perm(len(q.Places)) {
			if ctx.Err() != nil {
				break
			}
			each := q.CheckRequest
			each.Quick, each.Budget = true, budget
			each.Progress = func(share float64, what string) {
				q.Progress.OrNone()((float64(done)+min(max(share, 0), 1))/float64(all),
					fmt.Sprintf("round %d of %d, %s: %s", round+1, rounds, q.Places[i].Name(), what))
			}
			err := q.visit(ctx, q.Places[i], each, &seen[i])
			if err != nil {
				err = fmt.Errorf("from %s: %w", q.Places[i].Name(), err)
				seen[i].Failures = append(seen[i].Failures, vantage.Failure{Round: round + 1, Error: err.Error()})
				failed = errors.Join(failed, err)
			}
			if n := len(seen[i].Runs); n > 0 && seen[i].Runs[n-1] != nil {
				measured++
			}
			done++
		}
	}
	if err := context.Cause(ctx); ctx.Err() != nil {
		failed = err
	}
	if measured == 0 {
		return nil, failed
	}
	c := vantage.Compare(q.Target, rounds, seen)
	if ctx.Err() == nil && c.Measured() > 1 {
		failed = nil // the comparison says what failed
	}
	return &c, failed
}

// visit makes one check and keeps its record here.
func (q VantageRequest) visit(ctx context.Context, p Place, each CheckRequest, seen *vantage.Observed) error {
	each.Store, each.NoStore = nil, nil // it is kept once it is known whose it is
	run, err := p.Check(ctx, each)
	seen.Runs = append(seen.Runs, run)
	if run == nil {
		if err == nil {
			err = errors.New("it sent no record")
		}
		return err
	}
	run.Place, run.ID = p.Name(), ""
	q.Save(run, &run.Warnings)
	return err
}
