package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	usecase "unchoke/internal/app"
	"unchoke/internal/record"
	"unchoke/internal/tools/diagnosis/truth"
	"unchoke/internal/twin"
)

// judged is a path with what was predicted for it.
type judged struct {
	known
	text string   // the likeliest path
	not  []string // rebuilt
	ways []way
}

// way is one direction of it.
type way struct {
	twin.Likeness
	arms []arm
}

// arm is an algorithm's truth and prediction.
type arm struct {
	cc   string
	is   float64 // bit/s
	said record.Predicted
}

// nearly says that a rate or a gain is within 25 % of the truth.
func nearly(said, is float64) bool { return is > 0 && math.Abs(said/is-1) <= 0.25 }

func (a arm) close() bool { return nearly(a.said.Rate, a.is) }
func (a arm) held() bool  { return a.said.Low <= a.is && a.is <= a.said.High }

// gain is bbr's over cubic, as it is and as it was said.
func (w way) gain() (is, said float64) {
	cubic, bbr := w.arms[0], w.arms[1]
	return bbr.is / cubic.is, bbr.said.Rate / cubic.said.Rate
}

// predicted predicts from a path's record, whether it is understood or not.
func predicted(ctx context.Context, k known) (judged, error) {
	j := judged{known: k}
	run, err := record.Read(bytes.NewReader(k.Said.Record))
	if err != nil {
		return j, fmt.Errorf("the check left no record: %w", err)
	}
	q := usecase.PredictRequest{Run: run, Sure: true}
	for _, cc := range algorithms {
		q.Arms = append(q.Arms, record.Arm{Name: cc, CC: cc})
	}
	p, err := usecase.Predict(ctx, q)
	if err != nil {
		return j, err
	}
	j.text, j.not = p.Twin, p.NotRebuilt
	for _, l := range p.Ways {
		w := way{Likeness: l}
		for _, cc := range algorithms {
			for _, a := range p.Arms {
				if a.Direction == l.Direction && a.Arm == cc {
					w.arms = append(w.arms, arm{cc, truth.Rate(k.Runs[l.Direction][cc]), a})
				}
			}
		}
		j.ways = append(j.ways, w)
	}
	return j, nil
}

func (j judged) print(w io.Writer) {
	fmt.Fprintf(w, "%s %s\n  true %s %v %v\n  twin %s\n", j.Draw.Name(), j.Draw.Family, j.Draw.Scene.Path, j.Draw.Scene.NearSysctl, j.Draw.Scene.FarSysctl, j.text)
	for _, what := range j.not {
		fmt.Fprintf(w, "  not rebuilt: %s\n", what)
	}
	for _, way := range j.ways {
		mark := "agrees"
		if !way.Agrees {
			mark = "REFUSED"
		}
		fmt.Fprintf(w, "  %-4s %s", way.Direction, mark)
		for _, c := range way.Compared {
			format := "; %s %.2f twin %.2f Mbit/s"
			scale := 1e-6
			if !c.Rate {
				format, scale = "; %s %.1f twin %.1f ms", 1e3
			}
			fmt.Fprintf(w, format, c.What, c.Measured*scale, c.Twin*scale)
		}
		fmt.Fprintln(w)
		for _, a := range way.arms {
			note := ""
			if !a.close() {
				note += " OFF"
			}
			if !a.held() {
				note += " outside"
			}
			fmt.Fprintf(w, "       %-5s is %.2f said %.2f [%.2f–%.2f] Mbit/s%s\n", a.cc, a.is/1e6, a.said.Rate/1e6, a.said.Low/1e6, a.said.High/1e6, note)
		}
	}
}
