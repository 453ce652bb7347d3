package watching

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"unchoke/internal/hint"
	"unchoke/internal/live"
	"unchoke/internal/live/filter"
	"unchoke/internal/watch"
)

// Pick says which connection is meant: all that is given must hold.
type Pick struct {
	Filter filter.Filter
	// PID is a process whose connections, or whose children's, are meant; 0 for
	// any.
	PID     int
	sockets map[string]bool // of it, by their cookies
}

// String is the filter that means the same.
func (p Pick) String() string {
	parts := []string{}
	if text := p.Filter.String(); text != "" {
		parts = append(parts, text)
	}
	if p.PID != 0 {
		if len(parts) > 0 {
			parts[0] = "(" + parts[0] + ")"
		}
		parts = append(parts, fmt.Sprintf("pid = %d", p.PID))
	}
	return strings.Join(parts, " and ")
}

func (p Pick) match(f *live.Flow) bool {
	return p.Filter.Match(f) && (p.PID == 0 || p.sockets[f.ID])
}

// The first look takes as long as a stream that sends a piece a second rests, and
// a little more where the owners of connections are still being looked up.
const (
	firstLook  = 1200 * time.Millisecond
	firstEvery = 200 * time.Millisecond
	ownersWait = 3 * time.Second
)

// look lists the connections with what each moved during the first look.
func (p *Pick) look(ctx context.Context) ([]live.Flow, error) {
	if p.PID != 0 {
		var err error
		if p.sockets, err = socketsOf(p.PID); err != nil {
			return nil, err
		}
	}
	s, err := watch.Open(watch.Options{Interval: firstEvery})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, hint.With(err, "connections can be looked at on Linux only")
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for begun := time.Now(); ; {
		snap, err := s.Next(ctx)
		if err != nil {
			return nil, err
		}
		elapsed := time.Since(begun)
		matches := func(f live.Flow) bool { return p.match(&f) }
		if elapsed < firstLook || elapsed < ownersWait && !slices.ContainsFunc(snap.Flows, matches) {
			continue // its owner may still be found
		}
		var others []live.Flow
		for _, f := range snap.Flows {
			if f.PID != os.Getpid() {
				others = append(others, f)
			}
		}
		return others, nil
	}
}

// none is the error where no connection matches, with the nearest as the hint.
func (p *Pick) none(all []live.Flow) error {
	what := "no established connection of this host matches"
	if text := p.String(); text != "" {
		what += " " + text
	}
	near := p.nearest(all)
	if len(near) == 0 {
		return hint.With(errors.New(what), "this host has no established connection")
	}
	var words []string
	for i := range near {
		text := "'" + near[i].Only() + "'"
		if near[i].Process != "" {
			text += " (" + near[i].Process + ")"
		}
		words = append(words, text)
	}
	return hint.With(errors.New(what), "the nearest are "+strings.Join(words, ", ")+"; unchoke watch lists all")
}

// mostNear connections are named where none matches.
const mostNear = 3

// nearest are the connections that have most in common with what was asked for,
// the busier first.
func (p *Pick) nearest(all []live.Flow) []live.Flow {
	words := strings.FieldsFunc(p.Filter.String(), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".:-_", r)
	})
	common := func(f *live.Flow) (n int) {
		has := []string{
			f.Remote.String(), f.Remote.Addr().String(), fmt.Sprint(f.Remote.Port()), fmt.Sprintf(":%d", f.Remote.Port()),
			f.Local.String(), f.Local.Addr().String(), fmt.Sprint(f.Local.Port()), fmt.Sprintf(":%d", f.Local.Port()),
			f.Process, f.Unit, strings.TrimSuffix(f.Unit, ".service"), f.CC,
		}
		for _, w := range words {
			if slices.Contains(has, w) {
				n++
			}
		}
		return n
	}
	var out []live.Flow
	for _, f := range all {
		if f.State == "established" && !f.Closed {
			out = append(out, f)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		if x, y := common(a), common(b); x != y {
			return x > y
		}
		return compareMoves(a, b) < 0
	})
	return out[:min(len(out), mostNear)]
}
