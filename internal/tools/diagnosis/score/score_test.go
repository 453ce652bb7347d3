package score

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/truth"
)

func cause(w finding.Cause, gain float64) truth.Cause {
	return truth.Cause{Name: string(w), Words: []finding.Cause{w}, Direction: draw.Up, Gain: gain}
}

func outcome(causes []truth.Cause, confidence float64, said ...finding.Cause) Outcome {
	o := Outcome{Known: Known{Draw: draw.Draw{Family: "some"}, Truth: truth.Truth{Causes: causes}}}
	for _, c := range said {
		o.Said.Findings = append(o.Said.Findings, Named{Cause: c, Direction: draw.Up, Confidence: confidence})
	}
	o.Said.Verdict = said[0]
	return o
}

func outcomes() []Outcome {
	loss, send := cause(finding.LossLimited, 5), cause(finding.SendBuffer, 2)
	borderline := outcome(nil, 0.8, finding.Policed)
	borderline.Truth.Perhaps = []truth.Cause{cause(finding.Policed, 1.3)}
	return []Outcome{
		outcome(nil, 0.99, finding.Healthy),
		outcome(nil, 0.95, finding.Policed),                                              // wrong and sure
		outcome([]truth.Cause{loss}, 0.8, finding.LossLimited, finding.Congested),        // one beside that is none
		outcome([]truth.Cause{loss, send}, 0.7, finding.SendBuffer),                      // right, not the most
		outcome([]truth.Cause{loss, send}, 0.7, finding.LossLimited, finding.SendBuffer), // both named
		borderline, // accepted
		{Known: Known{Draw: draw.Draw{Family: "some"}}, Said: Said{Verdict: Failed, Error: "gone"}}, // wrong
	}
}

