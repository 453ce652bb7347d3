// Package predict shows a prediction: text, markdown, HTML and JSON of the same
// values.
package predict

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/twin"
)

// Schema names this version of the document.
const Schema = "unchoke.predict/1"

// Report is what `unchoke predict` says, and its JSON document. The other views
// show nothing that is not in it.
type Report struct {
	Schema string `json:"schema"`
	Target string `json:"target"`
	Record string `json:"record"` // its ID; empty where it was not saved
	// Twin is the likeliest path, for `unchoke lab exec --path`.
	Twin string `json:"twin"`
	Fit  Fit    `json:"fit"`
	// Arms are of the directions that agree, "now" first in each.
	Arms []record.Predicted `json:"arms"`
	// Causes are the same path without what may impair it: what each costs.
	Causes []record.Predicted `json:"causes"`
	// NotTried says which remedies were left out, and why.
	NotTried []string      `json:"not_tried"`
	Verdict  finding.Cause `json:"verdict"` // of the record
}

// Fit is how the copies of the path behave beside it.
type Fit struct {
	Agrees bool `json:"agrees"` // in every direction that was measured
	// NotRebuilt is what the path does and no copy can: it is not understood then.
	NotRebuilt []string   `json:"not_rebuilt"`
	Compared   []Compared `json:"compared"`
}

// Compared is one figure of the path and the same of its copies: a rate, or the
// time by which the RTT rises under load.
type Compared struct {
	What         string           `json:"what"`
	Direction    record.Direction `json:"direction"`
	MeasuredRate *float64         `json:"measured_bps,omitempty"`
	TwinRate     *float64         `json:"twin_bps,omitempty"`
	MeasuredTime *float64         `json:"measured_s,omitempty"`
	TwinTime     *float64         `json:"twin_s,omitempty"`
	Agrees       bool             `json:"agrees"`
}

// New puts a prediction together.
func New(p twin.Prediction, verdict finding.Cause) Report {
	r := Report{
		Schema: Schema, Target: p.Target, Record: p.Record, Twin: p.Twin, Verdict: verdict,
		Fit:  Fit{Agrees: len(p.Ways) > 0, Compared: []Compared{}, NotRebuilt: render.OrEmpty(p.NotRebuilt)},
		Arms: render.OrEmpty(record.Changes(p.Arms)), Causes: render.OrEmpty(record.Costs(p.Arms)), NotTried: render.OrEmpty(p.Left),
	}
	for _, w := range p.Ways {
		r.Fit.Agrees = r.Fit.Agrees && w.Agrees
		for _, c := range w.Compared {
			shown := Compared{What: c.What + " " + string(w.Direction), Direction: w.Direction, Agrees: c.Agrees}
			if c.Rate {
				shown.MeasuredRate, shown.TwinRate = &c.Measured, &c.Twin
			} else {
				shown.MeasuredTime, shown.TwinTime = &c.Measured, &c.Twin
			}
			r.Fit.Compared = append(r.Fit.Compared, shown)
		}
	}
	return r
}

// JSON writes the document.
func (r Report) JSON(w io.Writer) error { return render.JSON(w, r) }

// Understood says that some direction is, so that there are figures.
func (r Report) Understood() bool { return len(r.Arms) > 0 }

// disagreeing are the figures by which the copies differ from the path.
func (r Report) disagreeing() []Compared {
	var out []Compared
	for _, c := range r.Fit.Compared {
		if !c.Agrees {
			out = append(out, c)
		}
	}
	return out
}

func (c Compared) measured() string { return eitherOf(c.MeasuredRate, c.MeasuredTime) }
func (c Compared) twin() string     { return eitherOf(c.TwinRate, c.TwinTime) }

func eitherOf(rate, time *float64) string {
	switch {
	case rate != nil:
		return render.Rate(*rate)
	case time != nil:
		return render.Time(*time)
	}
	return ""
}

// headline is the answer in a few sentences: what the best remedy of each direction gains, and
// of which direction there is no prediction.
func (r Report) headline() string {
	n := r.Fit.NotRebuilt
	if len(n) > 0 && !r.Understood() {
		return "The path does what no copy of it does, and there is no prediction for it: " + strings.Join(n, "; ") + "."
	}
	said, bad := r.gains(), r.misunderstood()
	if len(said) == 0 && bad == "" {
		said = []string{"No remedy of those tried gains anything."}
		if best, now := r.shortest(); best != nil {
			said = []string{fmt.Sprintf("%s would have an RTT of %s under load with %s, where it has %s now. No remedy of those tried carries more.", render.Capital(best.Direction.Word()), render.Time(best.RTT), best.Arm, render.Time(now.RTT))}
		}
	}
	switch {
	case bad != "":
		said = append(said, bad)
	case len(n) > 0:
		said = append(said, "Of the other direction there is no prediction: "+strings.Join(n, "; ")+".")
	}
	return strings.Join(said, " ")
}

