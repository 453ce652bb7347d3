// Comparison measures how often `unchoke ab` errs, where the truth is known: in
// simulated comparisons of many kinds of noise, the same in both arms or not, and
// in the lab.
//
//	comparison -simulated 4000
//	comparison -unchoke bin/unchoke -same 400 -different 200
//
// It fails where more than 5 % of the comparisons of equal arms end with a
// difference, or a ratio of 1.3 at a CV of at most 10 % is found in fewer than
// 95 %, or takes more than 8 blocks in the median. With -published it fails too
// where a simulated share is worse than in a document's tables.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"unchoke/internal/compare"
	"unchoke/internal/tools/tool"
)

func main() { tool.Main("comparison", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("comparison", flag.ContinueOnError)
	flags.SetOutput(stderr)
	simulated := flags.Int("simulated", 0, "comparisons simulated for each kind of noise, of equal arms and of a ratio of 1.3 each")
	same := flags.Int("same", 0, "comparisons of equal arms in the lab")
	different := flags.Int("different", 0, "comparisons of a ratio of 1.3 in the lab")
	unchoke := flags.String("unchoke", "bin/unchoke", "the binary")
	maxBlocks := flags.Int("max-blocks", compare.DefaultMaxBlocks, "of a comparison")
	seed := flags.Uint64("seed", 1, "of everything drawn")
	document := flags.String("published", "", "a document with the table of as many simulated comparisons")
	documents := flags.String("documents", "", "keep the JSON of each comparison in the lab in this directory")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var missed []error
	if *simulated > 0 {
		var were map[string]shares
		if *document != "" {
			text, err := os.ReadFile(*document)
			if err != nil {
				return fmt.Errorf("read what was published: %w", err)
			}
			if were, err = published(string(text)); err != nil {
				return fmt.Errorf("%s: %w", *document, err)
			}
		}
		missed = append(missed, simulateAll(ctx, *simulated, *maxBlocks, *seed, were, stdout))
	}
	if *same+*different > 0 {
		lab := lab{binary: *unchoke, maxBlocks: *maxBlocks, documents: *documents, progress: stderr}
		missed = append(missed, lab.compareAll(ctx, *same, *different, *seed, stdout))
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return errors.Join(missed...)
}

// parallel does n things, one a core at a time, until ctx ends.
func parallel(ctx context.Context, n int, do func(i int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	workers.Wait()
}

// The targets.
const (
	mostFalse  = 0.05 // share of equal arms that are called different
	trueRatio  = 1.3
	mostCV     = 0.1  // of the comparisons in which it is to be found
	leastFound = 0.95 // share of true differences that are found
	mostBlocks = 8    // that finding takes, in the median
)

// labDeadline of a comparison is far above what it takes, a minute on a busy
// machine.
const labDeadline = 10 * time.Minute
