package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"unchoke/internal/record"
	"unchoke/internal/state"
	"unchoke/internal/tools/diagnosis/ask"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/tools/diagnosis/truth"
	"unchoke/internal/tools/tool"
)

// algorithms are what is predicted for the sender of each direction.
var algorithms = []string{"cubic", "bbr"}

// known is a path, its check, and what stock iperf3 carries on it.
type known struct {
	Draw draw.Draw                                   `json:"draw"`
	Said score.Said                                  `json:"said"`
	Runs map[record.Direction]map[string][]truth.Run `json:"runs"` // by direction and algorithm
}

// errNotKept is a path that is not among those kept.
var errNotKept = errors.New("not kept")

// collector checks paths and finds their truth; what is kept in its directory
// is not found out again.
type collector struct {
	unchoke  string
	dir      string
	kept     bool // find nothing out
	again    bool // check what is kept again
	machines int
	progress io.Writer
}

// collect goes through the draws in their order, so that a bench that is stopped
// is a smaller one. Where some failed, the others are returned beside the error.
func (c collector) collect(ctx context.Context, draws []draw.Draw) ([]known, error) {
	var mu sync.Mutex
	var all []known
	var failures []error
	tool.Each(ctx, c.machines, draws, func(d draw.Draw) {
		k, err := c.one(ctx, d)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case errors.Is(err, errNotKept):
			return
		case err != nil:
			failures = append(failures, fmt.Errorf("%s: %w", d.Name(), err))
		default:
			all = append(all, k)
		}
		fmt.Fprintf(c.progress, "%s %s %d of %d\n", d.Name(), d.Family, len(all), len(draws))
	})
	slices.SortFunc(all, func(a, b known) int { return strings.Compare(a.Draw.Name(), b.Draw.Name()) })
	return all, errors.Join(append(failures, ctx.Err())...)
}

func (c collector) one(ctx context.Context, d draw.Draw) (known, error) {
	k := known{Draw: d, Runs: map[record.Direction]map[string][]truth.Run{}}
	switch err := c.load(d.Name(), &k); {
	case err == nil && c.again:
		k.Said = ask.Check(ctx, c.unchoke, ask.IPerf3, d)
		return k, errors.Join(ctx.Err(), c.save(d.Name(), k))
	case !errors.Is(err, fs.ErrNotExist):
		return k, err
	case c.kept || c.again:
		return k, errNotKept
	}
	k.Said = ask.Check(ctx, c.unchoke, ask.IPerf3, d)
	for _, way := range draw.Both {
		runs := map[string][]truth.Run{}
		for _, cc := range algorithms {
			var err error
			if runs[cc], err = truth.Carried(ctx, truth.Lab{Unchoke: c.unchoke}, d, way, cc); err != nil {
				return k, err
			}
		}
		k.Runs[record.Direction(way)] = runs
	}
	return k, errors.Join(ctx.Err(), c.save(d.Name(), k))
}

func (c collector) file(name string) string { return filepath.Join(c.dir, name+".json") }

func (c collector) load(name string, into *known) error {
	if c.dir == "" {
		return fs.ErrNotExist
	}
	data, err := os.ReadFile(c.file(name))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func (c collector) save(name string, k known) error {
	if c.dir == "" {
		return nil
	}
	return state.Replace(c.file(name), func(w io.Writer) error { return json.NewEncoder(w).Encode(k) })
}