// gains say what the best remedy of each direction carries, where it surely gains, the largest
// gain first.
func (r Report) gains() []string {
	var best []record.Predicted
	for _, d := range record.Directions {
		if a := r.best(d); a != nil {
			best = append(best, *a)
		}
	}
	slices.SortStableFunc(best, func(a, b record.Predicted) int { return cmp.Compare(b.Gain, a.Gain) })
	var out []string
	for _, a := range best {
		out = append(out, fmt.Sprintf("%s would carry %s with %s: %s of now.", render.Capital(a.Direction.Word()), render.Rate(a.Rate), a.Arm, render.Times(a.Gain)))
	}
	return out
}

// misunderstood says in which directions the copies differ from the path, and by what; empty
// where they do not.
func (r Report) misunderstood() string {
	bad := r.disagreeing()
	if len(bad) == 0 {
		return ""
	}
	var ways, what []string
	for _, c := range bad {
		word := c.Direction.Word()
		if len(ways) == 0 || ways[len(ways)-1] != word {
			ways = append(ways, word)
		}
		what = append(what, fmt.Sprintf("%s: measured %s, the copies have %s", c.What, c.measured(), c.twin()))
	}
	return fmt.Sprintf("The path of the %s is not understood well enough, and there is no prediction for it. %s.", strings.Join(ways, " and the "), render.Capital(strings.Join(what, "; ")))
}

// best is the arm of a direction whose gain is the largest and surely one; nil where none is.
func (r Report) best(d record.Direction) *record.Predicted {
	var best *record.Predicted
	for i := range r.Arms {
		if a := &r.Arms[i]; a.Direction == d && a.GainLow > worthwhile && (best == nil || a.Gain > best.Gain) {
			best = a
		}
	}
	return best
}

// shortest is the arm that shortens the RTT under load the most, and what the copies of its
// direction have now.
func (r Report) shortest() (best *record.Predicted, now record.Predicted) {
	for i := range r.Arms {
		a := &r.Arms[i]
		as, ok := record.NowOf(r.Arms, a.Direction)
		if ok && a.Shortens(as) && (best == nil || as.RTT-a.RTT > now.RTT-best.RTT) {
			best, now = a, as
		}
	}
	return best, now
}

// worthwhile: a smaller gain is no reason to change anything.
const worthwhile = 1.05

// likeness is the table of the path beside its copies.
func (r Report) likeness() []render.Column {
	columns := []render.Column{{Head: "the copies beside the path", Left: true}, {Head: "measured"}, {Head: "copies"}, {Head: "", Left: true}}
	for _, c := range r.Fit.Compared {
		mark := ""
		if !c.Agrees {
			mark = "disagrees"
		}
		for i, cell := range []string{c.What, c.measured(), c.twin(), mark} {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	return columns
}

// table is of the arms.
func (r Report) table() []render.Column {
	columns := []render.Column{
		{Head: "predicted", Left: true},
		{Head: "", Left: true},
		{Head: "rate"},
		{Head: "nine of ten in"},
		{Head: "gain"},
		{Head: "RTT under load"},
		{Head: "resent"},
		{Head: "cubic beside it"},
	}
	for _, a := range r.Arms {
		gain := ""
		if a.Arm != record.Now {
			gain = render.Times(a.Gain)
		}
		beside := ""
		if a.Neighbor > 0 {
			beside = render.Rate(a.Neighbor)
		}
		for i, cell := range []string{
			a.Direction.Word(), a.Arm, render.Rate(a.Rate), render.Rate(a.Low) + "–" + render.Rate(a.High), gain,
			render.Time(a.RTT), render.Ratio(a.Resent), beside,
		} {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	return columns
}

// costs is the table of what the path would carry without what impairs it. Two
// causes together have a row where that says more than one of them does.
func (r Report) costs() []render.Column {
	columns := []render.Column{
		{Head: "without", Left: true},
		{Head: "", Left: true},
		{Head: "rate"},
		{Head: "nine of ten in"},
		{Head: "of now"},
	}
	alone := map[record.Direction]float64{}
	for _, a := range r.Causes {
		if len(a.Without) == 1 {
			alone[a.Direction] = max(alone[a.Direction], a.Gain)
		}
	}
	for _, a := range r.Causes {
		if len(a.Without) > 1 && a.Gain < together*alone[a.Direction] {
			continue
		}
		for i, cell := range []string{
			a.Direction.Word(), strings.TrimPrefix(a.Arm, "without "), render.Rate(a.Rate), render.Rate(a.Low) + "–" + render.Rate(a.High), render.Times(a.Gain),
		} {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	return columns
}

// together: two causes that gain less than this over one of them are that one.
const together = 1.15

// repeat is the command that has the likeliest path again.
func (r Report) repeat() string {
	return fmt.Sprintf("unchoke lab exec --path '%s' --far 'iperf3 -s' -- iperf3 -c far", r.Twin)
}
