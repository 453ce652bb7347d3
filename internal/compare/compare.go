// Package compare decides in which order the arms of a comparison run, when
// enough was measured, and what can honestly be said of the result. It is
// pure: it is told how to run one trial.
package compare

import (
	"context"

	"unchoke/internal/record"
)

// Runner runs one trial of an arm, after the pause that keeps one arm's queue
// from being the next one's path. An error ends the comparison.
type Runner func(ctx context.Context, block, arm int) (record.Trial, error)

// Progress is how far a comparison has come, told after every trial.
type Progress struct {
	Trial    record.Trial // the one that just ended
	Complete int          // blocks, each arm once
	Analysis Analysis     // of the complete blocks
	// Expected is how many blocks the comparison will probably take, at least
	// Complete and at most MaxBlocks.
	Expected int
}
