package main

import (
	"errors"
	"fmt"
	"io"
)

// share is how many of how many.
type share struct{ k, n int }

func (s *share) add(yes bool) {
	s.n++
	if yes {
		s.k++
	}
}

func (s share) of() float64 { return float64(s.k) / float64(max(s.n, 1)) }

func (s share) String() string { return fmt.Sprintf("%d of %d (%.0f %%)", s.k, s.n, 100*s.of()) }

// tallies count directions: those with a prediction, and those refused, as they
// would have been.
type tallies struct {
	refused         share
	said, unsaid    tally
	cubic, bbrRates share // of said, by algorithm
}

// tally is what was right.
type tally struct{ rates, gains, held share }

func (t *tally) add(w way) {
	for _, a := range w.arms {
		t.rates.add(a.close())
		t.held.add(a.held())
	}
	is, said := w.gain()
	t.gains.add(nearly(said, is))
}

func (s *tallies) add(j judged) {
	for _, w := range j.ways {
		s.refused.add(!w.Agrees)
		if !w.Agrees {
			s.unsaid.add(w)
			continue
		}
		s.said.add(w)
		s.cubic.add(w.arms[0].close())
		s.bbrRates.add(w.arms[1].close())
	}
}

func (s tallies) print(w io.Writer) {
	fmt.Fprintf(w, "\nrefused: %v directions\n", s.refused)
	fmt.Fprintf(w, "predicted: rates within 25 %%: %v (cubic %v, bbr %v); bbr's gain within 25 %%: %v; intervals hold the truth: %v\n",
		s.said.rates, s.cubic, s.bbrRates, s.said.gains, s.said.held)
	fmt.Fprintf(w, "refused, had they been said: rates %v; gain %v; intervals %v\n", s.unsaid.rates, s.unsaid.gains, s.unsaid.held)
}

// gate is what a bench must show.
type gate struct{ rates, gains, held float64 }

func (g gate) check(s tallies) error {
	var errs []error
	for _, x := range []struct {
		what  string
		is    share
		least float64
	}{{"rates within 25 %", s.said.rates, g.rates}, {"gains within 25 %", s.said.gains, g.gains}, {"intervals that hold the truth", s.said.held, g.held}} {
		if x.is.of() < x.least {
			errs = append(errs, fmt.Errorf("%s: %v, less than %.0f %%", x.what, x.is, 100*x.least))
		}
	}
	return errors.Join(errs...)
}