func TestScore(t *testing.T) {
	s := Of(outcomes())
	for _, c := range []struct {
		what      string
		got, want Share
	}{
		{"right", s.Right, Share{4, 6}},
		{"borderline", s.Borderline, Share{1, 1}},
		{"sure and wrong", s.SureWrong, Share{1, 7}},
		{"both named", s.BothNamed, Share{1, 2}},
		{"beside", s.Beside, Share{1, 2}},
		{"what gains most", s.MostNamed, Share{3, 6}},
		{"healthy", s.ByCause[finding.Healthy], Share{1, 3}},
		{"loss", s.ByCause[finding.LossLimited], Share{2, 2}},
		{"family", s.ByFamily["some"], Share{4, 6}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	if s.Said[finding.Healthy][finding.Policed] != 1 || s.Said[finding.Healthy][Failed] != 1 {
		t.Errorf("confusion: %v", s.Said)
	}
}

// Of an even number of checks the median is between the middle two, of none 0.
func TestMedians(t *testing.T) {
	a, b := outcome(nil, 1, finding.Healthy), outcome(nil, 1, finding.Healthy)
	a.Said.Wall, a.Said.CPU, b.Said.Wall, b.Said.CPU = 3, 1, 1, 0
	if s := Of([]Outcome{a, b}); s.Wall != 2 || s.CPU != 0.5 {
		t.Errorf("wall %v, CPU %v", s.Wall, s.CPU)
	}
	if s := Of(nil); s.Wall != 0 {
		t.Errorf("of no checks: %v", s.Wall)
	}
}

// Three verdicts said with 0.8 of which two are right, one with 1 that is right:
// (3·|0.8 − 2/3| + 1·0) / 4 = 0.1.
func TestCalibration(t *testing.T) {
	s := Of([]Outcome{
		outcome(nil, 0.8, finding.Healthy), outcome(nil, 0.8, finding.Healthy),
		outcome(nil, 0.8, finding.Policed), outcome(nil, 1, finding.Healthy),
	})
	if math.Abs(s.Calibration-0.1) > 1e-9 {
		t.Errorf("%v", s.Calibration)
	}
}

// Of two verdicts said with 0.5 none, one or two are right, one time in four, two and
// four: half a verdict from the mean on average. What is certain has no chance.
func TestCalibrationByChance(t *testing.T) {
	s := Of([]Outcome{
		outcome(nil, 0.5, finding.Healthy), outcome(nil, 0.5, finding.Healthy),
		outcome(nil, 1, finding.Healthy), outcome(nil, 1, finding.Healthy),
	})
	if want := (0.5 + 0) / 4; math.Abs(s.Chance-want) > 1e-9 {
		t.Errorf("%v, want %v", s.Chance, want)
	}
	for n := range 30 {
		for _, p := range []float64{0.1, 0.5, 0.85, 0.97} {
			want, of := 0.0, math.Pow(1-p, float64(n)) // the probability of no success
			for k := range n + 1 {
				want += of * math.Abs(float64(k)-float64(n)*p)
				of *= float64(n-k) / float64(k+1) * p / (1 - p)
			}
			if got := apart(n, p); math.Abs(got-want) > 1e-9 {
				t.Errorf("%d of probability %v: %v, want %v", n, p, got, want)
			}
		}
	}
}

func TestGate(t *testing.T) {
	s := Of(outcomes())
	if err := (Gate{Paths: 7, Right: 0.6, BothNamed: 0.5, MostSureWrong: 0.2}).Check(s); err != nil {
		t.Error(err)
	}
	for want, g := range map[string]Gate{
		"paths were judged":  {Paths: 8},
		"at first sight":     {Right: 0.7},
		"all named":          {BothNamed: 0.6},
		"wrong and sure":     {MostSureWrong: 0.1},
		"0.9 and more":       {SureRight: 0.6},
		"calibration":        {MostMiscalibrated: 0.01},
		"right at first":     {Right: 0.99, BothNamed: 0.1},
		"several causes, al": {BothNamed: 0.9},
	} {
		if err := g.Check(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	// A figure of nothing is missed, not passed.
	if err := (Gate{Right: 0.5}).Check(Of(nil)); err == nil {
		t.Error("no paths pass")
	}
}

func TestMissesCanBeRepeated(t *testing.T) {
	o := outcome([]truth.Cause{cause(finding.LossLimited, 5)}, 0.99, finding.Healthy)
	o.Draw.Scene, o.Draw.Lab = draw.Scene{Path: "rtt=50ms,loss=1%"}, 17
	var out bytes.Buffer
	Of([]Outcome{o}).Print(&out)
	for _, want := range []string{"loss-limited up (×5.0", "said healthy, 0.99 sure", "`unchoke lab exec --seed 17 --path rtt=50ms,loss=1%"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestUnnamedIsPrinted(t *testing.T) {
	loss, send := cause(finding.LossLimited, 5), cause(finding.SendBuffer, 2)
	var out bytes.Buffer
	Of([]Outcome{outcome([]truth.Cause{loss, send}, 0.7, finding.LossLimited)}).Print(&out)
	if want := "said loss-limited, 0.70 sure, and not send-buffer up (×2.0"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

func TestFiles(t *testing.T) {
	dir := Dir(t.TempDir())
	if _, err := dir.LoadKnown("1-0000"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := dir.Names(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	o := outcome([]truth.Cause{cause(finding.LossLimited, 5)}, 0.9, finding.LossLimited)
	if err := errors.Join(dir.SaveKnown("1-0000", o.Known), dir.SaveSaid("1-0000", o.Said)); err != nil {
		t.Fatal(err)
	}
	known, err := dir.LoadKnown("1-0000")
	if err != nil || known.Truth.Leading() != finding.LossLimited || known.Draw.Family != "some" {
		t.Errorf("%+v, %v", known, err)
	}
	if said, err := dir.LoadSaid("1-0000"); err != nil || said.Confidence() != 0.9 {
		t.Errorf("%+v, %v", said, err)
	}
	if names, err := dir.Names(); err != nil || len(names) != 1 || names[0] != "1-0000" {
		t.Errorf("%v, %v", names, err)
	}
}
