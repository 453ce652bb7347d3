//go:build !slim

package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/record"
	"unchoke/internal/state"
)

// actor is a place that says what a test wants, and notes what it was asked.
type actor struct {
	name   string
	check  func(visit int) (*record.Run, error)
	visits int
	asked  []CheckRequest
	all    *[]string // visits of all places, in their order
	closed int
}

func (p *actor) Name() string                { return p.name }
func (p *actor) Reach(context.Context) error { return nil }
func (p *actor) Close()                      { p.closed++ }

func (p *actor) Check(_ context.Context, q CheckRequest) (*record.Run, error) {
	p.visits++
	p.asked = append(p.asked, q)
	*p.all = append(*p.all, p.name)
	q.Progress(0.5, "half")
	return p.check(p.visits)
}

// measuredRun is a record of nothing but a stream each way.
func measuredRun(rate float64) *record.Run {
	r := record.New("192.0.2.7:5201", "test", time.Now())
	for _, d := range record.Directions {
		r.Transfers = append(r.Transfers, record.Transfer{Name: string(d) + "-1", Direction: d, Protocol: record.TCP, Streams: 1, Duration: 3, Rate: rate, SteadyRate: rate})
	}
	return r
}

func always(rate float64) func(int) (*record.Run, error) {
	return func(int) (*record.Run, error) { return measuredRun(rate), nil }
}

// Each round visits every place once, in an order of its own; each check is
// quick, has its share of the budget, and is kept here with its place.
func TestVantageVisits(t *testing.T) {
	var order, said []string
	places := []*actor{{name: "a", check: always(1e6)}, {name: "b", check: always(2e6)}, {name: "c", check: always(3e6)}}
	q := VantageRequest{Rounds: 8, Seed: 3}
	for _, p := range places {
		p.all = &order
		q.Places = append(q.Places, p)
	}
	store := state.Store{Dir: t.TempDir()}
	q.Target, q.Store, q.Budget = "192.0.2.7", &store, 24*10*time.Second
	q.Progress = func(share float64, what string) { said = append(said, fmt.Sprintf("%.4f %s", share, what)) }
	c, err := Vantage(t.Context(), q)
	if err != nil || c.Measured() != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	rounds := slices.Collect(slices.Chunk(order, 3))
	different := false
	for _, r := range rounds {
		different = different || !slices.Equal(r, rounds[0])
		if sorted := slices.Sorted(slices.Values(r)); !slices.Equal(sorted, []string{"a", "b", "c"}) {
			t.Errorf("a round visits %v", r)
		}
	}
	if len(rounds) != 8 || !different {
		t.Errorf("orders %v", rounds)
	}
	for _, p := range places {
		if p.closed != 1 {
			t.Errorf("%s closed %d times", p.name, p.closed)
		}
		for _, asked := range p.asked {
			if !asked.Quick || asked.Budget != 10*time.Second || asked.Store != nil {
				t.Errorf("%s was asked %+v", p.name, asked)
			}
		}
	}
	if !slices.IsSorted(said) || len(said) != 24 || !strings.Contains(said[23], "round 8 of 8, ") {
		t.Errorf("progress %q", said)
	}
	list, err := store.List()
	if err != nil || len(list) != 24 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	kept := map[string]int{}
	for _, l := range list {
		d, err := store.Load(l.ID)
		run, ok := d.(*record.Run)
		if err != nil || !ok {
			t.Fatalf("%s: %v", l.ID, err)
		}
		kept[run.Place]++
	}
	if kept["a"] != 8 || kept["b"] != 8 || kept["c"] != 8 {
		t.Errorf("records kept of %v", kept)
	}
}

