package score

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Gate is the least that a set of outcomes must show. A zero asks nothing.
type Gate struct {
	Paths             int     // that were judged
	Right             float64 // share
	RightOfCause      float64 // share, of every cause with at least CauseCounts paths
	BothNamed         float64 // share
	SureRight         float64 // share right of the verdicts said with Sure and more
	MostSureWrong     float64 // share of all
	MostMiscalibrated float64
}

// CauseCounts: with fewer paths than this, one miss is more than a gate on a
// cause allows.
const CauseCounts = 7

// Check names every figure that is missed.
func (g Gate) Check(s Score) error {
	var missed []error
	least := func(what string, is Share, want float64) {
		if want > 0 && (is.Of == 0 || is.Value() < want) {
			missed = append(missed, fmt.Errorf("%s: %s, wanted %.0f %%", what, is.text(), 100*want))
		}
	}
	if len(s.Outcomes) < g.Paths {
		missed = append(missed, fmt.Errorf("%d paths were judged, wanted %d", len(s.Outcomes), g.Paths))
	}
	least("right at first sight", s.Right, g.Right)
	for _, cause := range slices.Sorted(maps.Keys(s.ByCause)) {
		if share := s.ByCause[cause]; share.Of >= CauseCounts {
			least("right of "+string(cause), share, g.RightOfCause)
		}
	}
	least("several causes, all named", s.BothNamed, g.BothNamed)
	least("right of those said with 0.9 and more", s.sureRight(), g.SureRight)
	if g.MostSureWrong > 0 && s.SureWrong.Value() > g.MostSureWrong {
		missed = append(missed, fmt.Errorf("wrong and sure: %s, at most %.0f %%", s.SureWrong.text(), 100*g.MostSureWrong))
	}
	if g.MostMiscalibrated > 0 && s.Calibration > g.MostMiscalibrated {
		missed = append(missed, fmt.Errorf("expected calibration error: %.3f, at most %.2f", s.Calibration, g.MostMiscalibrated))
	}
	return errors.Join(missed...)
}

func (s Score) sureRight() Share {
	var out Share
	for _, b := range s.Bins {
		if b.From >= Sure {
			out.N += b.Right.N
			out.Of += b.Right.Of
		}
	}
	return out
}