// A place that fails is told of, and the others go on; a failure of all is an
// error, and what a failed check saw counts.
func TestVantageFailures(t *testing.T) {
	broken := errors.New("no way there")
	for name, c := range map[string]struct {
		b        func(int) (*record.Run, error)
		measured int
		failures []int // rounds
	}{
		"never there": {func(int) (*record.Run, error) { return nil, broken }, 1, []int{1, 2, 3}},
		"once away": {func(visit int) (*record.Run, error) {
			if visit == 2 {
				return nil, broken
			}
			return measuredRun(2e6), nil
		}, 2, []int{2}},
		"no record":   {func(int) (*record.Run, error) { return nil, nil }, 1, []int{1, 2, 3}},
		"half a run":  {func(int) (*record.Run, error) { return measuredRun(2e6), broken }, 2, []int{1, 2, 3}},
		"as it ought": {always(2e6), 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var order []string
			q := VantageRequest{Rounds: 3, Places: []Place{&actor{name: "a", check: always(1e6), all: &order}, &actor{name: "b", check: c.b, all: &order}}}
			q.Target = "192.0.2.7"
			got, err := Vantage(t.Context(), q)
			if got == nil || got.Measured() != c.measured || len(order) != 6 {
				t.Fatalf("%+v, %v; visited %v", got, err, order)
			}
			if (err != nil) != (c.measured < 2) {
				t.Errorf("error %v", err)
			}
			var rounds []int
			for _, p := range got.Places {
				for _, f := range p.Failures {
					rounds = append(rounds, f.Round)
					if !strings.HasPrefix(f.Error, "from b: ") {
						t.Errorf("failure %q", f.Error)
					}
				}
			}
			if !slices.Equal(rounds, c.failures) {
				t.Errorf("failures in rounds %v, want %v", rounds, c.failures)
			}
		})
	}
	var order []string
	nobody := func(int) (*record.Run, error) { return nil, broken }
	q := VantageRequest{Places: []Place{&actor{name: "a", check: nobody, all: &order}, &actor{name: "b", check: nobody, all: &order}}}
	q.Target = "192.0.2.7"
	if got, err := Vantage(t.Context(), q); got != nil || !errors.Is(err, broken) || len(order) != 2*DefaultRounds {
		t.Errorf("nobody measures: %+v, %v; visited %v", got, err, order)
	}
}

// ^C ends the visits; what was measured is compared all the same.
func TestVantageInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by hand")
	var order []string
	second := func(int) (*record.Run, error) {
		if len(order) == 3 {
			cancel(stopped)
		}
		return measuredRun(1e6), nil
	}
	q := VantageRequest{Rounds: 5, Places: []Place{&actor{name: "a", check: second, all: &order}, &actor{name: "b", check: second, all: &order}}}
	q.Target = "192.0.2.7"
	got, err := Vantage(ctx, q)
	if got == nil || got.Measured() != 2 || !errors.Is(err, stopped) || len(order) != 3 {
		t.Errorf("%+v, %v; visited %v", got, err, order)
	}
}

// What cannot be compared is refused before anybody is asked.
func TestVantageRefused(t *testing.T) {
	var order []string
	two := []Place{&actor{name: "a", all: &order}, &actor{name: "b", all: &order}}
	for name, q := range map[string]VantageRequest{
		"one place":       {CheckRequest: CheckRequest{Request: request.Request{Target: "far"}}, Places: two[:1]},
		"an SSH target":   {CheckRequest: CheckRequest{Request: request.Request{Target: "ssh://far"}}, Places: two},
		"a URL":           {CheckRequest: CheckRequest{Request: request.Request{Target: "https://far/"}}, Places: two},
		"fewer than none": {CheckRequest: CheckRequest{Request: request.Request{Target: "far"}}, Places: two, Rounds: -1},
		"too little time": {CheckRequest: CheckRequest{Request: request.Request{Target: "far"}, Budget: time.Second}, Places: two},
	} {
		if got, err := Vantage(t.Context(), q); got != nil || err == nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		} else if _, refused := errors.AsType[*request.Error](err); !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(order) > 0 {
		t.Errorf("asked %v", order)
	}
}
